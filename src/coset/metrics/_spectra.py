"""Rank decisions and pseudo-inverses of co-moment matrices, at stated tolerances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve, eigh, lapack

from .._core import BadInput, Floats
from ._checks import FAINT, TOO_SMALL

EPSILON = float(np.finfo(np.float64).eps)
AMBIGUOUS = 1e8 * EPSILON
"""Below this share of the largest eigenvalue the Gram route loses too many digits."""


@dataclass(frozen=True, eq=False)
class Whitening:
    """Columns of `basis` (p, r) turn centred rows into uncorrelated rows of unit sum of squares."""

    basis: Floats
    sharpness: float
    """Smallest eigenvalue of the correlation matrix as a share of the largest; 0 where directions
    were dropped that more digits might have kept."""

    @property
    def rank(self) -> int:
        return self.basis.shape[1]


def resolution(rows: NDArray) -> float:
    """Below this share of the largest, a direction of data of this type is rounding, not signal.

    Zero for double precision, whose own limit the factorisations know.
    """
    return 0.0 if rows.dtype.itemsize >= 8 else 4 * float(np.finfo(rows.dtype).eps)


def live_columns(squares: Floats, mean: Floats, n: int, tolerance: float) -> Floats:
    """Norms of the centred columns, with 0 where a column is constant up to rounding.

    A column below `FAINT` counts as constant beside others; a side of nothing else is refused.
    """
    norms, size = np.sqrt(np.maximum(squares, 0.0)), np.abs(mean)
    rounding = max(8 * EPSILON, tolerance / 4) * size * np.sqrt(n)
    live = norms > np.maximum(rounding, FAINT)
    if not live.any() and ((np.maximum(norms, size) < FAINT) & (norms + size > 0)).any():
        raise BadInput(TOO_SMALL)
    return np.where(live, norms, 0.0)


def refuse_constant(*sides: Floats) -> None:
    """Refuse sides, given by the norms of their columns, of which one has no live column."""
    if not all(norms.any() for norms in sides):
        raise BadInput("every column is constant: there is nothing to compare")


def inverse_norms(norms: Floats) -> Floats:
    """1/norm, and 0 for dead columns, so that they drop out of what follows."""
    return np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)


def whiten_gram(gram: Floats, norms: Floats, tolerance: float) -> Whitening:
    """Whitening from a Gram matrix whose columns have these norms; scale never matters."""
    refuse_constant(norms)
    scale = inverse_norms(norms)
    values, vectors = eigh(gram * scale[:, None] * scale)
    largest = values[-1]
    kept = values > largest * max(tolerance**2, 4 * len(values) * EPSILON)
    # What single precision cannot hold is noise whatever the route; double precision may hold it.
    lost = tolerance == 0 and kept.sum() < np.count_nonzero(norms)
    values, vectors = values[kept][::-1], vectors[:, kept][:, ::-1]
    sharpness = 0.0 if lost else float(values[-1] / largest)
    return Whitening(scale[:, None] * vectors / np.sqrt(values), sharpness)


def solve_gram(gram: Floats, right: Floats, norms: Floats, tolerance: float) -> Floats:
    """Minimum-norm solution x of `gram x = right`, columns brought to one scale first."""
    scale = inverse_norms(norms)
    alive = norms > 0
    if alive.all():
        scaled = gram * scale[:, None] * scale
        factor, info = lapack.dpotrf(scaled, lower=1)
        if info == 0 and lapack.dpocon(factor, 1.0, uplo="L")[0] > 1e-10:
            return scale[:, None] * cho_solve((factor, True), scale[:, None] * right)
    basis = whiten_gram(gram, norms, tolerance).basis if alive.any() else np.zeros((len(gram), 0))
    return basis @ (basis.T @ right)
