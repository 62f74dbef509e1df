"""A comparison in the terminal and in files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from .._core import BadInput
from ._shared import console_for, progress, save

if TYPE_CHECKING:
    from ..audit import Comparison, Matrix

ROOMY = 100
"""Columns of a terminal that leave room for the form of each map."""


def print_comparison(found: Comparison, *, err: bool) -> None:
    """Verdict, hints, the ladder as a table, measures."""
    from rich.table import Table

    from ..audit._words import number

    console = console_for(err=err)
    console.print(found.sentence, style="bold", soft_wrap=True, markup=False)
    for hint in found.hints:
        console.print(f"· {hint}", soft_wrap=True, markup=False)
    table = Table(box=None, pad_edge=False)
    roomy = console.is_terminal and console.width >= ROOMY
    table.add_column("group", no_wrap=True)
    if roomy:
        table.add_column("b =", no_wrap=True)
    for title in ("two-way R²" if roomy else "R²", "interval", "a → b", "b → a", "chance"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for name, rung in found.groups.items():
        mark = "◀ minimal" if name in found.verdict else "holds" if rung.holds else ""
        form = [rung.says.removeprefix("b = ")] if roomy else []
        interval = f"{number(rung.low)} … {number(rung.high)}"
        others = (number(value) for value in (rung.r2_ab, rung.r2_ba, rung.chance))
        style = "bold" if name in found.verdict else None
        table.add_row(name, *form, number(rung.r2), interval, *others, mark, style=style)
    console.print(table)
    shown = "  ".join(f"{name} {number(value)}" for name, value in found.measures.items())
    console.print(shown, soft_wrap=True, markup=False)
    if found.saturated:
        console.print(
            "· cca, svcca and pwcca are saturated: with so many columns for the rows, correlations "
            "of 1 are forced whatever the data",
            soft_wrap=True, markup=False,
        )  # fmt: skip
    if found.heads is not None:
        console.print(found.heads.sentence, soft_wrap=True, markup=False)


def export(found: Comparison, path: Path, name: str, *, err: bool) -> None:
    """Save the map of a group, and say so where it does not hold."""
    from ..audit._words import number

    if name not in found.groups:
        raise BadInput(f"too few sampled rows to fit a {name} map; raise --sample")
    rung = found.groups[name]
    rung.map.save(path)
    typer.echo(f"map       {path} ({name}, A → B)", err=err)
    if not rung.holds:
        typer.echo(
            f"warning: {name} does not hold; R² of this map is only {number(rung.r2)}", err=True
        )


def write(found: Comparison | Matrix, json_file: str | None, html: Path | None) -> None:
    """Write the result and the page where they are asked for."""
    if json_file:
        save(json.dumps(found.to_dict(), indent=1), json_file)
    if html:
        with progress("writing the page"):
            found.to_html(html)
        typer.echo(f"page      {html.resolve().as_uri()}", err=json_file == "-")
