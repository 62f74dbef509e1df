"""Columns in another order: as they are, up to sign, or up to scale and offset."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from .._core import Floats
from ..metrics._mcc import correlations_of
from ..metrics._second import SecondOrder
from ._affine_map import AffineMap
from ._group import MomentGroup


class Permutation(MomentGroup):
    """b = P a."""

    name: ClassVar[str] = "permutation"
    says: ClassVar[str] = "b = P a"
    inside: ClassVar[tuple[str, ...]] = ("signed-permutation",)
    cite: ClassVar[str] = "kuhn1955"

    def fit_both(self, moments: SecondOrder) -> tuple[AffineMap, AffineMap]:
        """Hungarian matching of columns by squared distance."""
        rows, columns = linear_sum_assignment(_distance(moments, +1.0))
        return _signed(self.name, moments, rows, columns, np.ones(len(rows)))


class SignedPermutation(MomentGroup):
    """b = S P a, S a diagonal of signs."""

    name: ClassVar[str] = "signed-permutation"
    says: ClassVar[str] = "b = S P a"
    inside: ClassVar[tuple[str, ...]] = ("scaled-permutation", "orthogonal")
    cite: ClassVar[str] = "kuhn1955"

    def fit_both(self, moments: SecondOrder) -> tuple[AffineMap, AffineMap]:
        """Hungarian matching of columns by squared distance under the better sign."""
        plus, minus = _distance(moments, +1.0), _distance(moments, -1.0)
        rows, columns = linear_sum_assignment(np.minimum(plus, minus))
        signs = np.where(minus[rows, columns] < plus[rows, columns], -1.0, 1.0)
        return _signed(self.name, moments, rows, columns, signs)


class ScaledPermutation(MomentGroup):
    """b = D P a + c, D diagonal and invertible: what Pearson MCC measures."""

    name: ClassVar[str] = "scaled-permutation"
    says: ClassVar[str] = "b = D P a + c"
    inside: ClassVar[tuple[str, ...]] = ("componentwise", "affine")
    cite: ClassVar[str] = "kuhn1955"

    def fit_both(self, moments: SecondOrder) -> tuple[AffineMap, AffineMap]:
        """Hungarian matching of columns by |correlation|, then a regression for each pair."""
        rows, columns = linear_sum_assignment(-np.abs(correlations_of(moments)))
        cross = moments.ab[rows, columns]
        there = _pairs(moments.ab.T.shape, columns, rows, _ratio(cross, moments.aa, rows))
        back = _pairs(moments.ab.shape, rows, columns, _ratio(cross, moments.bb, columns))
        return (
            AffineMap(self.name, there, moments.mean_b - there @ moments.mean_a),
            AffineMap(self.name, back, moments.mean_a - back @ moments.mean_b),
        )


def _distance(moments: SecondOrder, sign: float) -> Floats:
    """Summed squared distance between column i of a, under a sign, and column j of b (p, q)."""
    apart = moments.mean_a[:, None] - sign * moments.mean_b
    size_a, size_b = np.diagonal(moments.aa), np.diagonal(moments.bb)
    return size_a[:, None] + size_b - 2 * sign * moments.ab + moments.n * apart**2


def _signed(
    name: str, moments: SecondOrder, rows: NDArray, columns: NDArray, signs: Floats
) -> tuple[AffineMap, AffineMap]:
    p, q = moments.ab.shape
    matrix = _pairs((q, p), columns, rows, signs)
    return AffineMap(name, matrix, np.zeros(q)), AffineMap(name, matrix.T, np.zeros(p))


def _pairs(shape: tuple[int, ...], rows: NDArray, columns: NDArray, values: Floats) -> Floats:
    matrix = np.zeros(shape)
    matrix[rows, columns] = values
    return matrix


def _ratio(cross: Floats, gram: Floats, columns: NDArray) -> Floats:
    sizes = np.diagonal(gram)[columns]
    return np.divide(cross, sizes, out=np.zeros_like(cross), where=sizes > 0)
