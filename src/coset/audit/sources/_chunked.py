"""Rows that decode in chunks: the latest chunk is kept, so reading on costs one decoding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ._source import Source

CHUNK_BYTES = 128 << 20
"""Decoded bytes held at a time."""


class Reader(Protocol):
    """Decodes a range of rows; picklable."""

    def __call__(self, start: int, stop: int) -> NDArray:
        """Rows [start, stop)."""
        ...


class ChunkedSource(Source):
    """Rows that a reader decodes, one chunk after another.

    Args:
        reader: decodes a range of rows.
        natural: where the file's own chunks end, in rows; the last one is the number of rows.
        columns: of every row.
        dtype: of what the reader returns.
        name: for messages.
        on_close: what lets go of the reader's temporary files.
    """

    def __init__(
        self,
        reader: Reader,
        natural: Sequence[int],
        columns: int,
        dtype: np.dtype[Any],
        name: str,
        on_close: Callable[[], None] | None = None,
    ) -> None:
        self.rows, self.columns = int(natural[-1]), columns
        self.dtype, self.name, self.random_access = np.dtype(dtype), name, False
        self._edges = chunk_edges(natural, max(1, CHUNK_BYTES // (columns * self.dtype.itemsize)))
        self._reader, self._on_close = reader, on_close
        self._held: tuple[int, NDArray] | None = None
        self._lock = Lock()

    def _chunk(self, number: int) -> NDArray:
        with self._lock:
            if self._held is None or self._held[0] != number:
                self._held = None  # the old chunk goes before the new one comes
                decoded = self._reader(int(self._edges[number]), int(self._edges[number + 1]))
                self._held = number, decoded
            return self._held[1]

    def _pieces(self, first: int, last: int) -> range:
        low, high = np.searchsorted(self._edges, [first, last], side="right") - 1
        return range(int(low), int(high) + 1)

    def _read(self, start: int, stop: int) -> NDArray:
        parts = []
        for number in self._pieces(start, stop - 1):
            edge = int(self._edges[number])
            parts.append(self._chunk(number)[max(0, start - edge) : stop - edge])
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _take(self, rows: NDArray[np.int64]) -> NDArray:
        out = np.empty((len(rows), self.columns), self.dtype)
        cuts = np.searchsorted(rows, self._edges)
        for number in self._pieces(int(rows[0]), int(rows[-1])):
            low, high = int(cuts[number]), int(cuts[number + 1])
            if low < high:
                out[low:high] = self._chunk(number)[rows[low:high] - self._edges[number]]
        return out

    def close(self) -> None:
        self._held = None
        if self._on_close is not None:
            self._on_close()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_held": None, "_lock": None, "_on_close": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state
        self._lock = Lock()


def chunk_edges(natural: Sequence[int], limit: int) -> NDArray[np.int64]:
    """Edges of chunks of at most `limit` rows: small natural chunks joined, large ones cut evenly.

    Example:
        >>> chunk_edges([10, 20, 60], limit=20).tolist()
        [0, 20, 40, 60]
    """
    edges = [0]
    previous = 0
    for end in natural:
        if end - edges[-1] > limit:
            if previous > edges[-1]:
                edges.append(previous)
            pieces = -(-(end - edges[-1]) // limit)
            if pieces > 1:
                edges += np.linspace(edges[-1], end, pieces + 1).astype(int)[1:].tolist()
        previous = end
    if edges[-1] != previous:
        edges.append(previous)
    return np.asarray(edges, dtype=np.int64)
