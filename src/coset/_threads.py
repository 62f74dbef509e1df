"""How many threads there may be, and one of BLAS: a product has the same bits everywhere."""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import Lock
from types import TracebackType
from typing import Any, TypeVar

# SciPy brings a BLAS of its own; it must be loaded before it can be limited
import scipy.linalg  # noqa: F401
from threadpoolctl import threadpool_limits

Result = TypeVar("Result")


class _OneBlasThread:
    """Limits every loaded BLAS to one thread for as long as anybody is inside.

    The limit belongs to the process, not to a thread: the first to enter sets it, the last to leave
    puts back what was there, so that overlapping users cannot leave it changed.

    Example:
        >>> with one_blas_thread:
        ...     pass
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._limits: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._limits = threadpool_limits(limits=1, user_api="blas")
            self._inside += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._limits.restore_original_limits()


one_blas_thread = _OneBlasThread()


def with_one_blas_thread(function: Callable[..., Result], *args: Any) -> Result:
    """Call a function inside the limit: what is sent to another process is this.

    Example:
        >>> with_one_blas_thread(max, 2, 3)
        3
    """
    with one_blas_thread:
        return function(*args)


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
