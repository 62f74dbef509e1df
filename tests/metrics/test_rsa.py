"""RSA: rsatoolbox, SciPy and naive counts as oracles; ties; laws."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial.distance import pdist

from coset._core import BadInput
from coset.metrics._rsa import _centred_ranks, _rho_a, _tau_a, rsa

COMPARISONS = ("spearman", "pearson", "rho_a", "tau_a", "cosine")


def codes(n=40, p=6, q=9, seed=0, *, discrete=False):
    rng = np.random.default_rng(seed)
    a = rng.standard_normal((n, p))
    b = a @ rng.standard_normal((p, q)) + rng.standard_normal((n, q))
    return (np.round(a), np.round(b / 3)) if discrete else (a, b)


@pytest.mark.parametrize("discrete", [False, True])
@pytest.mark.parametrize("dissimilarity", ["sqeuclidean", "correlation"])
@pytest.mark.parametrize("compare", COMPARISONS)
def test_against_rsatoolbox(compare, dissimilarity, discrete):
    toolbox = pytest.importorskip("rsatoolbox")
    from rsatoolbox.rdm import RDMs
    from rsatoolbox.rdm import compare as peer

    a, b = codes(discrete=discrete)
    if dissimilarity == "correlation":
        kept = (np.ptp(a, axis=1) > 0) & (np.ptp(b, axis=1) > 0)
        a, b = a[kept], b[kept]
        # the same dissimilarities for both: equal ones would tie or not by rounding
        rdms = [RDMs(pdist(x, "correlation")) for x in (a, b)]
    else:
        rdms = [toolbox.rdm.calc_rdm(toolbox.data.Dataset(x), method="euclidean") for x in (a, b)]
        for rdm in rdms:
            rdm.dissimilarities = np.round(rdm.dissimilarities, 9)
    names = {"pearson": "corr", "rho_a": "rho-a", "tau_a": "tau-a"}
    expected = peer(*rdms, method=names.get(compare, compare))[0, 0]
    score = rsa(a, b, dissimilarity=dissimilarity, compare=compare)
    assert score.value == pytest.approx(expected, abs=1e-8)


@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 2**32 - 1), m=st.integers(2, 25), levels=st.integers(1, 30))
def test_tau_a_and_ranks_by_counting(seed, m, levels):
    x, y = np.random.default_rng(seed).integers(0, levels, (2, m)).astype(float)
    if m > 2:
        signs = [
            np.sign(x[i] - x[j]) * np.sign(y[i] - y[j])
            for i, j in itertools.combinations(range(m), 2)
        ]
        assert _tau_a(x, y) == pytest.approx(np.mean(signs), abs=1e-12)
    np.testing.assert_array_equal(_centred_ranks(x), stats.rankdata(x) - (m + 1) / 2)


def test_rho_a_is_spearman_over_random_orders_of_ties():
    # 4000 orders: the mean within five of its standard errors, false failure below 1e-6
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 3, 20).astype(float), rng.integers(0, 4, 20).astype(float)
    drawn = [
        stats.spearmanr(np.lexsort((rng.random(20), x)).argsort(),
                        np.lexsort((rng.random(20), y)).argsort()).statistic
        for _ in range(4000)
    ]  # fmt: skip
    assert abs(_rho_a(x, y) - np.mean(drawn)) < 5 * np.std(drawn) / np.sqrt(4000)


def test_by_hand():
    a = np.array([[0.0], [1], [3]])  # distances 1 3 2
    b = np.array([[0.0], [2], [1]])  # distances 2 1 1
    assert rsa(a, b, compare="tau_a").value == pytest.approx(-2 / 3)
    assert rsa(a, b, compare="rho_a").value == pytest.approx(-0.75)
    assert rsa(a, b, compare="spearman").value == pytest.approx(-(0.75**0.5))
    assert rsa(a, b, compare="cosine").value == pytest.approx(7 / 84**0.5)


@pytest.mark.parametrize("compare", COMPARISONS)
def test_laws(compare):
    a, b = codes()
    score = rsa(a, b, compare=compare).value
    turn = np.linalg.qr(np.random.default_rng(1).standard_normal((6, 6)))[0]
    assert rsa(b, a, compare=compare).value == pytest.approx(score, abs=1e-14)
    assert rsa(a, a, compare=compare).value == pytest.approx(1, abs=1e-12)
    assert rsa(4 * a @ turn - 3, b, compare=compare).value == pytest.approx(score, abs=1e-9)
    order = np.random.default_rng(2).permutation(len(a))
    assert rsa(a[order], b[order], compare=compare).value == pytest.approx(score, abs=1e-12)


def test_rank_comparisons_see_only_the_order():
    a, b = codes()
    for compare in ("spearman", "rho_a", "tau_a"):
        plain = rsa(a, b, compare=compare).value
        assert rsa(a, b, dissimilarity="sqeuclidean", compare=compare).value == plain


def test_ties_lower_only_the_comparisons_that_say_so():
    a, _ = codes(discrete=True)
    assert rsa(a, a).value == pytest.approx(1)
    assert rsa(a, a, compare="rho_a").value < 1
    assert rsa(a, a, compare="tau_a").value < 1


def test_independent_codes_score_zero():
    # 200 draws: the mean within five of its standard errors of 0, false failure below 1e-6
    rng = np.random.default_rng(0)
    for compare in ("spearman", "tau_a"):
        out = [rsa(*rng.standard_normal((2, 20, 10)), compare=compare).value for _ in range(200)]
        assert abs(np.mean(out)) < 5 * np.std(out) / np.sqrt(200)


def test_equal_distances():
    same = np.eye(5)
    other = np.random.default_rng(0).standard_normal((5, 2))
    for compare in ("rho_a", "tau_a"):
        assert rsa(same, other, compare=compare).value == pytest.approx(0, abs=1e-12)
    with pytest.raises(BadInput, match="pairs of rows of a are equally far apart"):
        rsa(same, other)
    with pytest.raises(BadInput, match="no dissimilarities"):
        rsa(other, np.ones((5, 2)), compare="cosine")


def test_refusals():
    a, b = codes()
    with pytest.raises(BadInput, match="at least 3 rows"):
        rsa(a[:2], b[:2])
    with pytest.raises(BadInput, match="manhattan"):
        rsa(a, b, dissimilarity="manhattan")
    with pytest.raises(BadInput, match="kendall"):
        rsa(a, b, compare="kendall")
    a[4] = 2
    with pytest.raises(BadInput, match="row 4 of a is constant"):
        rsa(a, b, dissimilarity="correlation")
    b[2] = 0
    with pytest.raises(BadInput, match="row 2 of b is zero"):
        rsa(a, b, dissimilarity="cosine")
    a[0, 0] = np.inf
    with pytest.raises(BadInput, match="row 0, column 0"):
        rsa(a, b)
    with pytest.raises(BadInput, match="b has 39"):
        rsa(b, b[1:])
