"""Are two discrete things independent given others? Counts against what independence predicts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy
from scipy.stats import chi2

from .._core import BadInput, Floats


@dataclass(frozen=True)
class GTest:
    """Tests of independence, one for each table; small p-values speak against it."""

    statistic: Floats
    degrees: Floats
    """Of freedom."""
    p_value: Floats


def g_test(counts: ArrayLike) -> GTest:
    """Tests a ⊥ b | s of tables of counts, many at a time.

    G = 2 Σ N_abs log( N_abs N_..s / (N_a.s N_.bs) ), which follows a χ² law under independence.
    A stratum in which k values of a and l values of b occur has (k - 1)(l - 1) degrees of freedom:
    one in which nothing varies says nothing.

    Args:
        counts: (..., a, b, s), whole tables along leading axes; s has length 1 where nothing is
            given.

    Example:
        >>> g_test([[[10], [20]], [[30], [60]]]).p_value.tolist()
        [1.0]
        >>> float(g_test(np.reshape([40, 10, 10, 40], (1, 2, 2, 1))).statistic.round(2)[0])
        38.55

    References:
        sokal1995
    """
    table = np.asarray(counts, dtype=float)
    if table.ndim < 3 or not (np.isfinite(table).all() and (table >= 0).all()):
        raise BadInput(
            f"counts of shape {table.shape}; tables (..., a, b, s) of numbers from 0 are needed"
        )
    table = table if table.ndim > 3 else table[None]
    of_a, of_b = table.sum(-2), table.sum(-3)
    of_s = of_a.sum(-2)
    statistic = 2 * (
        xlogy(table, table).sum((-3, -2, -1))
        + xlogy(of_s, of_s).sum(-1)
        - xlogy(of_a, of_a).sum((-2, -1))
        - xlogy(of_b, of_b).sum((-2, -1))
    )
    occurring = [np.maximum((side > 0).sum(-2) - 1, 0) for side in (of_a, of_b)]
    degrees = (occurring[0] * occurring[1]).sum(-1).astype(float)
    p_value = np.where(degrees > 0, chi2.sf(statistic, np.maximum(degrees, 1)), 1.0)
    return GTest(np.maximum(statistic, 0.0), degrees, p_value)


def tables(values: ArrayLike, levels: int = 2) -> Floats:
    """Counts of every combination of values: marginal tables follow by summing axes.

    Args:
        values: (..., n, d), whole numbers from 0 to levels - 1.
        levels: how many values there are.

    Example:
        >>> tables([[0, 1], [0, 1], [1, 1]]).tolist()
        [[0.0, 2.0], [0.0, 1.0]]
    """
    rows = np.asarray(values)
    if rows.ndim < 2 or rows.dtype.kind not in "iub":
        raise BadInput(
            f"values are {rows.dtype} of shape {rows.shape}; whole numbers (..., n, d) are needed"
        )
    rows = rows.astype(np.int64)
    if rows.size and (rows.min() < 0 or rows.max() >= levels):
        raise BadInput(
            f"values run from {rows.min()} to {rows.max()}; with levels={levels} they must be 0 "
            f"to {levels - 1}"
        )
    *many, _, d = rows.shape
    size = levels**d
    cells = rows @ (levels ** np.arange(d)[::-1])
    blocks = int(np.prod(many))
    flat = cells.reshape(blocks, -1) + size * np.arange(blocks)[:, None]
    counts = np.bincount(flat.ravel(), minlength=blocks * size).astype(float)
    return counts.reshape(*many, *(levels,) * d)
