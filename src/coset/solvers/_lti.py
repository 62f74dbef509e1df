"""Linear dynamics driven by normal controls whose variances change with the environment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .._arrays import as_matrix
from .._core import BadInput, Floats
from ._diagonalise import diagonalise
from ._transitions import Transitions

SWEEPS = 50
SETTLED = 1e-7


@dataclass(frozen=True, eq=False)
class IdentifiedSystem:
    """y' = transition · y + mixing · u: of (A, B, C) what observations determine.

    With C invertible the transition is C A C⁻¹ and the mixing C B, the controls being in an order
    and of scales and signs of their own: a realisation of the same system.
    """

    transition: Floats
    """(d, d)."""
    mixing: Floats
    """(d, k), what a control adds to the next observation."""
    unmixing: Floats
    """(k, d), its left inverse."""
    labels: Floats
    """Of the environments, sorted."""
    means: Floats
    """(environments, k), of the controls."""
    variances: Floats
    """(environments, k), of the controls; their mean over rows is 1."""
    errors: Floats
    """(k, k): standard error of how much of control j is in control i, both of variance 1."""
    sweeps: int

    def controls(self, before: ArrayLike, after: ArrayLike) -> Floats:
        """(n, k): what moved each row `before` to the row `after`."""
        rows_before, rows_after = as_matrix(before, "before"), as_matrix(after, "after")
        return (rows_after - rows_before @ self.transition.T) @ self.unmixing.T

    def markov(self, count: int) -> Floats:
        """C Aᵏ B for k = 0, 1, … (count, d, k)."""
        found = [self.mixing]
        for _ in range(count - 1):
            found.append(self.transition @ found[-1])
        return np.stack(found)


def identify_system(
    before: ArrayLike, after: ArrayLike, environments: ArrayLike, *, controls: int | None = None
) -> IdentifiedSystem:
    """Transition, mixing and controls from pairs of successive observations.

    Least squares of `after` on `before`, with an intercept for each environment, leaves innovations
    of covariance M diag(s_e) Mᵀ; `diagonalise` finds M. Given it, each control has a regression of
    its own, weighted by 1 / s_e: repeated until it settles, that is the maximum of the likelihood.
    Means of controls are free, so that they are not what identifies them.

    Args:
        before: y_t (n, d), rows in any order.
        after: y_{t+1} (n, d).
        environments: (n,), the environment of each row.
        controls: how many there are, d where None; fewer lie in the leading directions of the
            innovations.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> spread = np.repeat([[1.0, 3.0], [3.0, 1.0], [2.0, 1.0]], 2000, axis=0)
        >>> before, u = rng.normal(size=(6000, 2)), spread * rng.normal(size=(6000, 2))
        >>> after = before @ np.array([[0.5, 0.2], [-0.3, 0.6]]) + u @ np.array([[1, 2], [-1, 1]])
        >>> found = identify_system(before, after, np.repeat([0, 1, 2], 2000))
        >>> from coset.metrics import mcc
        >>> round(float(mcc(u, found.controls(before, after))), 3)
        1.0

    References:
        rajendran2024, pham2001
    """
    moments = Transitions.of(before, after, environments)
    d = moments.before.shape[1]
    k = d if controls is None else controls
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= d:
        raise BadInput(f"controls={controls!r}; a whole number from 1 to {d} columns is needed")
    return _most_likely(moments, k)


def _most_likely(moments: Transitions, k: int) -> IdentifiedSystem:
    """The system of `k` controls under which these moments are likeliest."""
    transition = moments.pooled()
    unmixing, mixing, variances, errors = _separate(moments.innovations(transition), moments.n, k)
    sweeps, left = 0, np.inf
    while left > SETTLED and sweeps < SWEEPS:
        change = moments.weighted(unmixing, variances) - unmixing @ transition
        transition = transition + mixing @ change
        sweeps, left = sweeps + 1, moments.moved(change)
        unmixing, mixing, variances, errors = _separate(
            moments.innovations(transition), moments.n, k, unmixing
        )
    means = (moments.mean_after - moments.mean_before @ transition.T) @ unmixing.T
    return IdentifiedSystem(
        transition, mixing, unmixing, moments.labels, means, variances, errors, sweeps
    )


def _separate(
    innovations: Floats, n: Floats, k: int, unmixing: Floats | None = None
) -> tuple[Floats, Floats, Floats, Floats]:
    """Unmixing (from the last one, if any), mixing, variances and their errors."""
    leading = np.eye(innovations.shape[1])
    if k < len(leading):
        leading = np.linalg.eigh(np.tensordot(n / n.sum(), innovations, 1))[1][:, -k:]
    start = None if unmixing is None else unmixing @ leading
    found = diagonalise(leading.T @ innovations @ leading, n, start=start)
    mixing = leading @ np.linalg.inv(found.unmixing)
    return found.unmixing @ leading.T, mixing, found.variances, found.errors
