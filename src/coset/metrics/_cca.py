"""Canonical correlations: plain, of principal components, and weighted by what they carry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._core import BadInput, Floats, Score
from ._route import Route, second_moments
from ._second import SecondOrder


@dataclass(frozen=True, eq=False, repr=False)
class CCA(Score):
    """Mean canonical correlation, and each of them."""

    correlations: Floats
    ranks: tuple[int, int]
    saturated: bool
    """p + q > n - 1: some correlations are 1 whatever the data."""
    route: str


@dataclass(frozen=True, eq=False, repr=False)
class SVCCA(Score):
    """Mean canonical correlation of the principal components that were kept."""

    correlations: Floats
    kept: tuple[int, int]
    saturated: bool
    route: str


@dataclass(frozen=True, eq=False, repr=False)
class PWCCA(Score):
    """Weighted mean of the canonical correlations."""

    correlations: Floats
    weights: Floats
    """Shares of side a (or b, by `direction`; for "mean", of both in turn)."""
    direction: str
    saturated: bool
    route: str


def cca(a: Any, b: Any, *, route: Route = "auto") -> CCA:
    """Mean canonical correlation over min(rank a, rank b).

    With U, V orthonormal bases of the centred columns, the correlations are the singular values of
    UᵀV. Invariant to every invertible affine map of either side; for independent data of widths
    p, q it is not 0 but grows with (p + q)/n, and is forced to 1 when `saturated`.

    Args:
        a: (n, p).
        b: (n, q).
        route: "gram" from second moments, "exact" from orthogonal factors, "auto" decides.

    Example:
        >>> rows = np.random.default_rng(0).normal(size=(200, 3))
        >>> float(cca(rows, rows @ [[1, 2, 0], [0, 1, 1], [3, 0, 1]]).correlations.min().round(9))
        1.0

    References:
        hotelling1936, bjorck1973
    """
    return cca_of(second_moments(a, b, route=route))


def svcca(
    a: Any,
    b: Any,
    *,
    variance: float = 0.99,
    components: int | None = None,
    route: Route = "auto",
) -> SVCCA:
    """Mean canonical correlation after each side is cut to its leading principal components.

    The fewest components whose squared singular values (of centred data) reach the share
    `variance`, or a fixed number of `components`.

    Args:
        a: (n, p).
        b: (n, q).
        variance: share of variance to keep on each side, in (0, 1].
        components: number to keep on each side instead.
        route: as in `cca`.

    References:
        raghu2017
    """
    return svcca_of(second_moments(a, b, route=route), variance=variance, components=components)


def pwcca(a: Any, b: Any, *, direction: str = "mean", route: Route = "auto") -> PWCCA:
    """Canonical correlations weighted by how much of a side each canonical variate carries.

    Weight of variate h_i for side a: the sum over its centred columns x_j of |<h_i, x_j>|.

    Args:
        a: (n, p).
        b: (n, q).
        direction: the side that weighs, "a" or "b", or the "mean" of both scores.
        route: as in `cca`.

    References:
        morcos2018
    """
    return pwcca_of(second_moments(a, b, route=route), direction=direction)


def cca_of(moments: SecondOrder) -> CCA:
    """`cca` from second moments."""
    side_a, side_b, coherence = moments.whitened()
    correlations = _correlations(coherence)
    return CCA(
        float(correlations.mean()),
        correlations,
        (side_a.rank, side_b.rank),
        saturated=side_a.rank + side_b.rank > moments.n - 1,
        route=moments.route,
    )


def svcca_of(
    moments: SecondOrder, *, variance: float = 0.99, components: int | None = None
) -> SVCCA:
    """`svcca` from second moments."""
    kept_a, kept_b = (_kept(s, variance, components) for s in moments.principal())
    correlations = _correlations(moments.principal_coherence(kept_a, kept_b))
    return SVCCA(
        float(correlations.mean()),
        correlations,
        (kept_a, kept_b),
        saturated=kept_a + kept_b > moments.n - 1,
        route=moments.route,
    )


def pwcca_of(moments: SecondOrder, *, direction: str = "mean") -> PWCCA:
    """`pwcca` from second moments."""
    if direction not in ("a", "b", "mean"):
        raise BadInput(f"direction {direction!r} is not known; use 'a', 'b' or 'mean'")
    side_a, side_b, coherence = moments.whitened()
    left, correlations, right = np.linalg.svd(coherence, full_matrices=False)
    correlations = np.clip(correlations, 0.0, 1.0)
    carried = {
        "a": np.abs((side_a.basis @ left).T @ moments.aa).sum(1),
        "b": np.abs((side_b.basis @ right.T).T @ moments.bb).sum(1),
    }
    sides = ("a", "b") if direction == "mean" else (direction,)
    weights = np.mean([carried[s] / carried[s].sum() for s in sides], axis=0)
    return PWCCA(
        float(weights @ correlations),
        correlations,
        weights,
        direction,
        saturated=side_a.rank + side_b.rank > moments.n - 1,
        route=moments.route,
    )


def _correlations(coherence: Floats) -> Floats:
    return np.clip(np.linalg.svd(coherence, compute_uv=False), 0.0, 1.0)


def _kept(sizes: Floats, variance: float, components: int | None) -> int:
    squares = sizes**2
    total = squares.sum()
    if total <= 0:
        raise BadInput("every column is constant: there is nothing to compare")
    rank = int((squares > squares[0] * 1e-13).sum())
    if components is not None:
        if components < 1 or components != int(components):
            raise BadInput(f"components={components}; a whole number from 1 is needed")
        return min(int(components), rank)
    if not 0 < variance <= 1:
        raise BadInput(f"variance={variance}; a share in (0, 1] is needed")
    reached = np.cumsum(squares) / total >= variance - 1e-12
    return min(int(np.argmax(reached)) + 1, rank)
