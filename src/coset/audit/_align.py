"""The map itself, and moving embeddings across it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arrays import refuse_nonfinite
from .._core import BadInput
from ..groups import FittedMap, group, load_map
from ._compare import compare
from .sources import Source, keyed, open_source, write_rows

BLOCK_BYTES = 32 * 2**20
FLOATS = ("float16", "float32", "float64")


def align(a: Any, b: Any, *, group: str = "affine", **options: Any) -> FittedMap:
    """Fit the map of one group from a to b on all rows; its held-out score comes along.

    Args:
        a: as in `compare`.
        b: as in `compare`.
        group: a group of the ladder.
        options: those of `compare`.

    Example:
        >>> rows = np.random.default_rng(0).normal(size=(200, 3))
        >>> turn = align(rows, rows[:, ::-1], group="orthogonal")
        >>> bool(np.allclose(turn(rows), rows[:, ::-1])), f"{turn.about['r2']:.3f}"
        (True, '1.000')
    """
    known(group)
    rungs = compare(a, b, **options).groups
    if group not in rungs:
        raise BadInput(f"{group} needs sampled rows; leave sample at its default")
    return rungs[group].map


def known(name: str) -> None:
    """Refuse a name that is not on the ladder."""
    group(name)


def apply(
    fitted: FittedMap | str | os.PathLike[str],
    source: Any,
    out: str | os.PathLike[str],
    *,
    inverse: bool = False,
    key: str | None = None,
    on: str | None = None,
    dtype: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[int, int]:
    """Move embeddings across a map in blocks; memory does not grow with the number of rows.

    Args:
        fitted: a map, or the path of one.
        source: rows of a (of b with `inverse`), as in `compare`.
        out: file to write; its ending names the format.
        inverse: go from b to a.
        key: which array of a container, or the vector column of a table.
        on: column of ids in a table: no coordinate, and carried along where `out` is a table too.
        dtype: of the output; by default that of the source.
        progress: called with (rows done, rows in all).

    Returns:
        Rows and columns written.
    """
    carry = fitted if isinstance(fitted, FittedMap) else load_map(fitted)
    move = carry.inverse if inverse else carry
    with ExitStack() as opened:
        rows, ids = _rows_and_ids(opened, source, key, on, out)
        columns = move(rows.read(0, 1)).shape[1]
        kind = _float_type(dtype) if dtype else rows.dtype
        size = max(1, BLOCK_BYTES // (8 * max(rows.columns, columns)))

        def blocks() -> Iterator[NDArray]:
            for start in range(0, rows.rows, size):
                stop = min(start + size, rows.rows)
                block = rows.read(start, stop)
                refuse_nonfinite(block, rows.name, start)
                with np.errstate(over="ignore"):
                    moved = move(block).astype(kind)
                _refuse_overflow(moved, rows.name, start)
                yield moved
                if progress:
                    progress(stop, rows.rows)

        write_rows(out, blocks(), rows=rows.rows, columns=columns, dtype=kind, ids=ids)
        return rows.rows, columns


def _rows_and_ids(
    opened: ExitStack, x: Any, key: str | None, on: str | None, out: str | os.PathLike[str]
) -> tuple[Source, dict[str, NDArray]]:
    source = opened.enter_context(open_source(x, key=key))
    if on is None:
        return source, {}
    side = keyed(source, on)
    assert side.table is not None
    is_table = str(out).lower().endswith((".parquet", ".csv"))
    return opened.enter_context(side.source), {on: side.table.ids(on)} if is_table else {}


def _float_type(name: str) -> np.dtype[Any]:
    if name not in FLOATS:
        raise BadInput(f"dtype {name!r} is not possible; use {', '.join(FLOATS)}")
    return np.dtype(name)


def _refuse_overflow(moved: NDArray, name: str, first: int) -> None:
    if not np.isfinite(moved).all():
        row = int(np.argwhere(~np.isfinite(moved))[0][0])
        raise BadInput(
            f"row {first + row} of {name}, moved, is too large for {moved.dtype}; every value must "
            f"be finite: write a wider type (--dtype float64), or divide such rows"
        )
