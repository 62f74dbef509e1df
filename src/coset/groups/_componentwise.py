"""Each column on its own, through a monotone function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator
from scipy.optimize import isotonic_regression, linear_sum_assignment
from scipy.stats import rankdata

from .._core import BadInput, Floats, Map
from ..metrics._mcc import correlations_of
from ..metrics._moments import Moments
from ..metrics._second import SecondOrder
from ._affine_map import of_width
from ._group import RowGroup

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

    def fit_rows(self, a: Floats, b: Floats, moments: SecondOrder) -> ComponentwiseMap:
        """Match columns by |Spearman|, then a monotone curve through isotonic quantile means."""
        table = correlations_of(Moments().update(rankdata(a, axis=0), rankdata(b, axis=0)))
        matched_a, matched_b = linear_sum_assignment(-np.abs(table))
        columns = np.full(b.shape[1], -1)
        columns[matched_b] = matched_a
        places = np.tile(np.linspace(0.0, 1.0, KNOTS), (b.shape[1], 1))
        values = np.tile(b.mean(0)[:, None], (1, KNOTS))
        for i, j in zip(matched_a, matched_b, strict=True):
            if table[i, j]:
                places[j], values[j] = _curve(a[:, i], b[:, j], rising=table[i, j] > 0)
        return ComponentwiseMap(self.name, columns, places, values, a.shape[1])


def _curve(x: Floats, y: Floats, *, rising: bool) -> tuple[Floats, Floats]:
    """Knots of a monotone curve of y on x: isotonic bin means, joined by a monotone cubic."""
    order = np.argsort(x, kind="stable")
    starts = np.append(0, _cuts(len(x)))
    counts = np.diff(np.append(starts, len(x))).astype(float)
    places = np.add.reduceat(x[order], starts) / counts
    means = np.add.reduceat(y[order], starts) / counts
    apart = np.diff(np.maximum.accumulate(places), prepend=-np.inf)
    distinct = np.flatnonzero(apart > 1e-9 * np.ptp(places))
    means = np.add.reduceat(means * counts, distinct)
    counts = np.add.reduceat(counts, distinct)
    level = isotonic_regression(means / counts, weights=counts, increasing=rising).x
    places = places[distinct]
    if len(places) == 1:
        places, level = np.append(places, places + 1), np.append(level, level)
    grid = np.interp(np.linspace(0, 1, KNOTS), np.linspace(0, 1, len(places)), places)
    return grid, PchipInterpolator(places, level)(grid)


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
