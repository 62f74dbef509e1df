"""Canonical correlations: plain, and of principal components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._core import BadInput, Floats, Score
from ._checks import whole_number
from ._route import Route, second_moments
from ._second import SecondOrder
from ._spectra import refuse_constant


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
    refuse_constant(*moments.norms())
    kept_a, kept_b = (_kept(s, variance, components) for s in moments.principal())
    correlations = _correlations(moments.principal_coherence(kept_a, kept_b))
    return SVCCA(
        float(correlations.mean()),
        correlations,
        (kept_a, kept_b),
        saturated=kept_a + kept_b > moments.n - 1,
        route=moments.route,
    )


def _correlations(coherence: Floats) -> Floats:
    return np.clip(np.linalg.svd(coherence, compute_uv=False), 0.0, 1.0)


def _kept(sizes: Floats, variance: float, components: int | None) -> int:
    squares = sizes**2
    rank = int((squares > squares[0] * 1e-13).sum())
    if components is not None:
        return min(whole_number(components, "components", 1), rank)
    if not 0 < variance <= 1:
        raise BadInput(f"variance={variance}; a share in (0, 1] is needed")
    reached = np.cumsum(squares) / squares.sum() >= variance - 1e-12
    return min(int(np.argmax(reached)) + 1, rank)
