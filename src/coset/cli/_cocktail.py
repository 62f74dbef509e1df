"""coset cocktail."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .._core import BadInput
from ._app import app
from ._shared import refuse_unwritable


@app.command()
def cocktail(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="WAV ...", help="Mono recordings of the same moments, or files of channels."
        ),
    ] = None,
    *,
    out: Annotated[Path, typer.Option(help="Folder to write to.")] = Path("coset-cocktail"),
    voices: Annotated[
        int | None, typer.Option(help="How many sounds; as many as recordings by default.")
    ] = None,
    demo: Annotated[
        bool,
        typer.Option("--demo", help="Mix known sounds, separate them, say how clean they are."),
    ] = False,
) -> None:
    """Separate sounds that were recorded together: WAV in, WAV out, by linear ICA.

    Each recording must be a weighted sum of the sounds at the same moment, without echo or delay.
    """
    from ..cocktail import demo as show
    from ..cocktail import separate

    if demo == bool(files):
        given = "both recordings and --demo" if demo else "no recordings"
        raise BadInput(f"{given} given; give WAV files of the same moments, or --demo alone")
    if voices is not None and (voices < 1 or demo):
        raise BadInput(f"--voices {voices}: a number of 1 or more is needed, and no --demo")
    refuse_unwritable(out / "unmixing.json")
    for line in show(out) if demo else separate(files or [], out, voices=voices):
        typer.echo(line)
