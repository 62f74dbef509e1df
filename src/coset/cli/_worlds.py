"""coset worlds and coset sample."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Annotated

import typer

from ._app import app
from ._shared import refuse_unwritable


@app.command()
def worlds() -> None:
    """The worlds that can be sampled."""
    from ..worlds import WORLDS

    width = max(map(len, WORLDS))
    for name, world in WORLDS.items():
        first = (inspect.getdoc(world) or "").partition("\n")[0]
        typer.echo(f"{name:<{width}}  {first}".rstrip())


@app.command()
def sample(
    world: Annotated[str, typer.Argument(help="A name that `coset worlds` lists.")],
    n: Annotated[int, typer.Option("--n", help="Rows.")],
    out: Annotated[Path, typer.Option(help="File to write: .npz or .safetensors.")],
    seed: Annotated[int, typer.Option(help="Of the world and of the draws.")] = 0,
) -> None:
    """Draw latents and what they look like: latent, x and, where there are, positive, auxiliary."""
    from .._sample import refuse_format, write_sample
    from .._sample import sample as draw

    refuse_format(out)
    refuse_unwritable(out)
    found = draw(world, n, seed)
    write_sample(found, out)
    for name, array in found.items():
        shape = " × ".join(str(size) for size in array.shape)
        typer.echo(f"{name:<9}  {shape}  {array.dtype}")
    typer.echo(f"wrote {n:,} rows to {out}")
