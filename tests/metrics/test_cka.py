"""Linear CKA against the Gram definition, theory and peers."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from coset._core import BadInput
from coset.metrics import Factors, Moments, cka


def pair(n=120, p=7, q=4, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(n, p)) + 5
    return a, a[:, :1] + rng.normal(size=(n, q)) * 2


def by_definition(a, b, debiased):
    k, l = a @ a.T, b @ b.T
    n = len(a)

    def hsic(k, l):
        if not debiased:
            h = np.eye(n) - 1 / n
            return np.trace(k @ h @ l @ h)
        k, l = k - np.diag(np.diag(k)), l - np.diag(np.diag(l))
        one = np.ones(n)
        return (
            np.trace(k @ l)
            + k.sum() * l.sum() / ((n - 1) * (n - 2))
            - 2 / (n - 2) * (one @ k @ l @ one)
        )

    return hsic(k, l) / np.sqrt(hsic(k, k) * hsic(l, l))


@pytest.mark.parametrize("debiased", [True, False])
@pytest.mark.parametrize("n", [4, 5, 120])
def test_by_definition(debiased, n):
    a, b = pair(n=n, seed=3)
    if debiased and n < 6:
        a, b = a[:, :2], b[:, :2]
    truth = by_definition(a, b, debiased)
    if np.isfinite(truth):
        assert cka(a, b, debiased=debiased).value == pytest.approx(truth, abs=1e-9)


def test_agrees_with_dcor_at_exponent_two():
    # with squared distances the unbiased distance correlation is debiased linear CKA
    a, b = pair()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the peer's own
        import dcor

        peer = dcor.u_distance_correlation_sqr(a, b, exponent=2)
    assert cka(a, b).value == pytest.approx(peer, abs=1e-9)


def test_agrees_with_hyppo_rv():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the peer's own
        from hyppo.independence import RV

    a, b = pair()
    assert cka(a, b, debiased=False).value == pytest.approx(RV().statistic(a, b), abs=1e-9)


def test_bias_of_wide_independent_data():
    # biased: about 0.909 at n = 100, p = q = 1000; debiased: 0 within 4 standard deviations (0.012)
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 100, 1000))
    assert cka(a, b, debiased=False).value == pytest.approx(0.909, abs=0.01)
    assert abs(cka(a, b).value) < 0.05


def test_signed_and_never_clipped():
    values = [cka(*np.random.default_rng(seed).normal(size=(2, 12, 5))).value for seed in range(40)]
    assert min(values) < -0.05
    assert abs(np.mean(values)) < 0.1


def test_undefined_is_said():
    # rows that are all equally far apart leave nothing to align once the diagonal is gone
    with pytest.warns(UserWarning, match="undefined"):
        assert np.isnan(cka(np.eye(6), np.random.default_rng(0).normal(size=(6, 2))).value)


def test_refusals():
    a, b = pair()
    with pytest.raises(BadInput, match="3 rows given"):
        cka(a[:3], b[:3])
    with pytest.raises(BadInput, match="constant"):
        cka(np.ones((9, 2)), b[:9])
    with pytest.raises(BadInput, match="'linear' or 'rbf'"):
        cka(a, b, kernel="poly")
    with pytest.raises(BadInput, match="Moments"):
        Factors().update(a, b).cka()


def test_float32_with_a_large_mean():
    a, b = pair()
    shifted = ((a + 1e4).astype(np.float32), (b + 1e4).astype(np.float32))
    exact = cka(*(x.astype(float) - 1e4 for x in shifted)).value
    assert cka(*shifted).value == pytest.approx(exact, abs=1e-9)


def test_from_merged_parts():
    a, b = pair()
    left, right = Moments().update(a[:50], b[:50]), Moments().update(a[50:], b[50:])
    assert left.merge(right).cka().value == pytest.approx(by_definition(a, b, True), abs=1e-10)
