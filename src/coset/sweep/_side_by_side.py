"""Many small problems of linear algebra: side by side, with one thread of BLAS each."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar

from .._threads import one_blas_thread, usable_cpus
from ._drive import AHEAD

Item = TypeVar("Item")
Result = TypeVar("Result")

NARROW = 1024
"""Up to this many columns the threads of BLAS gain little, and on a busy machine they lose a
hundredfold: each waits, spinning, for one that is not running."""


def blas_for(width: int) -> AbstractContextManager[None]:
    """The threads of BLAS that pay for matrices of this many columns: one, or all."""
    return one_blas_thread if width <= NARROW else nullcontext()


def side_by_side(
    work: Callable[[Item], Result], items: Iterable[Item], width: int
) -> Iterator[Result]:
    """`map`, in threads where matrices are narrow; items are drawn as they are needed.

    Args:
        work: safe to run in several threads.
        items: drawn in the calling thread, in their order.
        width: columns of the matrices at work.

    Example:
        >>> list(side_by_side(abs, [-1, 2, -3], width=256))
        [1, 2, 3]
    """
    if width > NARROW:
        yield from map(work, items)
        return
    workers = usable_cpus()
    running: deque[Future[Result]] = deque()
    with one_blas_thread, ThreadPoolExecutor(workers, thread_name_prefix="coset") as pool:
        for item in items:
            running.append(pool.submit(work, item))
            if len(running) >= AHEAD * workers:
                yield running.popleft().result()
        while running:
            yield running.popleft().result()
