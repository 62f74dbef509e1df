"""Rows that are a linear map of standard normal latents plus normal noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from .._arrays import as_matrix
from .._core import BadInput, Floats


@dataclass(frozen=True, eq=False)
class LinearGaussian:
    """x = W z + mean + noise, z ~ N(0, I), noise ~ N(0, diag(ψ)).

    Example:
        >>> model = LinearGaussian(np.array([[1.0], [2.0]]), np.ones(2), np.zeros(2))
        >>> model.covariance.tolist(), model.posterior_mean([[1.0, 2.0]]).round(3).tolist()
        ([[2.0, 2.0], [2.0, 5.0]], [[0.833]])
    """

    loadings: Floats
    """W (p, k): up to a rotation of latents from the right."""
    noise: Floats
    """ψ (p,): one value for all columns in probabilistic PCA."""
    mean: Floats

    @property
    def covariance(self) -> Floats:
        """W Wᵀ + diag(ψ) (p, p): all that the likelihood sees."""
        return self.loadings @ self.loadings.T + np.diag(self.noise)

    @property
    def posterior_covariance(self) -> Floats:
        """Of latents given a row (k, k): (I + Wᵀ diag(ψ)⁻¹ W)⁻¹, the same for every row."""
        weighed = self.loadings.T / self.noise
        precision = np.eye(self.loadings.shape[1]) + weighed @ self.loadings
        return np.asarray(np.linalg.inv(precision))

    def posterior_mean(self, rows: Any) -> Floats:
        """E[z | x] of each row (n, k)."""
        centred = as_matrix(rows) - self.mean
        return centred / self.noise @ self.loadings @ self.posterior_covariance

    def log_likelihood(self, rows: Any) -> float:
        """Mean log-density of rows (n, p)."""
        centred = as_matrix(rows) - self.mean
        return self.log_likelihood_of(centred.T @ centred / len(centred))

    def log_likelihood_of(self, second: Floats) -> float:
        """The same from E[(x - mean)(x - mean)ᵀ] (p, p)."""
        factor = cho_factor(self.covariance, lower=True)
        log_volume = 2 * float(np.log(np.diagonal(factor[0])).sum())
        spread = float(np.trace(cho_solve(factor, second)))
        return -(len(second) * float(np.log(2 * np.pi)) + log_volume + spread) / 2

    def rotated(self, rotation: Any) -> LinearGaussian:
        """The same law with latents turned: W R for an orthogonal R (k, k)."""
        turn = as_matrix(rotation, "rotation")
        k = self.loadings.shape[1]
        if turn.shape != (k, k) or not np.allclose(turn.T @ turn, np.eye(k), atol=1e-8):
            raise BadInput(
                f"the rotation has shape {turn.shape}; an orthogonal matrix of {k} × {k} is needed"
            )
        return LinearGaussian(self.loadings @ turn, self.noise, self.mean)
