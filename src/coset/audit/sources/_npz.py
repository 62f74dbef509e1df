"""`.npz`: members stored plainly are mapped, compressed ones are loaded whole."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Collection
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ._layers import pick
from ._memory import ArraySource
from ._npy import Header, data_bytes, map_array, read_header, refuse_short
from ._source import Source
from ._words import unreadable

is_table = False
_LOCAL_HEADER = 30  # bytes of a member's own header, before its name and extra field
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError)


def shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """The arrays of the archive; those without numbers only when there is nothing else."""
    headers = _headers(path)
    numbers = {array: header for array, header in headers.items() if header.stored.kind in "iubf"}
    return {array: header.shape for array, header in (numbers or headers).items()}


def open_rows(path: Path, key: str | None, name: str, without: Collection[str] = ()) -> Source:
    """The rows of one array of the archive."""
    headers = _headers(path)
    part = pick(
        shapes(path) if key is None else {array: h.shape for array, h in headers.items()}, key, name
    )
    header = headers[part.array]
    shape = header.shape if part.layer is None else header.shape[1:]
    opener = partial(_load, path, part.array, header, part.layer)
    return ArraySource(opener, shape, header.stored, name)


def _headers(path: Path) -> dict[str, Header]:
    try:
        with zipfile.ZipFile(path) as archive:
            headers = {}
            for member in archive.infolist():
                if member.filename.endswith(".npy"):
                    with archive.open(member) as file:
                        name = member.filename.removesuffix(".npy")
                        headers[name] = header = read_header(file, f"{path}#{name}")
                        needed = header.size + data_bytes(header)
                        if header.stored.kind != "O":
                            refuse_short(f"{path}#{name}", member.file_size, needed)
            return headers
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError) as error:
        raise unreadable(path, ".npz", error) from error


def _load(path: Path, array: str, header: Header, layer: int | None) -> NDArray:
    try:
        with zipfile.ZipFile(path) as archive:
            member = archive.getinfo(f"{array}.npy")
            if member.compress_type == zipfile.ZIP_STORED:
                start = _data_start(path, member.header_offset)
                return map_array(path, start, header, layer)
            with archive.open(member) as file:
                loaded: NDArray = np.lib.format.read_array(file, allow_pickle=False)
                return loaded if layer is None else loaded[layer]
    except _BROKEN as error:
        raise unreadable(f"{path}#{array}", ".npz", error) from error


def _data_start(path: Path, member: int) -> int:
    with open(path, "rb") as file:
        file.seek(member + 26)
        lengths = np.frombuffer(file.read(4), "<u2")
    return member + _LOCAL_HEADER + int(lengths.sum(dtype=np.int64))
