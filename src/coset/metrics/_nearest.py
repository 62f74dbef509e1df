"""The nearest rows of an index, exactly, by blocks of matrix products."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .._arrays import as_matrix, refuse_unequal
from .._core import BadInput, Floats
from ._checks import refuse_faint, whole_number
from ._pairs import squared_distances, squared_norms

Metric = Literal["cosine", "euclidean"]
Indices = NDArray[np.intp]

_BLOCK = 2**23
"""Distances held at a time (64 MiB)."""
_SAME = 2.0**-40
"""Distances closer than this, relatively, tie: an order of rounding errors is no order."""


def neighbours(
    queries: Any,
    index: Any,
    k: int = 10,
    metric: Metric = "cosine",
    *,
    exclude_self: bool | Any = False,
) -> Indices:
    """The k nearest rows of the index for every query, nearest first: (m, p), (n, p) -> (m, k).

    Exact, in float64, by blocks of matrix products: memory is that of a block of distances.
    Distances that differ by less than 1e-12 of themselves are ties, and go to the earlier row.

    Args:
        queries: rows that search (m, p).
        index: rows that are searched (n, p).
        k: neighbours per query.
        metric: "cosine" or "euclidean".
        exclude_self: True where query i is row i of the index, which is then never its neighbour
            (a duplicate of it may be); or the row of the index that each query is (m,), -1 for
            none.

    Example:
        >>> neighbours([[0.9], [4]], [[0], [1], [2], [4]], 2, "euclidean")
        array([[1, 0], [3, 2]])
    """
    index = as_matrix(index, "index")
    queries = index if queries is index else as_matrix(queries, "queries")
    if queries.shape[1] != index.shape[1]:
        raise BadInput(
            f"queries have {queries.shape[1]} columns and the index {index.shape[1]}: carry the "
            f"queries over to the space of the index first"
        )
    own = _own_rows(len(queries), len(index), exclude_self=exclude_self)
    available = len(index) - (own is not None)
    if not 1 <= whole_number(k, "k", 1) <= available:
        raise BadInput(f"k={k} neighbours of {available} other rows; give k from 1 to {available}")
    queries, index, squared_q, squared_i = _prepared(queries, index, metric)
    out = np.empty((len(queries), k), dtype=np.intp)
    for rows in _blocks(len(queries), len(index)):
        distances = squared_distances(queries[rows], index, squared_q[rows], squared_i)
        _snap(distances, squared_q[rows])
        if own is not None:
            known = np.flatnonzero(own[rows] >= 0)
            distances[known, own[rows][known]] = np.inf
        out[rows] = _smallest(distances, k)
    return out


def _own_rows(m: int, n: int, *, exclude_self: bool | Any) -> Indices | None:
    if exclude_self is False:
        return None
    if exclude_self is True:
        refuse_unequal(m, n, ("queries", "index"))
        return np.arange(m)
    own = np.asarray(exclude_self)
    if own.shape != (m,) or own.dtype.kind not in "iu" or own.min() < -1 or own.max() >= n:
        raise BadInput(
            f"exclude_self has shape {own.shape} and type {own.dtype}; give True, or for each of "
            f"the {m} queries its row in the index (0 to {n - 1}), -1 for none"
        )
    return own.astype(np.intp)


def _prepared(queries: Floats, index: Floats, metric: str) -> tuple[Floats, Floats, Floats, Floats]:
    """Both sides so that squared distances order as the metric does."""
    if metric == "euclidean":
        refuse_faint(index)
        centre = index.mean(axis=0)
        queries, index = queries - centre, index - centre
        return queries, index, squared_norms(queries), squared_norms(index)
    if metric == "cosine":
        # 2 - 2 cos; norms of one also for rows of zeros, whose cosine is then zero
        return _unit(queries), _unit(index), np.ones(len(queries)), np.ones(len(index))
    raise BadInput(f'metric={metric!r}; give "cosine" or "euclidean"')


def _unit(x: Floats) -> Floats:
    largest = np.abs(x).max(axis=1, keepdims=True)
    x = x / np.where(largest > 0, largest, 1)
    norms = np.sqrt(squared_norms(x))[:, None]
    return x / np.where(norms > 0, norms, 1)


def _blocks(m: int, n: int) -> Iterator[slice]:
    size = int(np.clip(_BLOCK // n, 16, 2048))
    return (slice(start, min(start + size, m)) for start in range(0, m, size))


def _snap(distances: Floats, squared: Floats) -> None:
    """Drop the last 12 bits, and call zero what is zero to rounding: equal rows then tie."""
    distances[distances < _SAME * squared[:, None]] = 0
    shifted = distances * (2.0**12 + 1)
    np.subtract(shifted, distances, out=distances)
    np.subtract(shifted, distances, out=distances)


def _smallest(distances: Floats, k: int) -> Indices:
    """Columns of the k smallest of every row, in order, ties by column: (m, n) -> (m, k)."""
    kth = np.partition(distances, k - 1, axis=1)[:, k - 1 : k]
    mask = distances <= kth
    for row in np.flatnonzero(np.count_nonzero(mask, axis=1) > k):
        columns = np.flatnonzero(mask[row])
        mask[row, columns[np.argsort(distances[row, columns], kind="stable")[k:]]] = False
    nearest: Indices = np.nonzero(mask)[1].reshape(-1, k)
    order = np.argsort(np.take_along_axis(distances, nearest, axis=1), axis=1, kind="stable")
    return np.take_along_axis(nearest, order, axis=1)
