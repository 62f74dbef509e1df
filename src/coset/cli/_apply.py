"""coset apply and score."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from ._app import app
from ._shared import JsonFile, progress, refuse_unwritable, save


@app.command()
def apply(
    map_file: Annotated[Path, typer.Argument(metavar="MAP", help="A map from compare --map.")],
    source: Annotated[str, typer.Argument(help="Embeddings to move: any source of compare.")],
    out: Annotated[Path, typer.Option(help="File to write; its ending names the format.")],
    key: Annotated[
        str | None, typer.Option(help="Array of a container, or vector column of a table.")
    ] = None,
    on: Annotated[
        str | None, typer.Option(help="Column of ids: no coordinate; carried to .parquet and .csv.")
    ] = None,
    *,
    inverse: Annotated[bool, typer.Option(help="Go from B to A.")] = False,
    dtype: Annotated[str | None, typer.Option(help="float16, float32 or float64.")] = None,
) -> None:
    """Move embeddings across an exported map, block by block."""
    from ..audit import apply as move

    refuse_unwritable(out)
    with progress("moving") as advance:
        rows, columns = move(
            map_file, source, out, inverse=inverse, key=key, on=on, dtype=dtype, progress=advance
        )
    typer.echo(f"wrote {rows:,} rows of {columns} columns to {out}")


@app.command()
def score(
    latents: Annotated[str, typer.Argument(help="Known latents (n, d).")],
    codes: Annotated[str, typer.Argument(help="Codes (n, k), the same rows.")],
    seed: Annotated[int, typer.Option(help="Of folds and samples.")] = 0,
    json_file: JsonFile = None,
) -> None:
    """Identifiability and disentanglement metrics against known latents."""
    from ..audit.sources import align
    from ..metrics import score as score_of

    with align(latents, codes) as pair:
        found = score_of(pair.a.read(0, pair.a.rows), pair.b.read(0, pair.b.rows), seed=seed)
    scores = dict(found)
    if json_file != "-":
        width = max(map(len, scores))
        for name, value in scores.items():
            note = found.notes.get(name, "")
            typer.echo(f"{name:<{width}}  {value:7.3f}  {note}".rstrip())
    if json_file:
        shown = {name: value if value == value else None for name, value in scores.items()}
        save(
            json.dumps({"schema": 1, "scores": shown, "notes": dict(found.notes)}, indent=1),
            json_file,
        )
