"""Ranks against SciPy's, with and without equal values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import rankdata

from coset.metrics._ranks import order_of, ranks_of


@pytest.mark.parametrize("kind", ["distinct", "some equal", "constant"])
def test_ranks_are_those_of_scipy(kind):
    rows = np.random.default_rng(0).normal(size=(300, 5))
    if kind == "some equal":
        rows[:, [1, 3]] = np.round(rows[:, [1, 3]])
    if kind == "constant":
        rows[:, 2] = 7
    np.testing.assert_array_equal(ranks_of(rows), rankdata(rows, axis=0))


def test_equal_values_stay_in_their_order():
    columns = np.random.default_rng(0).integers(0, 3, size=(4, 500)).astype(float)
    np.testing.assert_array_equal(order_of(columns), np.argsort(columns, axis=1, kind="stable"))
