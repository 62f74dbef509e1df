"""What commands share: options, files, progress."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .._core import BadInput

if TYPE_CHECKING:
    from rich.console import Console

HtmlFile = Annotated[Path | None, typer.Option("--html", help="Write the page here.")]
JsonFile = Annotated[
    str | None, typer.Option("--json", help="Write the result here; - prints it and nothing else.")
]
UNCUT = 200
"""Columns of what is no terminal."""


def console_for(*, err: bool) -> Console:
    """Where people read: a file or a pipe has no edge."""
    from rich.console import Console

    console = Console(highlight=False, stderr=err)
    if not console.is_terminal:
        console.width = max(console.width, UNCUT)
    return console


def refuse_unwritable(*targets: Path | None) -> None:
    """Before the work, not after it: and before one file is written and the next is not."""
    for target in filter(None, targets):
        folder = next(place for place in target.absolute().parents if place.exists())
        if target.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
            raise BadInput(f"{target} cannot be written; give a file in a folder of yours")


def save(text: str, target: str) -> None:
    """Write a text to a file; - is the terminal."""
    if target == "-":
        typer.echo(text)
        return
    from .._files import write_whole

    write_whole(target, (text + "\n").encode())


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr, where someone looks."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(what, total=None)

        def advance(done: int, total: int) -> None:
            ended = done >= total
            bar.update(
                task,
                completed=done,
                total=None if ended else total,  # then it only shows that work goes on
                description="working it out" if ended else what,
            )

        yield advance
