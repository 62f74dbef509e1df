"""`.safetensors`: mapped at the offsets that its header names, bfloat16 widened block by block.

Mapping gives views without a copy, where the library's own slices copy; its format is eight bytes
of length, a JSON header, and the tensors.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._layers import pick
from ._memory import ArraySource
from ._npy import refuse_short
from ._source import Source
from ._words import bad, unreadable

is_table = False
_STORED = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "BF16": "<u2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "i1",
    "U64": "<u8",
    "U32": "<u4",
    "U16": "<u2",
    "U8": "u1",
    "BOOL": "?",
}
_LARGEST_HEADER = 100_000_000


class Tensor(NamedTuple):
    """A tensor of the file: its type in the format's words, its shape, its first byte."""

    kind: str
    shape: tuple[int, ...]
    start: int


def shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """The tensors of the file."""
    return {name: tensor.shape for name, tensor in _tensors(path).items()}


def open_rows(path: Path, key: str | None, name: str, without: Collection[str] = ()) -> Source:
    """The rows of one tensor."""
    tensors = _tensors(path)
    part = pick({array: tensor.shape for array, tensor in tensors.items()}, key, name)
    tensor = tensors[part.array]
    if tensor.kind not in _STORED:
        raise bad(
            f"{path}#{part.array} is {tensor.kind}, a quantised type whose scale is kept "
            f"elsewhere; floats are needed: convert it to float32 with its scale and save it again"
        )
    wide = tensor.kind == "BF16"
    return ArraySource(
        partial(_map, path, tensor, part.layer),
        tensor.shape if part.layer is None else tensor.shape[1:],
        np.dtype(_STORED[tensor.kind]),
        name,
        decode=_widen if wide else None,
        dtype=np.dtype(np.float32) if wide else None,
    )


def _map(path: Path, tensor: Tensor, layer: int | None) -> NDArray:
    array: NDArray = np.memmap(path, _STORED[tensor.kind], "r", tensor.start, tensor.shape)
    return array if layer is None else array[layer]


def _widen(bits: NDArray) -> NDArray:
    """Bfloat16 is the upper half of float32."""
    wide = bits.astype(np.uint32)
    wide <<= 16
    return wide.view(np.float32)


def _tensors(path: Path) -> dict[str, Tensor]:
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or length > min(size - 8, _LARGEST_HEADER):
            raise unreadable(path, "safetensors", "its header does not fit in it")
        try:
            header = json.loads(file.read(length))
            header.pop("__metadata__", None)
            found = {name: _tensor(entry, 8 + length) for name, entry in header.items()}
            ends = [8 + length + entry["data_offsets"][1] for entry in header.values()]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise unreadable(path, "safetensors", f"its header is damaged ({error})") from error
    refuse_short(str(path), size, max(ends, default=0))
    return found


def _tensor(entry: dict[str, Any], data: int) -> Tensor:
    kind, shape = str(entry["dtype"]), tuple(int(length) for length in entry["shape"])
    first, last = (int(offset) for offset in entry["data_offsets"])
    if first < 0 or min(shape, default=1) < 0:
        raise ValueError("a tensor with a negative place or length")
    if kind in _STORED:
        needed = int(np.prod(shape, dtype=np.int64)) * np.dtype(_STORED[kind]).itemsize
        if last - first != needed:
            raise ValueError(f"a tensor of shape {shape} and type {kind} in {last - first} bytes")
    return Tensor(kind, shape, data + first)
