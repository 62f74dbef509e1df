"""Monotone cubics against SciPy's, one curve at a time."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator

from coset.groups._monotone import monotone_cubics


def curves(kind, k=7, r=9):
    rng = np.random.default_rng(0)
    x = np.cumsum(rng.uniform(0.01, 3, size=(k, r)), axis=1) - 5
    if kind == "rising":
        return x, np.cumsum(rng.exponential(size=(k, r)), axis=1)
    if kind == "falling with flats":
        return x, -np.cumsum(rng.exponential(size=(k, r)) * (rng.random((k, r)) < 0.5), axis=1)
    return x, rng.normal(size=(k, r))


@pytest.mark.parametrize("kind", ["rising", "falling with flats", "any"])
@pytest.mark.parametrize("points", [2, 3, 9])
def test_agrees_with_scipy(kind, points):
    x, y = (side[:, :points] for side in curves(kind))
    numbers = np.linspace(0, points - 1, 40)
    found = monotone_cubics(x, y, numbers)
    for row, place, level in zip(found, x, y, strict=True):
        at = np.interp(numbers, np.arange(points), place)
        np.testing.assert_allclose(row, PchipInterpolator(place, level)(at), atol=1e-12)


def test_a_line_stays_a_line():
    x, _ = curves("any")
    numbers = np.linspace(0, 8, 33)
    at = np.array([np.interp(numbers, np.arange(9), place) for place in x])
    np.testing.assert_allclose(monotone_cubics(x, 3 * x - 1, numbers), 3 * at - 1, atol=1e-12)
