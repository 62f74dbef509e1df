"""Rows that are, or can be mapped as, one NumPy array; and frames of named columns."""

from __future__ import annotations

import mmap
from collections.abc import Callable, Collection
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._arrays import as_rows
from ..._core import BadInput
from ._keys import ArrayKeys, coordinates
from ._source import Source, float_type
from ._words import bad, listed, near

TAKEN_ROWS = 128
"""Scattered rows that are taken at a time: with each, the system maps up to megabytes around it."""


class ArraySource(Source):
    """Rows of an array that `opener` gives when it is first needed.

    Args:
        opener: picklable; returns the array (rows, columns), or (rows,) for a single column.
        shape: what the opener will return.
        stored: the type in which it is stored.
        decode: turns a block of stored values into floats, where NumPy alone cannot.
        dtype: the type of decoded values; by default what `stored` becomes.
    """

    def __init__(
        self,
        opener: Callable[[], NDArray],
        shape: tuple[int, ...],
        stored: np.dtype[Any],
        name: str,
        decode: Callable[[NDArray], NDArray] | None = None,
        dtype: np.dtype[Any] | None = None,
    ) -> None:
        self.rows, self.columns = matrix_shape(shape, name)
        self.dtype = float_type(stored, name) if dtype is None else dtype
        self.name, self.random_access = name, True
        self._opener, self._decode = opener, decode
        self._array: NDArray | None = None

    def _opened(self) -> NDArray:
        if self._array is None:
            self._array = self._opener()
        return self._array

    def _floats(self, block: NDArray) -> NDArray:
        block = block.reshape(len(block), self.columns)
        return block if self._decode is None else self._decode(np.ascontiguousarray(block))

    def _read(self, start: int, stop: int) -> NDArray:
        return self._floats(self._opened()[start:stop])

    def _take(self, rows: NDArray[np.int64]) -> NDArray:
        array = self._opened()
        if not _can_leave(array):
            return self._floats(array[rows])
        taken = np.empty((len(rows), *array.shape[1:]), array.dtype)
        for start in range(0, len(rows), TAKEN_ROWS):
            here = rows[start : start + TAKEN_ROWS]
            taken[start : start + TAKEN_ROWS] = array[here]
            self.release(here.min(), here.max() + 1)
        return self._floats(taken)

    def release(self, start: int, stop: int) -> None:
        """Let mapped rows leave memory."""
        array = self._array
        if array is not None and _can_leave(array):
            pages: mmap.mmap = array._mmap  # type: ignore[attr-defined]
            base = np.frombuffer(pages, np.uint8, 1).ctypes.data
            low, high = (end - base for end in np.lib.array_utils.byte_bounds(array[start:stop]))
            low -= low % mmap.PAGESIZE
            pages.madvise(mmap.MADV_DONTNEED, low, high - low)

    def close(self) -> None:
        self._array = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_array": None}


def _can_leave(array: NDArray) -> bool:
    """Is this a mapped file that nobody writes to, on a system that lets its pages go?"""
    return isinstance(array, np.memmap) and array.mode == "r" and hasattr(mmap, "MADV_DONTNEED")


def matrix_shape(shape: tuple[int, ...], name: str) -> tuple[int, int]:
    """(rows, columns) of an array of this shape; a flat array is one column."""
    if len(shape) == 3:
        raise bad(
            f"{name} has shape {shape}: a stack of {shape[0]} layers; one layer is needed: choose "
            f"it by number, 0 to {shape[0] - 1}, with PATH#NUMBER (or the key option)"
        )
    if len(shape) not in (1, 2):
        raise bad(
            f"{name} has shape {shape}; rows of numbers are needed (n, columns): "
            f"flatten or pool the other axes first"
        )
    rows, columns = (*shape, 1)[:2]
    if rows == 0 or columns == 0:
        raise bad(f"{name} has shape {shape}: there is nothing in it to compare")
    return rows, columns


def from_memory(x: Any, name: str, key: str | None = None, without: Collection[str] = ()) -> Source:
    """A source over anything that becomes an array, or over a frame of named columns."""
    if _is_frame(x):
        return _from_frame(x, name, key, without)
    if isinstance(x, list | tuple) and len({np.shape(item) for item in x}) > 1:
        raise bad(
            f"{name} is a list of {len(x)} arrays of different shapes; one array is needed: "
            f"choose a layer, or pass paths to read them as shards"
        )
    if key is not None:
        array = np.asarray(x)
        if array.ndim != 3 or not key.isdecimal() or int(key) >= len(array):
            raise bad(
                f"{name} is an array in memory and has no part {key!r}: pass that part itself"
            )
        x = array[int(key)]
    elif np.ndim(x) == 3:
        matrix_shape(np.shape(x), name)
    return array_source(_rows(x, name), name)


def array_source(array: NDArray, name: str) -> Source:
    """A source over an array at hand."""
    return ArraySource(partial(_same, array), array.shape, array.dtype, name)


def _same(array: NDArray) -> NDArray:
    return array


def _rows(x: Any, name: str) -> NDArray:
    try:
        return as_rows(x, name)
    except BadInput as error:
        raise bad(str(error)) from None


def _is_frame(x: Any) -> bool:
    return hasattr(x, "columns") and hasattr(x, "dtypes") and hasattr(x, "__getitem__")


def _from_frame(x: Any, name: str, key: str | None, without: Collection[str]) -> Source:
    columns = {str(column): column for column in x.columns}
    values = {shown: np.asarray(x[column]) for shown, column in columns.items()}
    if key is not None and key not in values:
        raise bad(f"{name} has no column {key!r}{near(key, values)}; it has {listed(values)}")
    vectors = [key] if key is not None else [c for c, v in values.items() if _is_vector(v)]
    numeric, left_out = coordinates({
        column: value.dtype.kind in "iu"
        for column, value in values.items()
        if value.dtype.kind in "iubf" and column not in without
    })  # fmt: skip
    if len(vectors) > 1:
        raise bad(f"{name} has {len(vectors)} vector columns: {listed(vectors)}; choose one by key")
    if vectors:
        chosen = values[vectors[0]]
        try:
            rows = _rows(np.stack(list(chosen)) if chosen.dtype == object else chosen, name)
        except ValueError as error:
            raise bad(
                f"column {vectors[0]!r} of {name} is not one vector per row ({error}); "
                f"give every row a vector of the same length"
            ) from None
    elif numeric:
        rows = np.column_stack([values[column] for column in numeric])
    else:
        raise bad(f"{name} has no numeric column besides {listed(without) or 'text'}: add vectors")
    source = array_source(rows, name)
    source.table = ArrayKeys(name, values, partial(from_memory, x, name, key))
    source.left_out = () if vectors else left_out
    return source


def _is_vector(column: NDArray) -> bool:
    return column.ndim == 2 or (
        column.dtype == object and len(column) > 0 and isinstance(column[0], list | np.ndarray)
    )
