"""Each column on its own, through a monotone function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression, linear_sum_assignment

from .._core import BadInput, Floats, Map
from ..metrics._mcc import correlations_of
from ..metrics._moments import Moments
from ..metrics._ranks import order_of, ranks_by
from ..metrics._second import SecondOrder
from ._affine_map import of_width
from ._group import RowGroup
from ._monotone import monotone_cubics

BINS = 32
LEAST = 3
"""Rows in a bin."""
KNOTS = 96


@dataclass(frozen=True, eq=False)
class ComponentwiseMap(Map):
    """b_j = h_j(a_i) for each matched pair of columns, h_j monotone."""

    group: str
    columns: NDArray
    """(q,): the column of a behind each column of b, -1 for none."""
    places: Floats
    """(q, KNOTS): where h_j is given ..."""
    values: Floats
    """(q, KNOTS): ... and what it is there."""
    width: int

    def __call__(self, a: Any) -> Floats:
        """Carry rows of a (n, p) over to b (n, q); unmatched columns get their mean."""
        rows = np.asarray(of_width(a, self.width, "the map takes"), dtype=float)
        out = np.tile(self.values[:, 0], (len(rows), 1))
        for j, i in enumerate(self.columns):
            if i >= 0:
                out[:, j] = _interpolate(self.places[j], self.values[j], rows[:, i])
        return out

    def inverse(self, b: Any) -> Floats:
        """Carry rows of b back to a, where every column of a has a partner."""
        rows = np.asarray(of_width(b, len(self.columns), "the inverse takes"), dtype=float)
        out = np.full((len(rows), self.width), np.nan)
        for j, i in enumerate(self.columns):
            order = 1 if self.values[j, -1] >= self.values[j, 0] else -1
            if i >= 0 and (np.diff(self.values[j][::order]) > 0).all():
                out[:, i] = _interpolate(
                    self.values[j][::order], self.places[j][::order], rows[:, j]
                )
        if np.isnan(out).any():
            lost = np.flatnonzero(np.isnan(out).any(0)).tolist()
            raise BadInput(
                f"columns {lost[:5]} of a cannot be restored: no column of b moves strictly with "
                f"them; fit a map the other way, coset.align(b, a)"
            )
        return out

    def tensors(self) -> dict[str, NDArray]:
        """What determines the map."""
        return {
            "columns": self.columns.astype(np.int64),
            "places": self.places,
            "values": self.values,
            "width": np.array([self.width], dtype=np.int64),
        }


class Componentwise(RowGroup):
    """b_j = h_j(a_i), each h_j invertible: what Spearman MCC hints at."""

    name: ClassVar[str] = "componentwise"
    says: ClassVar[str] = "b_j = h_j(a_i)"
    inside: ClassVar[tuple[str, ...]] = ("nonlinear",)
    cite: ClassVar[str] = "fritsch1980"

    def fit_both(
        self, moments: SecondOrder, a: Floats, b: Floats
    ) -> tuple[ComponentwiseMap, ComponentwiseMap]:
        """Match columns by |Spearman|, then monotone curves through isotonic quantile means."""
        sides = [np.ascontiguousarray(side.T) for side in (a, b)]
        orders = [order_of(side) for side in sides]
        table = correlations_of(Moments().update(*map(ranks_by, orders, sides)))
        matched = linear_sum_assignment(-np.abs(table))
        there, back = (
            _fit(
                self.name,
                orders[k],
                sides[k],
                sides[1 - k],
                matched[k],
                matched[1 - k],
                table[matched],
            )
            for k in (0, 1)
        )
        return there, back


def _fit(
    name: str,
    order: NDArray,
    a: Floats,
    b: Floats,
    of_a: NDArray,
    of_b: NDArray,
    alike: Floats,
) -> ComponentwiseMap:
    """The map of columns `of_a` of a (p, n), which `order` sorts, to columns `of_b` of b (q, n)."""
    columns = np.full(len(b), -1)
    columns[of_b] = of_a
    places = np.tile(np.linspace(0.0, 1.0, KNOTS), (len(b), 1))
    values = np.tile(b.mean(1)[:, None], (1, KNOTS))
    i, j = of_a[alike != 0], of_b[alike != 0]
    if len(j):
        x, y = (np.take_along_axis(side, order[i], axis=1) for side in (a[i], b[j]))
        places[j], values[j] = _curves(x, y, alike[alike != 0] > 0)
    return ComponentwiseMap(name, columns, places, values, len(a))


def _curves(x: Floats, y: Floats, rising: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Knots (k, KNOTS) of a monotone curve of each row of y on that of x (k, n), x ascending.

    They lie on isotonic means of bins, joined by monotone cubics.
    """
    starts = np.append(0, _cuts(x.shape[1]))
    counts = np.diff(np.append(starts, x.shape[1])).astype(float)
    sums_x, sums_y = (np.add.reduceat(side, starts, axis=1) for side in (x, y))
    bins = [
        _bins(place, level, counts, rising=up)
        for place, level, up in zip(sums_x / counts, sums_y, rising.tolist(), strict=True)
    ]
    sizes = np.array([len(place) for place, _ in bins])
    places, values = np.empty((2, len(x), KNOTS))
    for size in np.unique(sizes):  # columns without equal values all have one size
        same = np.flatnonzero(sizes == size)
        place, level = np.array([bins[k] for k in same]).transpose(1, 0, 2)
        numbers = np.linspace(0, size - 1, KNOTS)
        places[same] = [np.interp(numbers, np.arange(size), row) for row in place]
        values[same] = monotone_cubics(place, level, numbers)
    return places, values


def _bins(places: Floats, sums: Floats, counts: Floats, *, rising: bool) -> tuple[Floats, Floats]:
    """Where the bins of a curve lie, and their isotonic means; bins in one place are one bin."""
    apart = np.diff(np.maximum.accumulate(places), prepend=-np.inf)
    distinct = np.flatnonzero(apart > 1e-9 * np.ptp(places))
    if len(distinct) < len(places):
        sums, counts = np.add.reduceat(sums, distinct), np.add.reduceat(counts, distinct)
        places = places[distinct]
    level = isotonic_regression(sums / counts, weights=counts, increasing=rising).x
    if len(places) == 1:
        return np.append(places, places + 1), np.append(level, level)
    return places, level


def _cuts(n: int) -> NDArray[np.intp]:
    """Where to cut n sorted rows into bins: fine in the tails, where curves bend most."""
    share = 1 / (1 + np.exp(-np.linspace(-6, 6, BINS + 1)[1:-1]))
    kept = [0]
    for cut in np.unique(np.round(share * n).astype(np.intp)):
        if cut - kept[-1] >= LEAST and n - cut >= LEAST:
            kept.append(int(cut))
    return np.array(kept[1:], dtype=np.intp)


def _interpolate(places: Floats, values: Floats, x: Floats) -> Floats:
    """Straight lines between the knots and beyond them."""
    first = (values[1] - values[0]) / (places[1] - places[0])
    last = (values[-1] - values[-2]) / (places[-1] - places[-2])
    below, above = np.minimum(x - places[0], 0), np.maximum(x - places[-1], 0)
    return np.interp(x, places, values) + below * first + above * last
