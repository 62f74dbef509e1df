"""The engines of this process: one task after another, or threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from .._core import BadInput, State, Task
from .._threads import one_blas_thread
from ._drive import drive
from ._tree import Tree


@dataclass(frozen=True)
class Serial:
    """One task after another, in the calling thread."""

    def map_reduce(
        self,
        work: Callable[[Task], State],
        tasks: Sequence[Task],
        merge: Callable[[State, State], State],
        progress: Callable[[int], None] | None = None,
    ) -> State:
        """The merged state of all tasks."""
        tree = Tree(refuse_empty(tasks), merge)
        with one_blas_thread:
            for index, task in enumerate(tasks):
                tree.add(index, work(task))
                if progress:
                    progress(index + 1)
        return tree.root


@dataclass(frozen=True)
class Threads:
    """Threads of this process; NumPy lets them run side by side."""

    workers: int

    def map_reduce(
        self,
        work: Callable[[Task], State],
        tasks: Sequence[Task],
        merge: Callable[[State, State], State],
        progress: Callable[[int], None] | None = None,
    ) -> State:
        """The merged state of all tasks; merging happens in the threads too."""
        tree = Tree(refuse_empty(tasks), merge)

        def climb(index: int) -> None:
            tree.add(index, work(tasks[index]))

        pool = ThreadPoolExecutor(self.workers, thread_name_prefix="coset")
        with one_blas_thread:
            try:
                drive(
                    lambda index: pool.submit(climb, index),
                    range(len(tasks)),
                    self.workers,
                    lambda index, nothing: None,
                    progress,
                )
            finally:
                pool.shutdown(cancel_futures=True)
        return tree.root


def refuse_empty(tasks: Sequence[Any]) -> int:
    """The number of tasks, where there is one."""
    if not len(tasks):
        raise BadInput("there are no tasks, so there is nothing to merge: give at least one")
    return len(tasks)
