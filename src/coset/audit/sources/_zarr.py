"""Zarr, version 2 or 3: an array, or a group of arrays. Needs `pip install 'coset[zarr]'`."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._chunked import ChunkedSource
from ._layers import pick
from ._memory import matrix_shape
from ._source import Source, float_type
from ._words import bad, unreadable

is_table = False
_MARKS = ("zarr.json", ".zarray", ".zgroup", ".zmetadata")


def is_store(path: Path) -> bool:
    """Whether a folder is a Zarr store rather than a folder of shards."""
    return any((path / mark).is_file() for mark in _MARKS)


def shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """The arrays of the store, nested ones by their path in it."""
    return {name: array.shape for name, array in _arrays(path).items()}


def open_rows(path: Path, key: str | None, name: str, without: Collection[str] = ()) -> Source:
    """The rows of one array of the store."""
    arrays = _arrays(path)
    part = pick({array: found.shape for array, found in arrays.items()}, key, name)
    array = arrays[part.array]
    _refuse_unfinished(array, name)
    shape, chunk = array.shape, array.shards or array.chunks
    if part.layer is not None:
        shape, chunk = shape[1:], chunk[1:]
    rows, columns = matrix_shape(shape, name)
    dtype = float_type(array.dtype, name)
    reader = _ZarrReader(path, part.array, part.layer, columns, dtype)
    natural = [*range(chunk[0], rows, chunk[0]), rows]
    return ChunkedSource(reader, natural, columns, dtype, name)


class _ZarrReader:
    """Reads ranges of rows of one array, opened when first needed."""

    def __init__(
        self, path: Path, array: str, layer: int | None, columns: int, dtype: np.dtype[Any]
    ) -> None:
        self._path, self._array, self._layer = path, array, layer
        self._columns, self._dtype = columns, dtype
        self._open: Any = None

    def __call__(self, start: int, stop: int) -> NDArray:
        try:
            if self._open is None:
                self._open = _arrays(self._path)[self._array]
            rows = slice(start, stop)
            block = self._open[rows if self._layer is None else (self._layer, rows)]
        except Exception as error:  # codecs raise whatever they like
            raise unreadable(self._path, "Zarr", error) from error
        return np.asarray(block, self._dtype).reshape(-1, self._columns)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_open": None}


def _arrays(path: Path) -> dict[str, Any]:
    zarr = library()
    try:
        store = zarr.open(path, mode="r")
        if isinstance(store, zarr.Array):
            return {"": store}
        members = store.members(max_depth=None)
        return {name: found for name, found in members if isinstance(found, zarr.Array)}
    except Exception as error:  # the library raises many kinds
        raise unreadable(path, "Zarr", error) from error


def library() -> Any:
    """The zarr package, or what to install."""
    try:
        import zarr
    except ImportError:
        raise bad(
            "a Zarr store was given and the zarr package is not here: pip install 'coset[zarr]'"
        ) from None
    return zarr


def _refuse_unfinished(array: Any, name: str) -> None:
    """Chunks that are not there would read as zeros."""
    if array.nchunks_initialized < array.nchunks:
        raise bad(
            f"{name} has {array.nchunks_initialized} of its {array.nchunks} chunks and would read "
            f"as zeros elsewhere; whole stores are needed: write it again, and if those are zeros "
            f"on purpose, with zarr's write_empty_chunks"
        )
