"""The engines of this machine: one after another, threads, processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

from .._core import BadInput, State, Task
from ._blas import one_blas_thread
from ._tree import Tree

QUEUED = 2
"""Tasks handed out per worker: one at work and one to start without delay."""
AHEAD = 4
"""How far, per worker, a task may run ahead of the oldest unfinished one: it bounds the states."""


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
                _drive(
                    lambda index: pool.submit(climb, index),
                    len(tasks),
                    self.workers,
                    lambda index, nothing: None,
                    progress,
                )
            finally:
                pool.shutdown(cancel_futures=True)
        return tree.root


@dataclass(frozen=True)
class Processes:
    """Processes of this machine, spawned: nothing of this one's locks and threads is copied."""

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
        others = set(multiprocessing.active_children())
        pool = ProcessPoolExecutor(
            min(self.workers, len(tasks)),
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_prepare_worker,
        )
        with one_blas_thread:
            try:
                _drive(
                    lambda index: pool.submit(work, tasks[index]),
                    len(tasks),
                    self.workers,
                    tree.add,
                    progress,
                )
            except BrokenProcessPool:
                raise BadInput(
                    "a worker process died at work (out of memory, killed, or started by a script "
                    'without `if __name__ == "__main__":`): give fewer workers (processes:N) or '
                    "smaller blocks, or use threads"
                ) from None
            except KeyboardInterrupt:
                for child in set(multiprocessing.active_children()) - others:
                    child.terminate()
                raise
            finally:
                pool.shutdown(cancel_futures=True)
        return tree.root


def refuse_empty(tasks: Sequence[Any]) -> int:
    """The number of tasks, where there is one."""
    if not len(tasks):
        raise BadInput("there are no tasks, so there is nothing to merge: give at least one")
    return len(tasks)


def usable_cpus() -> int:
    """CPUs that this process may use: its affinity, and the quota of its container."""
    affinity = getattr(os, "sched_getaffinity", None)
    count = len(affinity(0)) if affinity else os.cpu_count() or 1
    try:
        with open("/sys/fs/cgroup/cpu.max") as file:
            quota, period = file.read().split()
        return max(1, min(count, int(quota) // int(period)))
    except (OSError, ValueError):  # no such file, or "max": no quota
        return count


def _drive(
    submit: Callable[[int], Future[Any]],
    count: int,
    workers: int,
    collect: Callable[[int, Any], None],
    progress: Callable[[int], None] | None,
) -> None:
    """Hand out the tasks in order, a bounded distance ahead; of several errors raise the first.

    At most `AHEAD * workers + log2(count)` states exist at a time, even behind one slow task.

    Ends of tasks come through a queue: `concurrent.futures.wait` holds the locks of all futures for
    a moment, and a Ctrl-C in that moment leaves them locked for ever.
    """
    ended: SimpleQueue[Future[Any]] = SimpleQueue()
    running: dict[Future[Any], int] = {}
    finished: set[int] = set()
    errors: dict[int, BaseException] = {}
    handed = oldest = 0
    while running or handed < count:
        while (
            handed < min(count, oldest + AHEAD * workers)
            and len(running) < QUEUED * workers
            and not errors
        ):
            future = submit(handed)
            running[future] = handed
            future.add_done_callback(ended.put)
            handed += 1
        future = ended.get()
        index = running.pop(future)
        if error := future.exception():
            errors[index] = error
        else:
            collect(index, future.result())
            finished.add(index)
            while oldest in finished:
                oldest += 1
            if progress:
                progress(len(finished))
        if errors and all(index > min(errors) for index in running.values()):
            raise errors[min(errors)]


def _prepare_worker() -> None:
    """A worker dies silently of Ctrl-C, and its BLAS keeps to one thread, loaded now or later."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    one_blas_thread.__enter__()
