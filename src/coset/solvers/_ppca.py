"""Probabilistic PCA by its closed form, and factor analysis by expectation maximisation."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._arrays import as_matrix
from .._core import BadInput, Floats
from ._linear_gaussian import LinearGaussian


def ppca(rows: Any, k: int) -> LinearGaussian:
    """The maximum of the likelihood under noise of one variance.

    With eigenvalues λ_1 ≥ … ≥ λ_p and eigenvectors u_i of the covariance of rows, σ² is the mean of
    the p - k smallest, and W = U_k (Λ_k - σ² I)^½ R for any rotation R; here R = I.

    Args:
        rows: (n, p).
        k: number of latents, fewer than p.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> rows = rng.normal(size=(5000, 2)) @ [[3, 0, 1], [0, 2, 1]] + rng.normal(size=(5000, 3))
        >>> ppca(rows, 2).noise.round(1).tolist()
        [1.0, 1.0, 1.0]

    References:
        tipping1999
    """
    x = as_matrix(rows, "rows")
    mean = x.mean(axis=0)
    return ppca_of(np.cov(x, rowvar=False, bias=True).reshape(x.shape[1], -1), k, mean)


def ppca_of(covariance: Floats, k: int, mean: Floats | None = None) -> LinearGaussian:
    """`ppca` from the covariance (p, p) of rows."""
    p = len(covariance)
    if not 1 <= k < p:
        raise BadInput(f"{k} latents of {p} columns: give a number from 1 to {p - 1}")
    values, vectors = np.linalg.eigh(covariance)
    values, vectors = values[::-1], vectors[:, ::-1]
    noise = float(values[k:].mean())
    if noise <= p * np.finfo(float).eps * values[0]:
        raise BadInput(
            f"the rows lie in {k} dimensions or fewer, so that no noise is left: ask for fewer "
            f"latents than {k}"
        )
    loadings = vectors[:, :k] * np.sqrt(np.maximum(values[:k] - noise, 0.0))
    return LinearGaussian(loadings, np.full(p, noise), np.zeros(p) if mean is None else mean)


def factor_analysis(
    rows: Any, k: int, *, tolerance: float = 1e-8, iterations: int = 10_000
) -> LinearGaussian:
    """The maximum of the likelihood under noise of a variance for each column.

    Columns are brought to unit variance first: the maximum moves with their scales. scikit-learn
    takes an SVD of all rows in each iteration; it gets 2p rows of the same mean and covariance,
    which is all that the likelihood sees.

    Args:
        rows: (n, p).
        k: number of latents.
        tolerance: stop when the log-likelihood of 2p rows gains less in an iteration.
        iterations: at most so many.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> rows = rng.normal(size=(50000, 1)) @ [[2.0, 2.0, 1.0]] + rng.normal(size=(50000, 3))
        >>> model = factor_analysis(rows, 1)
        >>> model.noise.round(1).tolist()
        [1.0, 1.0, 1.0]

    References:
        rubin1982
    """
    from sklearn.decomposition import FactorAnalysis

    x = as_matrix(rows, "rows")
    if not 1 <= k <= x.shape[1]:
        raise BadInput(f"{k} latents of {x.shape[1]} columns: give a number from 1 to that")
    mean, scale = x.mean(axis=0), x.std(axis=0)
    if not scale.all():
        raise BadInput(f"column {int(np.argmin(scale))} is constant: leave it out")
    fitted = FactorAnalysis(k, tol=tolerance, max_iter=iterations, svd_method="lapack")
    fitted.fit(_few_rows(np.atleast_2d(np.corrcoef(x, rowvar=False))))
    return LinearGaussian(
        fitted.components_.T * scale[:, None], fitted.noise_variance_ * scale**2, mean
    )


def _few_rows(covariance: Floats) -> Floats:
    """2p rows of mean zero and this covariance."""
    half = np.sqrt(len(covariance)) * np.linalg.cholesky(covariance).T
    return np.concatenate([half, -half])
