"""The engine of processes: a worker that dies costs its tasks a retry, not the rest."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

from .._core import BadInput, State, Task
from .._threads import one_blas_thread
from ._drive import drive
from ._local import refuse_empty
from ._tree import Tree

TRIES = 3
"""How often a task may be at work when a worker dies."""


class WorkerDied(BadInput):
    """A task took its worker with it again and again; `task` is its place, where that is known."""

    task: int | None = None


@dataclass(frozen=True)
class Processes:
    """Processes of this machine, spawned: nothing of this one's locks and threads is copied.

    When one dies, nobody can tell which of the tasks that were handed out it had. All of them are
    handed out again; those that were there twice come last and one at a time, so that the third
    death is certainly that of the task that is named. The other tasks are done first.

    Args:
        workers: how many.
    """

    workers: int

    def map_reduce(
        self,
        work: Callable[[Task], State],
        tasks: Sequence[Task],
        merge: Callable[[State, State], State],
        progress: Callable[[int], None] | None = None,
    ) -> State:
        """The merged state of all tasks; merging happens in this process."""
        tree = Tree(refuse_empty(tasks), merge)
        missing = dict.fromkeys(range(len(tasks)))
        deaths: Counter[int] = Counter()

        def collect(index: int, state: State) -> None:
            tree.add(index, state)
            del missing[index]
            if progress:
                progress(len(tasks) - len(missing))

        with one_blas_thread:
            while left := [index for index in missing if deaths[index] < TRIES]:
                order = [index for index in left if deaths[index] < TRIES - 1] or left[:1]
                handed = self._round(work, tasks, order, collect)
                deaths.update(index for index in handed if index in missing)
                if sum(count >= TRIES for count in deaths.values()) > 1:
                    break  # it is not about one task
        if missing:
            raise _died(next(index for index in missing if deaths[index] >= TRIES))
        return tree.root

    def _round(
        self,
        work: Callable[[Task], State],
        tasks: Sequence[Task],
        order: Sequence[int],
        collect: Callable[[int, State], None],
    ) -> list[int]:
        """Work on these tasks until all are done or a worker dies; returns those handed out."""
        others = set(multiprocessing.active_children())
        handed: list[int] = []
        pool = ProcessPoolExecutor(
            min(self.workers, len(order)),
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_prepare_worker,
        )

        def submit(index: int) -> Future[Any]:
            future = pool.submit(work, tasks[index])
            handed.append(index)
            return future

        try:
            drive(submit, order, self.workers, collect)
        except BrokenProcessPool:
            pass
        except KeyboardInterrupt:
            for child in set(multiprocessing.active_children()) - others:
                child.terminate()
            raise
        finally:
            pool.shutdown(cancel_futures=True)
        return handed


def _died(index: int) -> WorkerDied:
    error = WorkerDied(
        f"a worker process died at work {TRIES} times over (out of memory, killed, or started "
        'by a script without `if __name__ == "__main__":`): give fewer workers (processes:N) '
        "or smaller blocks, or use threads"
    )
    error.task = index
    return error


def _prepare_worker() -> None:
    """A worker dies silently of Ctrl-C, and its BLAS keeps to one thread, loaded now or later."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    one_blas_thread.__enter__()
