"""Temporary files that vanish when their owner closes, is collected, or the process exits."""

from __future__ import annotations

import os
import tempfile
import weakref
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._words import bad


class Spool:
    """A temporary file. The one who made it removes it; a pickled copy only knows its path."""

    def __init__(self, suffix: str) -> None:
        handle, path = tempfile.mkstemp(prefix="coset-spool-", suffix=suffix)
        os.close(handle)
        self.path = Path(path)
        self._remove = weakref.finalize(self, _remove, self.path, os.getpid())

    def close(self) -> None:
        """Remove the file now, where it is ours."""
        if self._remove is not None:
            self._remove()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_remove": None}


class RawArray:
    """An array on disk, mapped when needed; picklable as its path."""

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self._spool = Spool(".raw")
        self.shape, self.dtype = shape, np.dtype(dtype)

    @classmethod
    def of(cls, array: NDArray) -> RawArray:
        """An array moved to disk."""
        raw = cls(array.shape, array.dtype)
        array.tofile(raw._spool.path)
        return raw

    def __call__(self) -> NDArray:
        """The array, to read."""
        try:
            return np.memmap(self._spool.path, self.dtype, "r", 0, self.shape)
        except FileNotFoundError:
            raise bad(
                f"the temporary file {self._spool.path} is gone: keep the alignment open while "
                f"its rows are read, and let all workers see the same TMPDIR"
            ) from None

    def writable(self) -> NDArray:
        """The array, to fill."""
        return np.memmap(self._spool.path, self.dtype, "w+", 0, self.shape)

    def close(self) -> None:
        """Remove the file."""
        self._spool.close()


def _remove(path: Path, maker: int) -> None:
    if os.getpid() == maker:  # a forked child shares the object, not the file
        path.unlink(missing_ok=True)
