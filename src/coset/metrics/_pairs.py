"""Squared distances between rows, by one matrix product."""

from __future__ import annotations

import numpy as np

from .._core import Floats


def squared_norms(x: Floats) -> Floats:
    """|x_i|^2 of every row: (n, p) -> (n,)."""
    return np.einsum("ij,ij->i", x, x)


def squared_distances(x: Floats, y: Floats, squared_x: Floats, squared_y: Floats) -> Floats:
    """|x_i|^2 + |y_j|^2 - 2 x_i . y_j, never negative: (m, p), (n, p) -> (m, n).

    Accurate to about 1e-15 of the squared norms, so both sides should be centred first.

    Example:
        >>> x = np.array([[0.0, 0], [3, 4]])
        >>> squared_distances(x, x, squared_norms(x), squared_norms(x))
        array([[ 0., 25.], [25.,  0.]])
    """
    out = x @ y.T
    out *= -2
    out += squared_x[:, None]
    out += squared_y
    return np.maximum(out, 0, out=out)


def self_distances(x: Floats) -> Floats:
    """Squared distances among the rows of x, the diagonal exactly zero: (n, p) -> (n, n)."""
    x = x - x.mean(axis=0)
    squared = squared_norms(x)
    out = squared_distances(x, x, squared, squared)
    np.fill_diagonal(out, 0)
    return out


def distinct_pairs(square: Floats) -> Floats:
    """The entries above the diagonal, row by row: (n, n) -> (n (n - 1) / 2,)."""
    return np.concatenate([row[i + 1 :] for i, row in enumerate(square)])
