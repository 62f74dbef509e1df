"""The map between two models: fitted on data, and read off the heads without any."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._arrays import as_matrix, refuse_unequal
from .._core import Floats
from ..groups import Affine, AffineMap, Linear
from ..metrics._route import Route, second_moments
from ..metrics._second import SecondOrder
from ._tie_model import Model, precision

Both = tuple[AffineMap, AffineMap]
"""The map from a to b, and the one from b to a."""


class Codes:
    """The second moments of two codes, fold by fold: all that a linear map needs of the rows.

    Args:
        a: (n, p).
        b: (n, q), row i of the same thing.
        affine: maps with an offset, rather than through the origin.
        folds: how many parts to deal the rows into; 0 where nothing is to be held out.
        seed: of the deal.
    """

    def __init__(self, a: Floats, b: Floats, *, affine: bool, folds: int, seed: int) -> None:
        self.group = Affine() if affine else Linear()
        self.whole = second_moments(a, b)
        order = np.random.default_rng(seed).permutation(len(a))
        route: Route = "gram" if self.whole.route == "gram" else "exact"
        self.parts: list[SecondOrder] = [
            second_moments(a[part], b[part], route=route)
            for part in (np.array_split(order, folds) if folds else [])
        ]

    def fit(self) -> Both:
        """The maps fitted on all rows."""
        return self.group.fit_both(self.whole)

    def r2_of_fit(self) -> float:
        """Two-way R² of the maps fitted on the other folds."""
        return self._r2(self.group.fit_both(rest) for rest in self._rests())

    def r2_of(self, maps: Both, *, free_offset: bool) -> float:
        """Two-way R² of given maps; a free offset is taken from the other folds."""
        if not free_offset:
            return self._r2(maps for _ in self.parts)
        return self._r2(
            (with_offset(maps[0], rest), with_offset(maps[1], rest.swapped()))
            for rest in self._rests()
        )

    def _rests(self) -> Iterable[SecondOrder]:
        for k in range(len(self.parts)):
            first, *others = self.parts[:k] + self.parts[k + 1 :]
            yield first.merge(*others)

    def _r2(self, per_fold: Iterable[Both]) -> float:
        """1 - SSE / SST, pooled over columns, the lesser of the two directions."""
        errors = np.zeros(2)
        for part, maps in zip(self.parts, per_fold, strict=True):
            for way, (moments, m) in enumerate(zip((part, part.swapped()), maps, strict=True)):
                errors[way] += moments.residual(m.matrix, m.offset).sum()
        totals = [np.trace(self.whole.bb), np.trace(self.whole.aa)]
        return float(1 - (errors / totals).max())


@dataclass(frozen=True, eq=False)
class Heads:
    """What two heads say about each other without a row of data."""

    a: Model
    b: Model

    def rows(self) -> Both:
        """f_b = pinv(G_b) (G_a f_a + β_a - β_b), G centred over labels; and the same backwards."""
        gap = self._bias_gap()
        return (
            AffineMap("affine", self.b.solve(self.a.centred), self.b.solve(gap)[:, 0]),
            AffineMap("affine", self.a.solve(self.b.centred), self.a.solve(-gap)[:, 0]),
        )

    def labels(self, shuffle: Any = slice(None)) -> tuple[Floats, Floats]:
        """Least-squares matrices g_a → g_b and back, of centred g; labels of b may be shuffled."""
        a, b = self.a.centred, self.b.centred
        back = slice(None) if isinstance(shuffle, slice) else np.argsort(shuffle)
        return self.a.solve(b[shuffle]).T, self.b.solve(a[back]).T

    @property
    def knows_offset(self) -> bool:
        """Whether the heads determine the offset too: no biases, or known ones."""
        return not self.a.affine or self.a.bias is not None

    def _bias_gap(self) -> Floats:
        if self.a.bias is None or self.b.bias is None:
            return np.zeros((len(self.a.g), 1))
        gap = self.a.bias - self.b.bias
        return np.asarray((gap - gap.mean())[:, None])


def map_from_heads(g_a: Any, g_b: Any, labels: Sequence[int] | None = None) -> Floats:
    """The linear map f_a → f_b that equal predictions imply, from the heads alone.

    Equal predictions mean (g_b(y) - g_b(y'))ᵀ f_b = (g_a(y) - g_a(y'))ᵀ f_a for all labels, so
    A = pinv(G_b) G_a with G centred over labels: least squares over all differences. With M + 1
    `labels` the system is square, and A = (L_a L_b⁻¹)ᵀ is the construction of the theorem.

    Args:
        g_a: codes of the labels in model a (K, M).
        g_b: codes of the same labels in model b (K, M').
        labels: which of them to use; all, unless given.

    Returns:
        A (M', M).

    Example:
        >>> rng = np.random.default_rng(0)
        >>> g, matrix = rng.normal(size=(9, 3)), rng.normal(size=(3, 3))
        >>> other = g @ np.linalg.inv(matrix) + 5
        >>> np.allclose(map_from_heads(g, other), matrix)
        True
        >>> np.allclose(map_from_heads(g, other, labels=[0, 2, 5, 7]), matrix)
        True

    References:
        roeder2021
    """
    a, b = (
        as_matrix(g if labels is None else np.asarray(g)[list(labels)], name)
        for g, name in ((g_a, "g_a"), (g_b, "g_b"))
    )
    refuse_unequal(len(a), len(b), ("g_a", "g_b"))
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    return np.asarray(np.linalg.pinv(b, rcond=8 * b.shape[1] * precision(g_b)) @ a)


def with_offset(given: AffineMap, moments: SecondOrder) -> AffineMap:
    """The map with the offset that carries one mean to the other."""
    return AffineMap("affine", given.matrix, moments.mean_b - given.matrix @ moments.mean_a)
