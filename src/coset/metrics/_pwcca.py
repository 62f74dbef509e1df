"""Canonical correlations weighted by what their variates carry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammaln

from .._core import BadInput, Floats, Score
from ._route import Route, second_moments
from ._second import SecondOrder

TIED = 1e-7
"""Neighbouring correlations closer than this are equal: ten times what the Gram route may lose."""


@dataclass(frozen=True, eq=False, repr=False)
class PWCCA(Score):
    """Weighted mean of the canonical correlations."""

    correlations: Floats
    weights: Floats
    """Shares of side a (or b, by `direction`; for "mean", of both in turn)."""
    direction: str
    saturated: bool
    route: str


def pwcca(a: Any, b: Any, *, direction: str = "mean", route: Route = "auto") -> PWCCA:
    """Canonical correlations weighted by how much of a side each canonical variate carries.

    Weight of variate h_i for side a: w_i = sum_j |<h_i, x_j>| over its centred columns x_j.

    Where m correlations tie (neighbours within 1e-7), the data determine the span of their variates
    but no basis of it, and w_i depends on the basis. Each of the m then gets the mean over all
    orthonormal bases, w = E|u_1| sum_j |P_j|: P_j is the projection of x_j on the span, u a uniform
    unit vector of as many dimensions, E|u_1| = Γ(m/2) / (√π Γ((m+1)/2)). The span of correlation 0
    has as many dimensions as the side has variates left. One correlation alone keeps |<h_i, x_j>|.

    Args:
        a: (n, p).
        b: (n, q).
        direction: the side that weighs, "a" or "b", or the "mean" of both scores.
        route: as in `cca`.

    Example:
        >>> rows = np.random.default_rng(0).normal(size=(200, 5))
        >>> one, other = (pwcca(x[:, :4], x[:, 1:]).value for x in (rows, rows[::-1]))
        >>> abs(one - other) < 1e-9
        True

    References:
        morcos2018
    """
    return pwcca_of(second_moments(a, b, route=route), direction=direction)


def pwcca_of(moments: SecondOrder, *, direction: str = "mean") -> PWCCA:
    """`pwcca` from second moments."""
    if direction not in ("a", "b", "mean"):
        raise BadInput(f"direction {direction!r} is not known; use 'a', 'b' or 'mean'")
    side_a, side_b, coherence = moments.whitened()
    left, correlations, right = np.linalg.svd(coherence, full_matrices=False)
    if correlations[-1] <= TIED:  # the span of correlation 0 is larger than the pairs in it
        left, correlations, right = np.linalg.svd(coherence)
    correlations = np.clip(correlations, 0.0, 1.0)
    weights = np.mean(
        [
            _weights(correlations, (side.basis @ variates).T @ gram)
            for name, side, variates, gram in (
                ("a", side_a, left, moments.aa),
                ("b", side_b, right.T, moments.bb),
            )
            if direction in (name, "mean")
        ],
        axis=0,
    )
    return PWCCA(
        float(weights @ correlations),
        correlations,
        weights,
        direction,
        saturated=side_a.rank + side_b.rank > moments.n - 1,
        route=moments.route,
    )


def _weights(correlations: Floats, projections: Floats) -> Floats:
    """Shares of the correlations.

    Args:
        correlations: (k,), largest first.
        projections: of the columns on all variates of their side (rank, columns).
    """
    cuts = np.flatnonzero(np.diff(correlations) < -TIED) + 1
    weights = np.empty(len(correlations))
    for block in np.split(np.arange(len(correlations)), cuts):
        last = None if correlations[block[-1]] <= TIED else block[-1] + 1
        span = projections[block[0] : last]
        weights[block] = _mean_size(len(span)) * np.linalg.norm(span, axis=0).sum()
    return weights / weights.sum()


def _mean_size(m: int) -> float:
    """E|u_1| of a uniform unit vector u of m dimensions."""
    return float(np.exp(gammaln(m / 2) - gammaln((m + 1) / 2)) / np.sqrt(np.pi))
