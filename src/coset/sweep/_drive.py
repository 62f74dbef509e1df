"""Tasks handed out to workers, and their ends taken in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any

QUEUED = 2
"""Tasks handed out per worker: one at work and one to start without delay."""
AHEAD = 4
"""How far, per worker, a task may run ahead of the oldest unfinished one: it bounds the states."""


def drive(
    submit: Callable[[int], Future[Any]],
    order: Sequence[int],
    workers: int,
    collect: Callable[[int, Any], None],
    progress: Callable[[int], None] | None = None,
) -> None:
    """Hand out the tasks in order, a bounded distance ahead; of several errors raise the first.

    At most `AHEAD * workers + log2(tasks)` states exist at a time, even behind one slow task.

    Ends of tasks come through a queue: `concurrent.futures.wait` holds the locks of all futures for
    a moment, and a Ctrl-C in that moment leaves them locked for ever.
    """
    ended: SimpleQueue[Future[Any]] = SimpleQueue()
    running: dict[Future[Any], int] = {}
    finished: set[int] = set()
    errors: dict[int, BaseException] = {}
    handed = oldest = 0
    while running or handed < len(order):
        while (
            handed < min(len(order), oldest + AHEAD * workers)
            and len(running) < QUEUED * workers
            and not errors
        ):
            future = submit(order[handed])
            running[future] = handed
            future.add_done_callback(ended.put)
            handed += 1
        future = ended.get()
        place = running.pop(future)
        if error := future.exception():
            errors[place] = error
        else:
            collect(order[place], future.result())
            finished.add(place)
            while oldest in finished:
                oldest += 1
            if progress:
                progress(len(finished))
        if errors and all(place > min(errors) for place in running.values()):
            raise errors[min(errors)]
