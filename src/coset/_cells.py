"""Cells → their runs: over an engine, kept in a store, each computed once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ._claim import Cell, Run
from ._core import BadInput, Engine
from ._fingerprint import code_fingerprint, fingerprint
from .sweep import Store, WorkerDied, as_stored

Tell = Callable[[str, int, int], None]
"""Called with (what is at work, parts done, parts in all)."""
CELLS = "cells"
"""What is at work when whole cells are counted."""


@dataclass(frozen=True)
class Planned:
    """A cell that is to be run, or that has been."""

    fingerprint: str
    name: str
    """The claim and the case that ask for it first."""
    cell: Cell


def planned(name: str, cell: Cell, seeds: tuple[int, ...]) -> Planned:
    """A cell with the fingerprint of itself, its seeds and the code that runs it."""
    return Planned(fingerprint((cell, seeds, code_fingerprint())), name, cell)


def run_cells(
    cells: Mapping[str, Planned],
    seeds: tuple[int, ...],
    engine: Engine,
    store: Store | None = None,
    tell: Tell | None = None,
) -> dict[str, Run]:
    """The run of every cell by its fingerprint, whoever computed it and whenever.

    What the store holds is not run again; what is finished is stored at once, by the worker, so
    that whatever stops the rest takes nothing of it away. Without a common file system the runs of
    a cluster are stored here when all of them are done.

    Args:
        cells: by fingerprint.
        seeds: of every run.
        engine: what works on them.
        store: where runs are kept.
        tell: told of cells done, and of steps where the engine works in this process.
    """
    kept = {name: store.get(name) for name in cells} if store else {}
    found = {name: run for name, run in kept.items() if run is not None}
    missing = [cell for name, cell in cells.items() if name not in found]
    before = len(found)

    def advance(done: int) -> None:
        if tell:
            tell(CELLS, before + done, len(cells))

    advance(0)
    if missing:
        try:
            new = engine.map_reduce(_Work(seeds, store, tell), missing, _both, advance)
        except WorkerDied as error:
            if error.task is None:
                raise
            raise BadInput(f"{missing[error.task].name}: {error}") from None
        for name, run in new.items():
            if store:
                store.put(name, run)
        found |= new
    return {name: Run.from_dict(found[name]) for name in cells}


@dataclass(frozen=True)
class _Work:
    """Runs a cell and stores its run; what it says of its progress stays in this process."""

    seeds: tuple[int, ...]
    store: Store | None
    tell: Tell | None

    def __call__(self, planned: Planned) -> dict[str, dict[str, Any]]:
        name, store = planned.fingerprint, self.store
        run = store.get(name) if store else None  # somebody else may have been faster
        if run is None:
            folder = store.checkpoints(name) if store else None
            done = planned.cell.run(self.seeds, folder=folder, progress=self._progress(planned))
            run = as_stored({**done.to_dict(), "cell": name})
            if store:
                store.put(name, run)
                run = store.get(name) or run
        return {name: run}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "tell": None}

    def _progress(self, planned: Planned) -> Callable[[int, int], None] | None:
        tell = self.tell
        return (lambda done, total: tell(planned.name, done, total)) if tell else None


def _both(
    left: dict[str, dict[str, Any]], right: dict[str, dict[str, Any]]
) -> dict[str, dict[str, Any]]:
    return left | right
