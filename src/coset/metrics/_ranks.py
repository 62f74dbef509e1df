"""Ranks of columns: quick where no two values are equal, as they seldom are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .._core import Floats


def order_of(columns: Floats) -> NDArray[np.intp]:
    """What sorts each column, given as a row (p, n); equal values stay in their order."""
    order = np.argsort(columns, axis=1)
    tied = _tied(columns, order)
    if tied.any():
        order[tied] = np.argsort(columns[tied], axis=1, kind="stable")
    return order


def ranks_by(order: NDArray[np.intp], columns: Floats) -> Floats:
    """Ranks (n, p) from 1 within each column, given as a row (p, n) with what sorts it.

    Equal values share the mean of their ranks.
    """
    ranks = np.empty(columns.shape)
    np.put_along_axis(ranks, order, np.arange(1.0, columns.shape[1] + 1)[None], axis=1)
    for k in np.flatnonzero(_tied(columns, order)):
        ascending = columns[k, order[k]]
        edges = np.flatnonzero(np.r_[True, ascending[1:] != ascending[:-1], True])
        ranks[k, order[k]] = np.repeat((edges[:-1] + edges[1:] + 1) / 2, np.diff(edges))
    return ranks.T


def ranks_of(rows: Floats) -> Floats:
    """Ranks from 1 within each column of (n, p); equal values share the mean of theirs.

    Example:
        >>> ranks_of(np.array([[3.0, 1], [1, 1], [2, 5]])).tolist()
        [[3.0, 1.5], [1.0, 1.5], [2.0, 3.0]]
    """
    columns = np.ascontiguousarray(rows.T)
    return ranks_by(np.argsort(columns, axis=1), columns)


def _tied(columns: Floats, order: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which columns hold some value twice."""
    ascending = np.take_along_axis(columns, order, axis=1)
    return (ascending[:, 1:] == ascending[:, :-1]).any(axis=1)
