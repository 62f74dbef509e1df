"""Least squares that is right whatever the rank, and fast where the columns are in good order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.linalg

from .._core import Floats
from ._checks import FAINT

Predictor = Callable[[Floats], Floats]

_EPS = float(np.finfo(np.float64).eps)
_WELL_CONDITIONED = 1e10
"""Condition number of the columns' correlation matrix up to which the normal equations lose
nothing: coefficients are then good to 1e-6, and the error that they cause to 1e-12."""


def fit_least_squares(x: Floats, y: Floats) -> Predictor:
    """Minimum-norm least squares of y on x with an intercept, as a function of new rows.

    Columns are centred and divided by their norm; singular values of the result that are not above
    max(n, p) * 2.2e-16 of the largest count as zero, so duplicated columns, sums of columns,
    constant columns and n < p are all answered by the solution of least norm in those units.

    Args:
        x: predictors (n, p).
        y: targets (n, q).

    Returns:
        A function from rows (m, p) to predictions (m, q).

    Example:
        >>> x = np.array([[0.0, 5], [1, 5], [2, 5]])
        >>> fit_least_squares(x, 2 * x[:, :1] + 1)(np.array([[3.0, 5]]))
        array([[7.]])
    """
    mean_x, mean_y = x.mean(axis=0), y.mean(axis=0)
    centred = x - mean_x
    scale = np.sqrt(np.einsum("ij,ij->j", centred, centred))
    live = ~constant_columns(x)
    centred = centred[:, live] / scale[live]
    matrix = np.zeros((x.shape[1], y.shape[1]))
    if live.any():
        matrix[live] = _solve(centred, y - mean_y) / scale[live, None]
    return lambda rows: (rows - mean_x) @ matrix + mean_y


def constant_columns(x: Floats) -> np.ndarray:
    """Which columns hold one value, to rounding or to `FAINT`: (n, p) -> (p,) of bool."""
    return np.ptp(x, axis=0) <= np.maximum(8 * _EPS * np.abs(x).max(axis=0), FAINT)


def _solve(x: Floats, y: Floats) -> Floats:
    n, p = x.shape
    if n > p:
        # NumPy alone: it and SciPy bring a pool of threads each, which wait for one another
        gram = x.T @ x
        try:
            inverse = np.linalg.inv(gram)
        except np.linalg.LinAlgError:
            inverse = np.full_like(gram, np.inf)
        if np.linalg.norm(gram, 1) * np.linalg.norm(inverse, 1) < _WELL_CONDITIONED:
            return np.asarray(inverse @ (x.T @ y), dtype=np.float64)
        triangle = scipy.linalg.qr(np.hstack([x, y]), mode="r", check_finite=False)[0]
        x, y = triangle[:p, :p], triangle[:p, p:]
    u, s, vt = np.linalg.svd(x, full_matrices=False)
    kept = s > max(n, p) * _EPS * s[0]
    return (vt[kept].T / s[kept]) @ (u[:, kept].T @ y)
