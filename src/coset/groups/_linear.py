"""Linear maps, without and with an offset."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from .._core import Floats
from ..metrics._second import SecondOrder
from ..metrics._spectra import inverse_norms
from ._affine_map import AffineMap
from ._group import MomentGroup


class Linear(MomentGroup):
    """b = A a, no offset: softmax models without biases (Roeder et al., Theorem 1)."""

    name: ClassVar[str] = "linear"
    says: ClassVar[str] = "b = A a"
    inside: ClassVar[tuple[str, ...]] = ("affine",)
    cite: ClassVar[str] = "roeder2021"

    def fit_both(self, moments: SecondOrder) -> tuple[AffineMap, AffineMap]:
        """Least squares through the origin."""
        return _through_origin(moments), _through_origin(moments.swapped())


class Affine(MomentGroup):
    """b = A a + c: softmax models with biases."""

    name: ClassVar[str] = "affine"
    says: ClassVar[str] = "b = A a + c"
    inside: ClassVar[tuple[str, ...]] = ("nonlinear",)
    cite: ClassVar[str] = "roeder2021"

    def fit_both(self, moments: SecondOrder) -> tuple[AffineMap, AffineMap]:
        """Least squares with an intercept."""
        return affine(moments), affine(moments.swapped())


def affine(moments: SecondOrder) -> AffineMap:
    """Least squares with an intercept, a → b."""
    matrix = moments.regression()
    return AffineMap("affine", matrix, moments.mean_b - matrix @ moments.mean_a)


def _through_origin(moments: SecondOrder) -> AffineMap:
    """The affine fit with its offset folded into the matrix, without forming uncentred squares.

    Least squares through the origin adds the rank-one term (offset vᵀ) n / (1 + n meanᵀv) with
    v = (centred gram)⁺ mean (Sherman and Morrison). Where the mean leaves the range of the gram (a
    constant column other than 0), that part of the mean carries the offset exactly.
    """
    fit = affine(moments)
    direction = _carrier(moments)
    return AffineMap(
        "linear", fit.matrix + np.outer(fit.offset, direction), np.zeros(len(fit.offset))
    )


def _carrier(moments: SecondOrder) -> Floats:
    """The row vector that turns a centred fit's offset into slope; constant columns carry it
    exactly, others as far as least squares finds it worth.
    """
    mean = moments.mean_a
    v = moments.solve(mean[:, None])[:, 0]
    scale = inverse_norms(moments.norms()[0])
    outside = np.where(scale > 0, scale**2, 1.0) * (mean - moments.aa @ v)
    if outside @ mean > 1e-10 * (scale * mean) @ (scale * mean):
        return np.asarray(outside / (outside @ mean))
    return np.asarray(v * (moments.n / (1 + moments.n * (mean @ v))))
