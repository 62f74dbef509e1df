"""Likelihood of independent latents: its value, relative gradient and approximate curvature."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field

import numpy as np

from .._core import Floats
from ._score_moments import ScoreMoments, score_moments

LEAST_CURVATURE = 0.01
"""Eigenvalues of the approximate Hessian are raised to it."""


@dataclass(frozen=True, eq=False)
class Place:
    """An unmixing matrix and what the likelihood is like around it."""

    unmixing: Floats
    signs: Floats
    """Of each latent: +1 for a density with heavier tails than the normal, -1 with lighter ones."""
    moments: ScoreMoments
    value: float
    """Minus the mean log-likelihood of whitened rows, but for constants."""
    gradient: Floats
    """Relative: the slope in E of the value at (I + E) W."""
    curvature: Floats
    """h_ij of the approximation Σ h_ij E_ij² / 2 (+ Σ E_ij E_ji / 2, where W is free)."""

    @property
    def steepness(self) -> float:
        """Largest entry of the gradient."""
        return float(np.abs(self.gradient).max())


@dataclass(frozen=True, eq=False)
class Likelihood:
    """Of whitened rows under latents of known density, or of one of two by sign.

    Free: p(y) = 1 / (π cosh y). Extended: p(y) ∝ exp(-y²/2) / cosh y where the sign is +1, and
    exp(-y²/2) cosh y where it is -1. Orthogonal W keep Σ y² and |det W|, so that both say the same
    of latents with heavy tails.
    """

    blocks: Sequence[Floats]
    extended: bool
    orthogonal: bool
    pool: Executor
    covariance: Floats = field(init=False)

    def __post_init__(self) -> None:
        n = sum(block.shape[1] for block in self.blocks)
        total = sum(self.pool.map(lambda block: block @ block.T, self.blocks))
        object.__setattr__(self, "covariance", total / n)

    def at(self, unmixing: Floats, signs: Floats | None = None, *, crossed: bool = False) -> Place:
        """The place of an unmixing matrix.

        Args:
            unmixing: (k, k).
            signs: those that fit it best, unless given.
            crossed: the curvature is measured; else it is that of independent latents.
        """
        moments = score_moments(unmixing, self.blocks, self.pool, value=True, crossed=crossed)
        chosen = self.best_signs(unmixing, moments) if signs is None else signs
        return self._place(unmixing, chosen, moments)

    def with_best_signs(self, place: Place) -> Place:
        """The same place, or the place that it is with other signs."""
        signs = self.best_signs(place.unmixing, place.moments)
        if (signs == place.signs).all():
            return place
        return self._place(place.unmixing, signs, place.moments)

    def best_signs(self, unmixing: Floats, moments: ScoreMoments) -> Floats:
        """The sign of E[ψ'] E[y²] - E[ψ y], ψ = tanh: with it the latent is a stable optimum."""
        if not self.extended:
            return np.ones(len(unmixing))
        power = np.diagonal(self._second(unmixing))
        stability = moments.slope * power - np.diagonal(moments.outer)
        return np.where(stability < 0, -1.0, 1.0)

    def _second(self, unmixing: Floats) -> Floats:
        return unmixing @ self.covariance @ unmixing.T

    def _place(self, unmixing: Floats, signs: Floats, moments: ScoreMoments) -> Place:
        second = self._second(unmixing)
        power = np.diagonal(second)
        value = float(signs @ moments.log_cosh)
        gradient = signs[:, None] * moments.outer
        if moments.crossed is None:
            sharpness = moments.slope[:, None] * power
        else:
            sharpness = power - moments.crossed
        if self.orthogonal:
            gradient = (gradient - gradient.T) / 2
            tight = signs[:, None] * (sharpness - np.diagonal(moments.outer)[:, None])
            curvature = (tight + tight.T) / 2
            return Place(unmixing, signs, moments, value, gradient, curvature)
        value -= float(np.linalg.slogdet(unmixing)[1])
        gradient = gradient - np.eye(len(unmixing))
        curvature = signs[:, None] * sharpness
        if self.extended:
            value += float(power.sum()) / 2
            gradient = gradient + second
            curvature = curvature + power
        return Place(unmixing, signs, moments, value, gradient, curvature)

    def newton(self, place: Place, gradient: Floats) -> Floats:
        """The approximate Hessian of a place, inverted and applied; its eigenvalues are raised."""
        h = place.curvature
        if self.orthogonal:
            return gradient / np.maximum(h, LEAST_CURVATURE)
        least = (h + h.T - np.hypot(h - h.T, 2.0)) / 2
        h = h + np.maximum(LEAST_CURVATURE - least, 0.0)
        solved = (gradient * h.T - gradient.T) / (h * h.T - 1.0)
        np.fill_diagonal(solved, np.diagonal(gradient) / (1.0 + np.diagonal(place.curvature)))
        return solved

    def moved(self, place: Place, step: Floats) -> Floats:
        """The unmixing matrix that a relative step leads to; orthogonal ones stay so."""
        one = np.eye(len(step))
        if self.orthogonal:  # Cayley's transform of what is skew-symmetric
            return np.asarray(np.linalg.solve(one - step / 2, (one + step / 2) @ place.unmixing))
        return (one + step) @ place.unmixing


def log_likelihood(place: Place, covariance: Floats, *, extended: bool) -> float:
    """Mean log-density of whitened rows under the densities that the signs choose."""
    volume = float(np.linalg.slogdet(place.unmixing)[1])
    cosh = float(place.signs @ place.moments.log_cosh)
    if not extended:
        return volume - cosh - len(place.signs) * float(np.log(np.pi))
    power = float(np.trace(place.unmixing @ covariance @ place.unmixing.T))
    heavy = int((place.signs > 0).sum())
    constants = heavy * LOG_HEAVY + (len(place.signs) - heavy) * LOG_LIGHT
    return volume - cosh - power / 2 - constants


AXIS = np.linspace(-12.0, 12.0, 1001)
LOG_HEAVY = float(np.log(np.trapezoid(np.exp(-(AXIS**2) / 2) / np.cosh(AXIS), AXIS)))
"""log ∫ exp(-y²/2) / cosh y dy; of smooth functions that vanish at both ends the rule is exact."""
LOG_LIGHT = 0.5 * float(np.log(2 * np.pi)) + 0.5
"""log ∫ exp(-y²/2) cosh y dy."""
