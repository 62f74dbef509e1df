"""How far a fit has come, on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Advance = Callable[[int, int], None]
LINES = 10
"""Where there is no terminal and lines were asked for: so many."""


@contextmanager
def bar(what: str, *, verbose: bool | None) -> Iterator[Advance | None]:
    """A bar on a terminal (unless verbose is False), lines elsewhere (if it is True)."""
    if verbose is False or (verbose is None and not sys.stderr.isatty()):
        yield None
    elif not sys.stderr.isatty():
        yield _lines(what)
    else:
        with _drawn(what) as advance:
            yield advance


def _lines(what: str) -> Advance:
    told = 0

    def advance(done: int, total: int) -> None:
        nonlocal told
        if done * LINES // total > told:
            told = done * LINES // total
            print(f"{what}: {done:,} of {total:,} steps", file=sys.stderr, flush=True)

    return advance


@contextmanager
def _drawn(what: str) -> Iterator[Advance]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Remaining())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(f"{what}: compiling", total=None)

        def advance(done: int, total: int) -> None:
            shown.update(task, completed=done, total=total, description=what)

        yield advance
