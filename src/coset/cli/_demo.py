"""coset demo."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ._app import app


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Where the page goes.")] = Path("coset-demo"),
) -> None:
    """Train, audit, break an assumption, audit again; ends with a page to open."""
    from .._demo import run

    for line in run(out):
        typer.echo(line)
