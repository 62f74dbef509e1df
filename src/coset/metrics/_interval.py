"""Intervals of a score from the rows at hand, without drawing any row twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.stats import t as student

from .._arrays import as_pair
from .._core import BadInput, Floats, Score

Metric = Callable[[Any, Any], Any]


@dataclass(frozen=True, eq=False, repr=False)
class Interval(Score):
    """A score with the interval that more such rows would leave it in."""

    low: float
    high: float
    error: float
    """Standard error."""
    level: float
    method: str


def interval(
    metric: Metric,
    a: Any,
    b: Any,
    *,
    method: Literal["jackknife", "subsample"] = "jackknife",
    level: float = 0.95,
    blocks: int = 20,
    draws: int = 200,
    seed: int = 0,
) -> Interval:
    """PLACEHOLDER."""
    a, b = as_pair(a, b)
    n = len(a)
    observed = float(metric(a, b))
    rng = np.random.default_rng(seed)
    if method == "jackknife":
        order = rng.permutation(n)
        cut = np.array_split(order, blocks)
        pseudo, weight = [], []
        for block in cut:
            keep = np.ones(n, bool)
            keep[block] = False
            h = n / len(block)
            pseudo.append(h * observed - (h - 1) * float(metric(a[keep], b[keep])))
            weight.append(h)
        pseudo, weight = np.array(pseudo), np.array(weight)
        estimate = np.mean(pseudo)
        error = np.sqrt(np.mean((pseudo - estimate) ** 2 / (weight - 1)))
        half = student.ppf(0.5 + level / 2, blocks - 1) * error
        return observed, estimate, error, half
    m = n // 2
    values = []
    for _ in range(draws):
        keep = np.sort(rng.permutation(n)[:m])
        values.append(float(metric(a[keep], b[keep])))
    values = np.array(values)
    factor = np.sqrt(m / (n - m))
    return observed, values, factor
