"""Blocks of rows → one file that is either whole or not there."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..._files import replacing
from ._chunked import CHUNK_BYTES
from ._duckdb import connected, quoted, text
from ._words import bad, listed
from ._zarr import library

Blocks = Iterator[NDArray]
PART_ROWS = 8_192


@dataclass(frozen=True)
class Target:
    """The temporary place of a file, and what will be in it."""

    path: Path
    rows: int
    columns: int
    dtype: np.dtype[Any]
    ids: dict[str, NDArray]
    """Columns that tables put before the numbers."""


def write_rows(
    path: str | os.PathLike[str],
    blocks: Iterable[NDArray],
    *,
    rows: int,
    columns: int,
    dtype: DTypeLike = np.float32,
    ids: Mapping[str, NDArray] | None = None,
) -> None:
    """Write blocks of rows to a file, in the format of its suffix.

    The file appears, or is replaced, when the last block is on disk; when the blocks raise, what
    was there before is untouched.

    Args:
        path: `.npy`, `.safetensors` (the tensor `rows`), `.parquet` (the list column `vector`),
            `.zarr`, or `.csv` (columns c0, c1, …).
        blocks: arrays (k, columns); together they hold `rows` rows.
        rows: how many rows there will be.
        columns: of every block.
        dtype: float16, float32 or float64; tables hold float16 as float32.
        ids: columns of ids (rows,), which Parquet and CSV put before the numbers.

    Example:
        >>> import tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> write_rows(f"{folder.name}/x.npy", [np.ones((2, 3))], rows=2, columns=3)
        >>> np.load(f"{folder.name}/x.npy").shape
        (2, 3)
        >>> folder.cleanup()
    """
    goal, kind = Path(path).expanduser(), np.dtype(dtype)
    writer = WRITERS.get(goal.suffix.lower())
    if writer is None:
        raise bad(f"{goal} cannot be written: choose a name that ends in {listed(WRITERS)}")
    if kind not in (np.float16, np.float32, np.float64):
        raise bad(f"rows are written as float16, float32 or float64, not {kind}: choose one")
    if goal.is_dir() and writer is not _write_zarr:
        raise bad(f"{goal} is a folder: choose another name")
    with replacing(goal) as temporary:
        target = Target(temporary, rows, columns, kind, dict(ids or {}))
        writer(target, _checked(blocks, target, str(goal)))


def _checked(blocks: Iterable[NDArray], target: Target, name: str) -> Blocks:
    seen = 0
    for block in blocks:
        array = np.asarray(block)
        if array.ndim != 2 or array.shape[1] != target.columns:
            raise bad(
                f"a block for {name} has shape {array.shape}; (k, {target.columns}) is needed"
            )
        seen += len(array)
        if seen > target.rows:
            break
        if len(array):
            yield np.ascontiguousarray(array, dtype=target.dtype)
    if seen != target.rows:
        more = "more than" if seen > target.rows else f"{seen} of"
        raise bad(f"the blocks for {name} hold {more} the {target.rows} rows promised")


def _write_npy(target: Target, blocks: Blocks) -> None:
    with open(target.path, "xb") as file:
        header = {
            "descr": np.lib.format.dtype_to_descr(target.dtype),
            "fortran_order": False,
            "shape": (target.rows, target.columns),
        }
        np.lib.format.write_array_header_1_0(file, header)
        for block in blocks:
            file.write(block.data)


def _write_safetensors(target: Target, blocks: Blocks) -> None:
    size = target.rows * target.columns * target.dtype.itemsize
    entry = {
        "dtype": f"F{8 * target.dtype.itemsize}",
        "shape": [target.rows, target.columns],
        "data_offsets": [0, size],
    }
    header = json.dumps({"rows": entry}).encode()
    header += b" " * (-len(header) % 8)
    with open(target.path, "xb") as file:
        file.write(len(header).to_bytes(8, "little") + header)
        for block in blocks:
            file.write(block.data)


def _write_parquet(target: Target, blocks: Blocks) -> None:
    kind, values = _sql_type(target), ", ".join(_columns(target))
    ids = "".join(f"{quoted(name)}, " for name in target.ids)
    group = min(122_880, max(2_048, CHUNK_BYTES // (target.columns * target.dtype.itemsize)))
    with connected() as connection:
        for _ in _registered(connection, target, blocks):
            part = f"SELECT {ids}list_value({values})::{kind}[{target.columns}] AS vector FROM part"
            connection.execute(f"CREATE TEMP TABLE IF NOT EXISTS whole AS {part} LIMIT 0")
            connection.execute(f"INSERT INTO whole {part}").fetchall()
        connection.execute(
            f"COPY whole TO {text(target.path)} "
            f"(FORMAT parquet, ROW_GROUP_SIZE {group}, USE_TMP_FILE false)"
        ).fetchall()


def _write_csv(target: Target, blocks: Blocks) -> None:
    """Each part is formatted by itself: a whole table of many columns would not fit in memory."""
    with connected() as connection, tempfile.TemporaryDirectory() as folder:
        piece = Path(folder, "part.csv")
        with open(target.path, "xb") as file:
            csv.writer(lines := io.StringIO()).writerow([*target.ids, *_columns(target)])
            file.write(lines.getvalue().rstrip().encode() + b"\n")
            for _ in _registered(connection, target, blocks):
                connection.execute(
                    f"COPY (SELECT * FROM part) TO {text(piece)} (FORMAT csv, HEADER false)"
                ).fetchall()
                with open(piece, "rb") as written:
                    shutil.copyfileobj(written, file, 1 << 20)


def _registered(connection: Any, target: Target, blocks: Blocks) -> Iterator[None]:
    """Have a few thousand rows at a time stand as the table `part`, a column per coordinate."""
    dtype = np.float64 if target.dtype == np.float64 else np.float32
    done = 0
    for block in blocks:
        for start in range(0, len(block), PART_ROWS):
            part = np.asfortranarray(block[start : start + PART_ROWS], dtype=dtype)
            columns = {name: held[done : done + len(part)] for name, held in target.ids.items()}
            columns |= {name: part[:, place] for place, name in enumerate(_columns(target))}
            connection.register("part", columns)
            yield
            connection.unregister("part")
            done += len(part)


def _columns(target: Target) -> list[str]:
    """c0, c1, …, under names that no id has taken."""
    names = [f"c{place}" for place in range(target.columns)]
    return [f"vector_{name}" for name in names] if set(names) & set(target.ids) else names


def _sql_type(target: Target) -> str:
    return "DOUBLE" if target.dtype == np.float64 else "FLOAT"


def _write_zarr(target: Target, blocks: Blocks) -> None:
    step = min(target.rows, max(1, (CHUNK_BYTES // 16) // (target.columns * target.dtype.itemsize)))
    store = library().create_array(
        store=target.path,
        shape=(target.rows, target.columns),
        chunks=(step, target.columns),
        dtype=target.dtype,
        config={"write_empty_chunks": True},  # a chunk that is missing means an unfinished write
    )
    start = 0
    for block in _rebatched(blocks, step):
        store[start : start + len(block)] = block
        start += len(block)


def _rebatched(blocks: Blocks, step: int) -> Blocks:
    """The same rows in blocks of `step`, so that each chunk is compressed once."""
    held: list[NDArray] = []
    for block in blocks:
        while len(block):
            room = step - sum(map(len, held))
            held.append(block[:room])
            block = block[room:]
            if sum(map(len, held)) == step:
                yield np.concatenate(held)
                held = []
    if held:
        yield np.concatenate(held)


WRITERS: dict[str, Callable[[Target, Blocks], None]] = {
    ".npy": _write_npy,
    ".safetensors": _write_safetensors,
    ".parquet": _write_parquet,
    ".zarr": _write_zarr,
    ".csv": _write_csv,
}
