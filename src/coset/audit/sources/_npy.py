"""`.npy`: mapped, never unpickled."""

from __future__ import annotations

import os
from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._layers import pick
from ._memory import ArraySource
from ._source import Source, float_type
from ._words import bad, unreadable

is_table = False


class Header(NamedTuple):
    """What the first bytes of an `.npy` stream say."""

    shape: tuple[int, ...]
    fortran: bool
    stored: np.dtype[Any]
    size: int
    """Bytes of the header itself: where the data begins."""


def shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """The one array of the file, which has no name."""
    return {"": _header(path).shape}


def open_rows(path: Path, key: str | None, name: str, without: Collection[str] = ()) -> Source:
    """The rows of an `.npy` file; of a stack of layers, the one with this number."""
    header = _header(path)
    part = pick({"": header.shape}, key, name)
    shape = header.shape if part.layer is None else header.shape[1:]
    opener = partial(map_array, path, 0, header, part.layer)
    return ArraySource(opener, shape, header.stored, name)


def read_header(file: IO[bytes], name: str) -> Header:
    """The header at the current place of a binary stream."""
    start = file.tell()
    try:
        version = np.lib.format.read_magic(file)
        if version == (1, 0):
            found = np.lib.format.read_array_header_1_0(file)
        elif version == (2, 0):
            found = np.lib.format.read_array_header_2_0(file)
        else:
            raise bad(f"{name} is .npy version {version}, meant for records; save plain numbers")
    except (ValueError, EOFError, SyntaxError, OSError) as error:
        raise unreadable(name, ".npy", error) from error
    shape, fortran, stored = found
    return Header(shape, fortran, stored, file.tell() - start)


def map_array(path: Path, start: int, header: Header, layer: int | None = None) -> NDArray:
    """The array whose header begins at byte `start` of a file, as a memory map."""
    shape, offset, order = header.shape, start + header.size, "F" if header.fortran else "C"
    array = np.memmap(path, header.stored, "r", offset, shape, order)  # type: ignore[call-overload]
    return array if layer is None else array[layer]


def refuse_short(name: str, size: int, needed: int) -> None:
    """A file that ends before its header says is refused."""
    if size < needed:
        raise bad(
            f"{name} is truncated: its header promises {needed} bytes and it has {size}; "
            f"write or fetch it again"
        )


def data_bytes(header: Header) -> int:
    """Bytes of data that the header promises."""
    return int(np.prod(header.shape, dtype=np.int64)) * header.stored.itemsize


def _header(path: Path) -> Header:
    with open(path, "rb") as file:
        header = read_header(file, str(path))
        float_type(header.stored, str(path))
        refuse_short(str(path), os.fstat(file.fileno()).st_size, header.size + data_bytes(header))
    return header
