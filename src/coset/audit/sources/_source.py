"""The contract: rows that can be read in any range, whatever holds them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._words import bad

if TYPE_CHECKING:
    from ._keys import KeyTable


class Source(ABC):
    """Random-access rows of floats.

    A source that came from a path can be pickled: only the path travels, and the other process
    opens the file again when it first reads.
    """

    name: str
    """What to call it in messages and on the page."""
    rows: int
    columns: int
    dtype: np.dtype[Any]
    """The type of what `read` returns: float16, float32 or float64."""
    random_access: bool
    """Whether rows in any order cost about as much as rows in sequence."""
    table: KeyTable | None = None
    """The named columns beside the rows, where there are any: what a join can use."""
    left_out: tuple[str, ...] = ()
    """Columns of whole numbers that are called like keys and were not taken for coordinates."""

    @abstractmethod
    def _read(self, start: int, stop: int) -> NDArray:
        """Rows [start, stop) in whatever type they are stored; the range is valid and not empty."""

    @abstractmethod
    def _take(self, rows: NDArray[np.int64]) -> NDArray:
        """The rows at these increasing places; valid and not empty."""

    def close(self) -> None:  # noqa: B027 - most sources hold nothing
        """Let go of temporary files."""

    def release(self, start: int, stop: int) -> None:  # noqa: B027 - most sources hold nothing
        """Let rows [start, stop) leave memory where they are mapped; they can be read again.

        A pass over a mapped file would otherwise end with all of the file resident.
        """

    def read(self, start: int, stop: int) -> NDArray:
        """Rows [start, stop), C-contiguous, a view of the memory map where that is possible.

        Values are not checked to be finite. A range past the end is refused, never cut short.

        Returns:
            Array (stop - start, columns) of `dtype`.
        """
        if not 0 <= start <= stop <= self.rows:
            raise bad(
                f"{self.name} has {self.rows} rows; rows {start} to {stop} were asked for: "
                f"keep 0 <= start <= stop <= {self.rows}"
            )
        if start == stop:
            return np.empty((0, self.columns), self.dtype)
        return np.require(self._read(start, stop), self.dtype, ["C", "A", "E"])

    def take(self, rows: ArrayLike) -> NDArray:
        """The rows at these places, in the order given; increasing places are the fast way.

        Args:
            rows: integers (k,), each in [0, rows).

        Returns:
            Array (k, columns) of `dtype`.
        """
        places = np.asarray(rows)
        if places.ndim != 1 or (places.size and places.dtype.kind not in "iu"):
            raise bad(f"row numbers of {self.name} must be a flat array of integers")
        if not places.size:
            return np.empty((0, self.columns), self.dtype)
        places = places.astype(np.int64, copy=False)
        if places.min() < 0 or places.max() >= self.rows:
            raise bad(
                f"{self.name} has {self.rows} rows; row {places.min()} to {places.max()} were "
                f"asked for: row numbers start at 0 and end at {self.rows - 1}"
            )
        if self.random_access or bool((places[1:] >= places[:-1]).all()):
            return np.require(self._take(places), self.dtype, ["C", "A", "E"])
        order = np.argsort(places, kind="stable")
        out = np.empty((len(places), self.columns), self.dtype)
        out[order] = self._take(places[order])
        return out

    def __len__(self) -> int:
        return self.rows

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name}: {self.rows} x {self.columns} {self.dtype})"


def float_type(stored: np.dtype[Any], name: str) -> np.dtype[Any]:
    """The type in which rows of a stored type are read; what holds no real numbers is refused."""
    if stored.kind == "f" and stored.itemsize <= 8:
        return stored.newbyteorder("=")
    if stored.kind in "iubf":
        return np.dtype(np.float64)
    if stored.kind == "c":
        raise bad(f"{name} is complex ({stored}); stack real and imaginary parts as columns")
    if stored.kind == "O":
        raise bad(
            f"{name} holds Python objects, which can run code when loaded and are never opened; "
            f"plain numbers are needed: save it as a float array with numpy.save"
        )
    if stored.kind == "V" and stored.itemsize == 2 and stored.names is None:
        raise bad(
            f"{name} holds nameless 2-byte values (numpy.save drops the name of bfloat16); "
            f"save it as float32, or as safetensors, which keeps bfloat16"
        )
    raise bad(f"{name} holds {stored} values; numbers are needed: save it as a float array")
