"""The kernel test: a peer's values, calibration and power, and its limits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from coset._core import BadInput
from coset.solvers import kernel_test

FALSE_FAILURE = 1e-4
"""Of a test of calibration; seeds are fixed."""


def rows(n, seed=0, d=1):
    rng = np.random.default_rng(seed)
    z, a, b = rng.laplace(size=(3, n, d))
    return z + a, z**2 + b, z


@pytest.mark.parametrize("n", [40, 250])
@pytest.mark.parametrize("d", [1, 2])
def test_against_causal_learn(n, d):
    """It drops small eigenvalues of the conditional test: 1e-5 of the largest."""
    peer = pytest.importorskip("causallearn.utils.KCI.KCI")
    x, y, z = rows(n, d=d)
    y = y + 0.2 * x
    p_value, statistic = peer.KCI_CInd(approx=True).compute_pvalue(x, y, z)
    found = kernel_test(x, y, z)
    assert found.statistic == pytest.approx(statistic, rel=2e-3)
    assert found.p_value == pytest.approx(p_value, rel=5e-2, abs=1e-12)
    peer_alone = peer.KCI_UInd(est_width="manual", kwidthx=1.0, kwidthy=1.0, approx=True)
    p_value, statistic = peer_alone.compute_pvalue(x, y)
    found = kernel_test(x, y, width=1.0)
    assert found.statistic == pytest.approx(statistic, rel=1e-4)
    assert found.p_value == pytest.approx(p_value, rel=1e-3, abs=1e-12)


def naive(x, y, z, width, ridge):
    """All matrices in full, all eigenvalues."""
    n = len(x)
    centre = np.eye(n) - 1 / n

    def kernel(columns):
        apart = ((columns[:, None] - columns[None]) ** 2).sum(-1)
        return centre @ np.exp(-apart / (2 * width**2)) @ centre

    x, y, z = ((c - c.mean(0)) / c.std(0, ddof=1) for c in (x, y, z))
    left = ridge * np.linalg.inv(kernel(z) + ridge * np.eye(n))
    of_x, of_y = (left @ kernel(c) @ left for c in (np.hstack([x, z / 2]), y))
    roots = []
    for matrix in (of_x, of_y):
        values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
        roots.append(vectors * np.sqrt(np.maximum(values, 0)))
    products = np.einsum("ni,nj->nij", *roots).reshape(n, -1)
    gram = products @ products.T
    mean, variance = np.trace(gram), 2 * np.trace(gram @ gram)
    statistic = np.trace(of_x @ of_y)
    return statistic, stats.gamma.sf(statistic, mean**2 / variance, scale=variance / mean)


def test_against_products_of_all_eigenvectors():
    x, y, z = rows(60)
    y = y + 0.3 * x
    found = kernel_test(x, y, z, width=0.9, ridge=1e-2)
    statistic, p_value = naive(x, y, z, 0.9, 1e-2)
    assert found.statistic == pytest.approx(statistic, rel=1e-3)
    assert found.p_value == pytest.approx(p_value, rel=1e-2)


@pytest.mark.parametrize("given", [False, True])
def test_p_values_are_uniform_under_independence(given):
    """200 samples of 100 rows: the deviation from uniform that the approximation has is smaller
    than what 200 can show at this level."""
    found = []
    for seed in range(200):
        x, y, z = rows(100, seed)
        noise = np.random.default_rng([seed, 1]).normal(size=(100, 1))
        found.append(kernel_test(x, y, z).p_value if given else kernel_test(x, noise).p_value)
    assert stats.kstest(found, "uniform").pvalue > FALSE_FAILURE
    assert 1 <= np.sum(np.array(found) < 0.05) <= 25


def test_power_against_dependence_without_correlation():
    x = np.random.default_rng(0).normal(size=300)
    y = x**2 + np.random.default_rng(1).normal(size=300)
    assert kernel_test(x, y).p_value < 1e-6
    a, b, z = rows(300, 2)
    assert kernel_test(a, b).p_value < 1e-6
    assert kernel_test(a, b, z).p_value > 0.01
    assert kernel_test(a, b + np.abs(a - z), z).p_value < 1e-3


def test_what_does_not_change_it():
    x, y, z = rows(80)
    found = kernel_test(x, y, z).p_value
    order = np.random.default_rng(3).permutation(80)
    assert kernel_test(x[order], y[order], z[order]).p_value == pytest.approx(found, rel=1e-3)
    assert kernel_test(3 * x - 1, -y, z / 5).p_value == pytest.approx(found, rel=1e-3)


def test_a_constant_side_is_independent():
    x, y, z = rows(50)
    assert kernel_test(np.ones(50), y).p_value == 1
    assert kernel_test(x, np.ones(50), z).p_value == 1
    assert kernel_test(x, x + z, np.ones(50)).p_value < 0.01


def test_refusals():
    x, y, z = rows(20)
    with pytest.raises(BadInput, match="at least 5"):
        kernel_test(x[:4], y[:4])
    with pytest.raises(BadInput, match="width"):
        kernel_test(x, y, width=0.0)
    with pytest.raises(BadInput, match="ridge"):
        kernel_test(x, y, z, ridge=0.0)
    with pytest.raises(BadInput, match="given has 19"):
        kernel_test(x, y, z[:-1])
