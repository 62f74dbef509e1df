"""Permutation nulls and intervals: their promises, counted over many draws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from coset._core import BadInput, Score
from coset.metrics._chance import chance, chance_layers
from coset.metrics._interval import interval
from coset.metrics._kernels import centre_kernel


def correlation(a, b):
    return abs(np.corrcoef(a[:, 0], b[:, 0])[0, 1])


def debiased_cka(a, b):
    left, right = (centre_kernel(x @ x.T, debiased=True) for x in (a, b))
    return np.vdot(left, right) / np.sqrt(np.vdot(left, left) * np.vdot(right, right))


def canonical(a, b):
    """Mean squared canonical correlation."""
    left, right = (np.linalg.qr(x - x.mean(axis=0))[0] for x in (a, b))
    return ((left.T @ right) ** 2).sum() / min(a.shape[1], b.shape[1])


def correlated(n, p, r, seed):
    """p pairs of columns that correlate by r: linear CKA and squared canonical correlations r^2."""
    rng = np.random.default_rng(seed)
    a, noise = rng.standard_normal((2, n, p))
    scales = np.linspace(0.5, 1.5, p)
    return a * scales, (r * a + np.sqrt(1 - r * r) * noise) * scales


def test_the_null_by_hand():
    a, b = correlated(30, 2, 0.4, 0)
    rng = np.random.default_rng(7)
    null = np.array([correlation(a, b[rng.permutation(30)]) for _ in range(99)])
    score = chance(correlation, a, b, permutations=99, seed=7)
    np.testing.assert_array_equal(score.null, null)
    assert score.value == null.mean()
    assert score.observed == correlation(a, b)
    assert score.p_value == (1 + (null >= score.observed).sum()) / 100
    assert score.threshold == np.sort(null)[-5]
    room = (score.observed - score.threshold) / (1 - score.threshold)
    assert score.calibrated == max(0, room)


@settings(deadline=None, max_examples=200)
@given(
    null=st.lists(st.integers(0, 9), min_size=9, max_size=60),
    observed=st.integers(0, 9),
    alpha=st.sampled_from([0.1, 0.15, 0.29, 0.3, 0.5]),
)
def test_above_the_threshold_means_significant_and_nothing_else_does(null, observed, alpha):
    left = iter([*null, observed])
    data = np.zeros((3, 1))
    score = chance(lambda a, b: next(left), data, data, permutations=len(null), alpha=alpha)
    assert (score.observed > score.threshold) == (score.p_value <= alpha + 1e-12)
    assert (score.calibrated > 0) <= (score.observed > score.threshold)


def test_p_values_of_independent_codes_are_uniform():
    # p takes the values 1/20 … 20/20 equally often: chi-squared over 1000 draws, 19 degrees of
    # freedom, refused at 1e-5. The metric knows the order of a, so nothing is normal about it.
    counts = np.zeros(20)
    for seed in range(1000):
        a, b = np.random.default_rng(seed).exponential(size=(2, 12, 1))
        score = chance(lambda a, b: (a * b).sum(), a, b, permutations=19, seed=seed)
        counts[round(score.p_value * 20) - 1] += 1
    assert stats.chisquare(counts).pvalue > 1e-5


def test_metrics_that_return_scores():
    a, b = correlated(40, 1, 0.9, 0)
    score = chance(lambda a, b: Score(correlation(a, b)), a, b)
    assert score.p_value == 1 / 201
    assert 0 < score.calibrated < score.observed
    assert float(score) == score.null.mean()
    assert "p_value=0.00497" in repr(score)


def test_identity_calibrates_to_one_and_noise_to_zero():
    a = correlated(40, 1, 0, 0)[0]
    assert chance(correlation, a, a).calibrated == pytest.approx(1)
    assert chance(lambda a, b: 0.5, a, a).calibrated == 0
    assert chance(lambda a, b: 1.0, a, a).calibrated == 0


def test_one_layer_each_is_the_plain_null():
    a, b = correlated(40, 2, 0.3, 0)
    plain = chance(correlation, a, b)
    layers = chance_layers(correlation, [a], [b])
    np.testing.assert_array_equal(plain.null, layers.null)
    assert layers.p_values[0, 0] == layers.p_value == plain.p_value
    assert (layers.threshold, layers.calibrated) == (plain.threshold, plain.calibrated)


def test_layers_share_each_permutation():
    # with copies of one layer, shared shuffles leave the largest of all pairs as it is for one
    a, b = correlated(40, 2, 0.3, 0)
    single = chance(correlation, a, b)
    layers = chance_layers(correlation, [a, a], [b, b, b])
    np.testing.assert_array_equal(single.null, layers.null)
    assert layers.scores.shape == layers.p_values.shape == (2, 3)


def test_the_best_of_many_pairs_by_chance_is_not_significant():
    # Independent codes, 5 x 5 layers: the adjusted p-value of the best pair is at most 0.05 in at
    # most 5 % of draws; above 27 of 300 with probability 0.001 (binomial). Unadjusted, some pair
    # is "significant" in most draws.
    adjusted = plain = 0
    for seed in range(300):
        layers = np.random.default_rng(seed).standard_normal((10, 20, 1))
        score = chance_layers(correlation, layers[:5], layers[5:], permutations=19, seed=seed)
        adjusted += score.p_values.min() <= 0.05
        assert score.p_values[score.best] == score.p_value == score.p_values.min()
        plain += score.scores.max() > 0.444  # the 5 % point of |r| on 20 rows
    assert adjusted <= stats.binom(300, 0.05).ppf(0.999)
    assert plain > 150


def test_a_related_pair_of_layers_is_found():
    rng = np.random.default_rng(0)
    a, b = list(rng.standard_normal((3, 60, 1))), list(rng.standard_normal((4, 60, 1)))
    b[2] = a[1] + 0.5 * b[2]
    score = chance_layers(correlation, a, b)
    assert score.best == (1, 2)
    assert score.p_values[1, 2] == 1 / 201
    assert (np.delete(score.p_values.ravel(), 6) > 0.05).all()


def test_refusals_of_nulls():
    a, b = correlated(20, 2, 0.5, 0)
    with pytest.raises(BadInput, match="cannot reach alpha"):
        chance(correlation, a, b, permutations=18)
    with pytest.raises(BadInput, match="cannot reach alpha"):
        chance(correlation, a, b, alpha=1.5)
    with pytest.raises(BadInput, match="gave NaN"):
        chance(lambda a, b: float("nan"), a, b)
    with pytest.raises(BadInput, match="b has 19"):
        chance(correlation, a, b[1:])
    with pytest.raises(BadInput, match=r"layers_b\[1\] has 19"):
        chance_layers(correlation, [a], [b, b[1:]])
    with pytest.raises(BadInput, match="at least one layer"):
        chance_layers(correlation, [a], [])
    b[2, 1] = np.inf
    with pytest.raises(BadInput, match="row 2, column 1"):
        chance(correlation, a, b)


def test_jackknife_of_a_mean_is_the_textbook_interval():
    # blocks of one row, and the mean of a: the usual standard error, and no bias to correct
    a = np.random.default_rng(0).exponential(size=(30, 1))
    score = interval(lambda a, b: a.mean(), a, a, blocks=30)
    error = a.std(ddof=1) / np.sqrt(30)
    assert score.error == pytest.approx(error)
    assert score.corrected == pytest.approx(score.value)
    reach = stats.t(29).ppf(0.975) * error
    assert (score.low, score.high) == pytest.approx((a.mean() - reach, a.mean() + reach))


def test_jackknife_takes_away_bias_of_order_one_over_n():
    # the variance with n for n - 1 is biased by exactly -1/n of itself
    a = np.random.default_rng(0).standard_normal((40, 1))
    score = interval(lambda a, b: a.var(), a, a, blocks=40)
    assert score.corrected == pytest.approx(a.var(ddof=1))


def test_blocks_of_unequal_size():
    a = np.random.default_rng(0).standard_normal((33, 1))
    score = interval(lambda a, b: a.mean(), a, a, blocks=10)
    assert score.corrected == pytest.approx(score.value)
    # one draw of an error with 9 degrees of freedom: within a factor of 2.5 but for 1e-4
    assert 0.4 < score.error / (a.std(ddof=1) / np.sqrt(33)) < 2.5


def test_subsamples_of_a_mean():
    # 4000 draws: relative error of the standard deviation 1 / sqrt(8000), five of them
    a = np.random.default_rng(0).standard_normal((51, 1))
    score = interval(lambda a, b: a.mean(), a, a, method="subsample", draws=4000)
    assert score.error == pytest.approx(a.std(ddof=1) / np.sqrt(51), rel=5 / np.sqrt(8000))


@pytest.mark.parametrize("method", ["jackknife", "subsample"])
@pytest.mark.parametrize("metric", [debiased_cka, canonical])
@pytest.mark.parametrize("r", [0.0, 0.5, 0.9])
def test_coverage(metric, method, r):
    # 500 draws, n=60, p=4. Over 2000 other draws the intervals of 95 % covered
    #                      r = 0   0.5    0.9
    # CKA   jackknife      0.984  0.939  0.947
    #       subsample      0.998  0.936  0.947
    # CCA   jackknife      0.970  0.932  0.952
    #       subsample      0.990  0.910  0.956
    # At the least of these, 0.86 or less of 500 are covered with probability 1.6e-4.
    covered = 0
    for seed in range(500):
        a, b = correlated(60, 4, r, [seed, 1])
        score = interval(metric, a, b, method=method, draws=40, blocks=10)
        covered += score.low <= r * r <= score.high
    assert covered / 500 > 0.86


def test_identity_has_no_error():
    a = correlated(40, 3, 0, 0)[0]
    for method in ("jackknife", "subsample"):
        score = interval(canonical, a, a, method=method)
        assert score.low == pytest.approx(1, abs=1e-9)
        assert score.high == pytest.approx(1, abs=1e-9)


def test_same_seed_same_interval():
    a, b = correlated(40, 3, 0.5, 0)
    for method in ("jackknife", "subsample"):
        first, second = (interval(canonical, a, b, method=method, seed=4) for _ in range(2))
        assert (first.low, first.high) == (second.low, second.high)
        assert interval(canonical, a, b, method=method, seed=5).low != first.low
    assert interval(canonical, a, b, level=0.5).low > interval(canonical, a, b).low


def test_refusals_of_intervals():
    a, b = correlated(10, 2, 0.5, 0)
    with pytest.raises(BadInput, match="bootstrap"):
        interval(correlation, a, b, method="bootstrap")
    with pytest.raises(BadInput, match="blocks=20 of 10 rows"):
        interval(correlation, a, b)
    with pytest.raises(BadInput, match="level=95"):
        interval(correlation, a, b, level=95)
    with pytest.raises(BadInput, match="draws=1"):
        interval(correlation, a, b, method="subsample", draws=1)
