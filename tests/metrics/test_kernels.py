"""Alignment of Gaussian kernels: dcor and naive loops as oracles, and linear CKA as the limit."""

import itertools

import numpy as np
import pytest

from coset._core import BadInput
from coset.metrics._kernels import centre_kernel, rbf_cka


def codes(n=30, p=3, q=5, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.standard_normal((n, p))
    return a, np.tanh(a @ rng.standard_normal((p, q))) + 0.3 * rng.standard_normal((n, q))


def gaussian(x, bandwidth=1.0):
    """The kernel, one pair at a time."""
    n = len(x)
    distances = [np.linalg.norm(x[i] - x[j]) for i in range(n) for j in range(i)]
    width = bandwidth * np.median(distances)
    return np.array([[np.exp(-((u - v) ** 2).sum() / (2 * width**2)) for v in x] for u in x])


def linear(x):
    return x @ x.T


def ratio(hsic, k, m):
    return hsic(k, m) / np.sqrt(hsic(k, k) * hsic(m, m))


def u_statistic(k, m):
    """HSIC_1 as three sums over tuples of different rows (Song et al., eq. 3)."""
    n = len(k)
    pairs = sum(k[i, j] * m[i, j] for i, j in itertools.permutations(range(n), 2))
    triples = sum(k[i, j] * m[i, q] for i, j, q in itertools.permutations(range(n), 3))
    fours = sum(k[i, j] * m[q, r] for i, j, q, r in itertools.permutations(range(n), 4))
    two, three, four = n * (n - 1), n * (n - 1) * (n - 2), n * (n - 1) * (n - 2) * (n - 3)
    return pairs / two - 2 * triples / three + fours / four


def biased(k, m):
    n = len(k)
    h = np.eye(n) - 1 / n
    return np.trace(k @ h @ m @ h)


@pytest.mark.parametrize("bandwidth", [0.3, 1.0, 4.0])
def test_debiased_is_the_ratio_of_u_statistics(bandwidth):
    a, b = codes(n=9)
    expected = ratio(u_statistic, gaussian(a, bandwidth), gaussian(b, bandwidth))
    assert rbf_cka(a, b, bandwidth=bandwidth) == pytest.approx(expected, abs=1e-12)


def test_debiased_is_dcors_product_of_u_centred_matrices():
    dcor = pytest.importorskip("dcor")
    a, b = codes()
    k, m = gaussian(a), gaussian(b)
    # with an off-diagonal constant taken away, as dcor's centring expects distances
    left, right = dcor.u_centered(1 - k), dcor.u_centered(1 - m)
    expected = dcor.u_product(left, right) / np.sqrt(
        dcor.u_product(left, left) * dcor.u_product(right, right)
    )
    assert rbf_cka(a, b) == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.parametrize("n", [3, 30])
def test_biased_is_the_trace_with_centring_matrices(n):
    a, b = codes(n=n)
    expected = ratio(biased, gaussian(a), gaussian(b))
    assert rbf_cka(a, b, debiased=False) == pytest.approx(expected, abs=1e-12)


def test_both_centrings_on_linear_kernels():
    a, b = codes(n=9)
    for debiased, hsic in ((True, u_statistic), (False, biased)):
        left = centre_kernel(linear(a), debiased=debiased)
        right = centre_kernel(linear(b), debiased=debiased)
        scale = np.linalg.norm(left) * np.linalg.norm(right)
        expected = ratio(hsic, linear(a), linear(b))
        assert np.vdot(left, right) / scale == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("debiased", [True, False])
def test_a_wide_kernel_is_linear(debiased):
    a, b = codes()
    left = centre_kernel(linear(a), debiased=debiased)
    right = centre_kernel(linear(b), debiased=debiased)
    expected = np.vdot(left, right) / (np.linalg.norm(left) * np.linalg.norm(right))
    for bandwidth in (1e3, 1e6):  # off by 1 / bandwidth^2, down to rounding
        score = rbf_cka(a, b, debiased=debiased, bandwidth=bandwidth)
        assert score == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("debiased", [True, False])
def test_laws(debiased):
    a, b = codes()
    score = rbf_cka(a, b, debiased=debiased)
    turn = np.linalg.qr(np.random.default_rng(1).standard_normal((3, 3)))[0]
    assert rbf_cka(b, a, debiased=debiased) == pytest.approx(score, abs=1e-14)
    assert rbf_cka(a, a, debiased=debiased) == pytest.approx(1, abs=1e-14)
    moved = rbf_cka(7 * a @ turn - 100, b, debiased=debiased)
    assert moved == pytest.approx(score, abs=1e-11)
    order = np.random.default_rng(2).permutation(30)
    assert rbf_cka(a[order], b[order], debiased=debiased) == pytest.approx(score, abs=1e-12)


def test_independent_codes_score_zero_and_are_not_clipped():
    # 200 draws, n=40, p=q=200: mean within five of its standard errors (measured from the draws)
    # of 0, false failure below 1e-6; biased, the same draws score near 1.
    rng = np.random.default_rng(0)
    pairs = [rng.standard_normal((2, 40, 200)) for _ in range(200)]
    out = np.array([rbf_cka(a, b) for a, b in pairs])
    assert abs(out.mean()) < 5 * out.std() / np.sqrt(200)
    assert out.min() < 0
    assert rbf_cka(*pairs[0], debiased=False) > 0.7


def test_refusals():
    a, b = codes()
    with pytest.raises(BadInput, match="at least 4 rows"):
        rbf_cka(a[:3], b[:3])
    with pytest.raises(BadInput, match="median distance is zero"):
        rbf_cka(np.ones((10, 2)), b[:10])
    with pytest.raises(BadInput, match="equally far apart"):
        rbf_cka(np.eye(5), b[:5])
    with pytest.raises(BadInput, match="bandwidth=0"):
        rbf_cka(a, b, bandwidth=0)
