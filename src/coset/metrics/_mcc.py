"""Mean correlation of matched coordinates."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from .._arrays import as_pair
from .._core import BadInput, Floats, Score
from ._moments import Moments
from ._ranks import ranks_of
from ._second import SecondOrder
from ._spectra import inverse_norms


@dataclass(frozen=True, eq=False, repr=False)
class MCC(Score):
    """Mean absolute correlation of the best one-to-one matching of columns."""

    matching: NDArray
    """(m, 2): column of a, column of b."""
    signs: NDArray
    correlations: Floats
    """Absolute correlation of each matched pair."""


def mcc(a: Any, b: Any, *, correlation: str = "pearson") -> MCC:
    """Mean |correlation| over the one-to-one matching of columns that maximises it.

    Unequal widths: the mean is over the narrower side. Constant columns count 0. Chance is not 0:
    it grows with the number of columns, and a random rotation of independent latents scores
    about 0.7 in 5 dimensions.

    Args:
        a: (n, p).
        b: (n, q).
        correlation: "pearson" (scale and offset of each column are free) or "spearman" (any
            monotone change of each column is).

    Example:
        >>> rows = np.random.default_rng(0).normal(size=(300, 3))
        >>> found = mcc(rows, -np.exp(rows[:, [2, 0, 1]]), correlation="spearman")
        >>> round(found.value, 9), found.signs.tolist()
        (1.0, [-1, -1, -1])

    References:
        hyvarinen2016, kuhn1955
    """
    rows_a, rows_b = as_pair(a, b)
    if correlation == "spearman":
        rows_a, rows_b = ranks_of(rows_a), ranks_of(rows_b)
    elif correlation != "pearson":
        raise BadInput(f"correlation {correlation!r} is not known; use 'pearson' or 'spearman'")
    if len(rows_a) < 2:
        raise BadInput("1 row given; at least 2 are needed for a correlation")
    return mcc_of(Moments().update(rows_a, rows_b))


def mcc_of(moments: SecondOrder) -> MCC:
    """Pearson `mcc` from second moments."""
    norms_a, norms_b = moments.norms()
    dead = int((norms_a == 0).sum()), int((norms_b == 0).sum())
    if any(dead):
        warnings.warn(
            f"{dead[0]} columns of a and {dead[1]} of b are constant (or too small to be squared): "
            f"they count as correlation 0",
            stacklevel=2,
        )
    table = correlations_of(moments)
    rows, columns = linear_sum_assignment(-np.abs(table))
    matched = table[rows, columns]
    return MCC(
        float(np.abs(matched).mean()),
        np.stack([rows, columns], axis=1),
        np.where(matched < 0, -1, 1),
        np.abs(matched),
    )


def correlations_of(moments: SecondOrder) -> Floats:
    """Pearson correlations (p, q); 0 for constant columns."""
    norms_a, norms_b = moments.norms()
    table = moments.ab * inverse_norms(norms_a)[:, None] * inverse_norms(norms_b)
    return np.clip(table, -1.0, 1.0)
