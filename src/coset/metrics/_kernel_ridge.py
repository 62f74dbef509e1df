"""Kernel ridge regression with a Gaussian kernel, its settings chosen on the rows it is given."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from .._core import Floats
from ._least_squares import Predictor
from ._pairs import distinct_pairs, self_distances, squared_distances, squared_norms

GAMMAS = (0.01, 0.1, 0.3, 1.0, 3.0)
"""Kernel widths tried: exp(-g |x - x'|^2 / median), g one of these."""
ALPHAS = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
"""Ridge terms tried; in the Gaussian-process reading, noise variance over signal variance."""
SEARCH_ROWS = 800
"""The search sees at most this many rows (the first): the best pair hardly moves with n."""


def fit_kernel_ridge(x: Floats, y: Floats) -> Predictor:
    """f(x) = mean(y) + sum_i w_i exp(-gamma |x - x_i|^2), w = (K + alpha I)^-1 (y - mean(y)).

    gamma (a multiple of 1 / median squared distance between distinct rows) and alpha are those with
    the least leave-one-out error, each column of y divided by its variance. One eigendecomposition
    per gamma answers every alpha: e_i = [(K + alpha I)^-1 y]_i / [(K + alpha I)^-1]_ii.

    Args:
        x: predictors (n, p).
        y: targets (n, q).

    Returns:
        A function from rows (m, p) to predictions (m, q).

    Example:
        >>> x = np.linspace(-2, 2, 60)[:, None]
        >>> round(fit_kernel_ridge(x, np.sin(x))(np.array([[0.5]])).item(), 3)
        0.479

    References:
        rasmussen2006
    """
    mean_x, mean_y = x.mean(axis=0), y.mean(axis=0)
    x, y = x - mean_x, y - mean_y
    distances = self_distances(x)
    unit = _median(distances)
    gamma, alpha = _search(distances[:SEARCH_ROWS, :SEARCH_ROWS] / unit, y[:SEARCH_ROWS])
    kernel = np.exp(distances * (-gamma / unit))
    kernel[np.diag_indices_from(kernel)] += alpha
    weights = scipy.linalg.cho_solve(
        scipy.linalg.cho_factor(kernel, overwrite_a=True, check_finite=False), y
    )
    squared = squared_norms(x)

    def predict(rows: Floats) -> Floats:
        rows = rows - mean_x
        far = squared_distances(rows, x, squared_norms(rows), squared)
        return np.exp(far * (-gamma / unit)) @ weights + mean_y

    return predict


def _median(distances: Floats) -> float:
    """Median over distinct pairs; the mean where most rows are equal; 1 where all are."""
    pairs = distinct_pairs(distances)
    return float(np.median(pairs) or pairs.mean() or 1.0)


def _search(distances: Floats, y: Floats) -> tuple[float, float]:
    spread = np.einsum("ij,ij->j", y, y)
    weight = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)
    best = (np.inf, GAMMAS[0], ALPHAS[0])
    for gamma in GAMMAS:
        values, vectors = np.linalg.eigh(np.exp(-gamma * distances))
        projected, squares = vectors.T @ y, vectors**2
        for alpha in ALPHAS:
            shrunk = 1 / (np.maximum(values, 0) + alpha)
            left_out = (vectors @ (shrunk[:, None] * projected)) / (squares @ shrunk)[:, None]
            error = float(np.einsum("ij,ij->j", left_out, left_out) @ weight)
            best = min(best, (error, gamma, alpha))
    return best[1:]
