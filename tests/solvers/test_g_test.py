"""The G-test: SciPy's values, strata, empty cells, calibration; tables by counting."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from coset._core import BadInput
from coset.solvers import g_test, tables

FALSE_FAILURE = 1e-4
"""Of a test of calibration; seeds are fixed."""


def test_one_stratum_against_scipy():
    rng = np.random.default_rng(0)
    counts = rng.integers(1, 50, (6, 3, 4, 1))
    found = g_test(counts)
    for k, table in enumerate(counts[..., 0]):
        peer = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood")
        assert found.statistic[k] == pytest.approx(peer.statistic, rel=1e-12)
        assert found.degrees[k] == peer.dof
        assert found.p_value[k] == pytest.approx(peer.pvalue, rel=1e-9)


def test_strata_add_up():
    counts = np.random.default_rng(1).integers(1, 50, (2, 2, 5))
    found = g_test(counts)
    apart = [g_test(counts[..., s : s + 1]) for s in range(5)]
    assert found.statistic[0] == pytest.approx(sum(one.statistic[0] for one in apart))
    assert found.degrees[0] == 5
    assert found.p_value[0] == pytest.approx(stats.chi2.sf(found.statistic[0], 5))


def test_strata_in_which_nothing_varies_say_nothing():
    counts = np.array([[40, 10], [10, 40]])[..., None]
    still = np.array([[7, 3], [0, 0]])[..., None]
    empty = np.zeros((2, 2, 1))
    found = g_test(np.concatenate([counts, still, empty], axis=-1))
    alone = g_test(counts)
    assert found.statistic[0] == pytest.approx(alone.statistic[0])
    assert found.degrees[0] == 1
    assert g_test(still).p_value.tolist() == [1.0]
    assert g_test(empty).p_value.tolist() == [1.0]


def test_p_values_are_uniform_under_independence():
    rng = np.random.default_rng(2)
    values = rng.random((2000, 800, 3)) < [0.3, 0.5, 0.4]
    found = g_test(tables(values)).p_value
    assert stats.kstest(found, "uniform").pvalue > FALSE_FAILURE


def test_tables_by_counting():
    values = np.random.default_rng(3).integers(0, 3, (2, 50, 3))
    counts = tables(values, 3)
    assert counts.shape == (2, 3, 3, 3)
    for block, cell in itertools.product(range(2), itertools.product(range(3), repeat=3)):
        assert counts[(block, *cell)] == (values[block] == cell).all(1).sum()
    np.testing.assert_array_equal(tables(values[0], 3), counts[0])


def test_refusals():
    with pytest.raises(BadInput, match="tables"):
        g_test([[1, 2], [3, 4]])
    with pytest.raises(BadInput, match="from 0"):
        g_test([[[-1.0], [2.0]], [[3.0], [4.0]]])
    with pytest.raises(BadInput, match="whole numbers"):
        tables([[0.5, 1.0]])
    with pytest.raises(BadInput, match="0 to 1"):
        tables([[0, 2]])
