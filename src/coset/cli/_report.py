"""coset report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ._app import app


@app.command()
def report(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", help="Of `coset verify --out`, or where `compare --json` has written."
        ),
    ],
) -> None:
    """Write the page of a folder of runs or comparisons, or write it anew."""
    from .._pages import refresh

    page = refresh(folder)
    typer.echo(f"page      {page.resolve().as_uri()}")
