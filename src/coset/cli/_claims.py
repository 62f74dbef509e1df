"""coset claims and coset verify."""

from __future__ import annotations

import json
import shlex
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .._core import BadInput
from ._app import app
from ._shared import HtmlFile, JsonFile, console_for, progress, refuse_unwritable, save
from ._verdicts import print_claim, print_claims, print_verification

if TYPE_CHECKING:
    from .._claim import Scale


@app.command()
def claims(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help="One in full: its cases, bounds and published numbers."
        ),
    ] = None,
) -> None:
    """The theorems that can be run: all of them, or one in full."""
    from .._verify import chosen

    found = chosen(name)
    console = console_for(err=False)
    if name is None or len(found) > 1:
        print_claims(console, found)
    else:
        print_claim(console, found[0])


@app.command()
def verify(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME ...", help="Claims or papers, as `coset claims` lists them."),
    ] = None,
    *,
    every: Annotated[bool, typer.Option("--all", help="All claims.")] = False,
    scale: Annotated[
        str, typer.Option(help="smoke (seconds), small (minutes) or paper (its own size).")
    ] = "small",
    seeds: Annotated[int, typer.Option(help="How many; each is a world and a model.")] = 3,
    engine: Annotated[
        str,
        typer.Option(help="serial, threads, processes or dask://HOST:PORT: who works on cells."),
    ] = "serial",
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder of runs, results and page; what it holds already is not run again.",
        ),
    ] = None,
    json_file: JsonFile = None,
    html: HtmlFile = None,
) -> None:
    """Run theorems: worlds that meet their assumptions, controls that break one, a verdict.

    Exit code 0 where every claim is supported, 1 where one is refuted or uninformative.
    """
    from .._verification import PAGE, RESULTS
    from .._verify import chosen, run_claims

    if bool(names) == every:
        raise BadInput("give the names of claims (`coset claims` lists them), or --all")
    found = chosen(names or None)
    quiet = json_file == "-"
    refuse_unwritable(html, None if json_file in (None, "-") else Path(str(json_file)))
    if out is not None:
        refuse_unwritable(out / RESULTS)
    try:
        with _bars() as tell, _said():
            verification = run_claims(
                found,
                scale=_scale(scale),
                seeds=seeds,
                engine=engine,
                out=out,
                progress=tell,
                command=shlex.join(["coset", *sys.argv[1:]]),
            )
    except KeyboardInterrupt:
        if out is not None:
            typer.echo(f"{out} keeps what is finished; the same command goes on", err=True)
        raise
    print_verification(console_for(err=quiet), verification)
    if json_file:
        save(json.dumps(verification.to_dict(), indent=1), json_file)
    if html:
        with progress("writing the page"):
            verification.to_html(html)
    page = html or (out / PAGE if out else None)
    if page:
        typer.echo(f"page      {page.resolve().as_uri()}", err=quiet)
    if not verification.ok:
        raise typer.Exit(1)


def _scale(text: str) -> Scale:
    from .._claim import SCALES

    for known in SCALES:
        if text == known:
            return known
    raise BadInput(f"--scale {text}: possible are {', '.join(SCALES)}")


@contextmanager
def _said() -> Iterator[None]:
    """Warnings as sentences, without the line of ours that they come from."""

    def show(message: Warning | str, *rest: Any, **more: Any) -> None:
        typer.echo(f"warning: {message}", err=True)

    with warnings.catch_warnings():
        warnings.showwarning = show  # its keyword arguments are of no use here
        yield


@contextmanager
def _bars() -> Iterator[Callable[[str, int, int], None]]:
    """A bar for the cells, and one for each that is at work, on stderr, where someone looks."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeElapsedColumn as Elapsed

    from .._cells import CELLS

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Elapsed())
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as shown:
        bars = {CELLS: shown.add_task(CELLS, total=None)}

        def tell(what: str, done: int, total: int) -> None:
            if what not in bars:
                bars[what] = shown.add_task(what, total=total)
            ended = what != CELLS and done >= total
            shown.update(bars[what], completed=done, total=total, visible=not ended)

        yield tell
