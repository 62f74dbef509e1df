"""Two-way R2: scikit-learn as oracle, theory for independent data, and the laws it claims."""

import warnings

import numpy as np
import pytest

from coset._core import BadInput
from coset.metrics import _kernel_ridge
from coset.metrics._kernel_ridge import ALPHAS, GAMMAS, fit_kernel_ridge
from coset.metrics._least_squares import fit_least_squares
from coset.metrics._regression import _folds, r2


def codes(n=120, p=6, q=4, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    a = rng.standard_normal((n, p))
    b = a @ rng.standard_normal((p, q)) * np.arange(1, q + 1) + noise * rng.standard_normal((n, q))
    return a, b


def rotation(d, seed=0):
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((d, d)))[0]


@pytest.mark.parametrize("average", ["pooled", "uniform"])
@pytest.mark.parametrize("folds", [2, 5, 7])
def test_held_out_is_cross_validated_linear_regression(average, folds):
    from sklearn.linear_model import LinearRegression
    from sklearn.metrics import r2_score
    from sklearn.model_selection import PredefinedSplit, cross_val_predict

    a, b = codes()
    order = np.random.default_rng(3).permutation(len(a))
    fold = np.empty(len(a))
    for i, rows in enumerate(_folds(len(a), folds)):
        fold[order[rows]] = i
    predicted = cross_val_predict(LinearRegression(), a, b, cv=PredefinedSplit(fold))
    weights = {"pooled": "variance_weighted", "uniform": "uniform_average"}[average]
    score = r2(a, b, folds=folds, seed=3, average=average)
    assert score.ab == pytest.approx(r2_score(b, predicted, multioutput=weights), abs=1e-12)
    np.testing.assert_allclose(
        score.columns_ab, r2_score(b, predicted, multioutput="raw_values"), atol=1e-12
    )
    assert score.value == min(score.ab, score.ba)


def test_in_sample_is_linear_regression_on_its_own_rows():
    from sklearn.linear_model import LinearRegression

    a, b = codes()
    score = r2(a, b, in_sample=True, average="uniform")
    assert score.ab == pytest.approx(LinearRegression().fit(a, b).score(a, b), abs=1e-12)
    assert score.ba == pytest.approx(LinearRegression().fit(b, a).score(b, a), abs=1e-12)
    assert score.folds is None


def test_independent_codes_score_what_theory_says():
    # 60 draws of n=125, p=q=50: standard errors of the means are measured from the draws; five of
    # them (and 0.01 for the mean of a ratio) fail falsely with probability below 1e-5.
    n, p, m = 125, 50, 100
    rng = np.random.default_rng(0)
    pairs = [rng.standard_normal((2, n, p)) for _ in range(60)]
    out = np.array([r2(a, b).ab for a, b in pairs])
    error = (1 + 1 / m) * (m - 2) / (m - p - 2)
    theory = 1 - error / ((n - 1) / n)
    assert abs(out.mean() - theory) < 5 * out.std() / np.sqrt(60) + 0.01
    fitted = np.array([r2(a[:m], b[:m], in_sample=True).ab for a, b in pairs])
    assert abs(fitted.mean() - p / (m - 1)) < 5 * fitted.std() / np.sqrt(60)


def test_identity_and_affine_maps_score_one():
    a, _ = codes()
    assert r2(a, a).value == pytest.approx(1, abs=1e-13)
    matrix = np.random.default_rng(1).standard_normal((6, 6))
    assert r2(a, a @ matrix - 7).value == pytest.approx(1, abs=1e-12)


def test_a_projection_is_no_isomorphism():
    a, _ = codes()
    score = r2(a, a[:, :5])
    assert score.ab == pytest.approx(1, abs=1e-12)
    assert score.value == score.ba < 0.9


def test_the_laws_it_claims():
    a, b = codes()
    score = r2(a, b)
    matrix = np.random.default_rng(1).standard_normal((6, 6))
    assert r2(a @ matrix + 3, b).ab == pytest.approx(score.ab, abs=1e-11)
    moved = 5 * b @ rotation(4) - 2
    assert r2(a, moved).ab == pytest.approx(score.ab, abs=1e-11)
    assert r2(a, moved).ba == pytest.approx(score.ba, abs=1e-11)
    swapped = r2(b, a)
    assert (swapped.ab, swapped.ba, swapped.value) == (score.ba, score.ab, score.value)
    assert r2(a, b).value == score.value
    uniform = r2(a, b, average="uniform")
    assert r2(a, b * [1, 10, 100, 1000], average="uniform").ab == pytest.approx(uniform.ab)


def test_rank_deficient_sides_change_nothing():
    a, b = codes()
    score = r2(a, b)
    extra = np.hstack([a, a[:, :2], a[:, :1] + a[:, 1:2], np.full((len(a), 1), 1e3)])
    wider = r2(extra, b)
    assert wider.ab == pytest.approx(score.ab, abs=1e-11)
    assert (wider.constant_a, wider.constant_b) == (1, 0)
    assert np.isnan(wider.columns_ba[-1])
    assert np.isfinite(wider.ba)


def test_fewer_rows_than_columns_is_minimum_norm():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((20, 50)) * np.arange(1, 51), rng.standard_normal((20, 3))
    centred = x - x.mean(axis=0)
    scale = np.linalg.norm(centred, axis=0)
    weights = np.linalg.pinv(centred / scale, rcond=1e-13) @ (y - y.mean(axis=0))
    new = rng.standard_normal((7, 50))
    expected = ((new - x.mean(axis=0)) / scale) @ weights + y.mean(axis=0)
    np.testing.assert_allclose(fit_least_squares(x, y)(new), expected, atol=1e-11)
    assert r2(x, y).ab < 0.2


@pytest.mark.parametrize("condition", [1e4, 1e8, 1e10])
def test_ill_conditioned_relations_are_found(condition):
    rng = np.random.default_rng(0)
    u, v = rng.standard_normal((300, 4)), rotation(4)
    a = u * np.geomspace(1, 1 / condition, 4) @ v
    score = r2(a, u)
    assert score.ab == pytest.approx(1, abs=1e-8)


def test_large_offsets_lose_nothing():
    a, b = codes()
    assert r2(a + 1e8, b - 1e8).value == pytest.approx(r2(a, b).value, abs=1e-6)


def test_kernel_ridge_is_the_best_of_scikit_learns_by_leave_one_out():
    from scipy.spatial.distance import pdist
    from sklearn.kernel_ridge import KernelRidge

    rng = np.random.default_rng(0)
    x = rng.standard_normal((40, 2))
    y = np.column_stack([np.sin(2 * x[:, 0]), 10 * x[:, 1] ** 2])
    y += 0.1 * rng.standard_normal((40, 2))
    centred = y - y.mean(axis=0)
    median = np.median(pdist(x, "sqeuclidean"))
    best = (np.inf, 0.0, 0.0)
    for gamma in GAMMAS:
        for alpha in ALPHAS:
            ridge = KernelRidge(alpha=alpha, kernel="rbf", gamma=gamma / median)
            error = np.zeros(2)
            for i in range(40):
                rest = np.arange(40) != i
                error += (centred[i] - ridge.fit(x[rest], centred[rest]).predict(x[[i]])[0]) ** 2
            best = min(best, ((error / (centred**2).sum(axis=0)).sum(), gamma, alpha))
    ridge = KernelRidge(alpha=best[2], kernel="rbf", gamma=best[1] / median).fit(x, centred)
    new = rng.standard_normal((9, 2))
    np.testing.assert_allclose(
        fit_kernel_ridge(x, y)(new), ridge.predict(new) + y.mean(axis=0), atol=1e-6
    )


def test_kernel_finds_what_a_line_misses_and_nothing_where_there_is_nothing():
    rng = np.random.default_rng(0)
    a = rng.uniform(-1, 1, (200, 2))
    b = np.column_stack([np.exp(3 * a[:, 0]) + a[:, 1], a[:, 1]])
    assert r2(a, b, kernel=True).value > 0.99 > 0.9 > r2(a, b).value
    noise = rng.standard_normal((200, 2))
    # 300 other seeds: from -0.089 to 0.005, standard deviation 0.013
    assert -0.15 < r2(a, noise, kernel=True).value < 0.1


def test_kernel_laws_and_sample():
    rng = np.random.default_rng(0)
    a = rng.standard_normal((150, 3))
    b = np.tanh(a @ rng.standard_normal((3, 3)))
    score = r2(a, b, kernel=True)
    moved = r2(4 * a @ rotation(3) + 1, b, kernel=True)
    assert moved.ab == pytest.approx(score.ab, abs=1e-6)
    assert r2(a, 9 * b - 5, kernel=True).ab == pytest.approx(score.ab, abs=1e-9)
    few = r2(a, b, kernel=True, kernel_rows=60)
    assert (few.rows, score.rows) == (60, 150)
    assert few.value == r2(a, b, kernel=True, kernel_rows=60).value


def test_kernel_with_equal_rows():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, (80, 1)).astype(float)
    assert r2(a, 3 * a - 1, kernel=True).value > 0.999
    predict = fit_kernel_ridge(np.ones((10, 2)), rng.standard_normal((10, 1)))
    assert np.isfinite(predict(np.ones((1, 2)))).all()


def test_search_is_seen_to_use_only_its_first_rows(monkeypatch):
    monkeypatch.setattr(_kernel_ridge, "SEARCH_ROWS", 20)
    a, b = codes()
    assert r2(a, b, kernel=True).value > 0


def test_constant_targets():
    a, b = codes()
    b[:, 1] = 0.1
    score = r2(a, b, average="uniform")
    assert np.isnan(score.columns_ab[1])
    assert score.ab == pytest.approx(score.columns_ab[[0, 2, 3]].mean())
    with pytest.raises(BadInput, match="every column of b is constant"):
        r2(a, np.ones((len(a), 2)))


def test_refusals():
    a, b = codes()
    bad = b.copy()
    bad[3, 1] = np.nan
    with pytest.raises(BadInput, match="row 3, column 1"):
        r2(a, bad)
    with pytest.raises(BadInput, match="119"):
        r2(a, b[1:])
    with pytest.raises(BadInput, match="folds=1"):
        r2(a, b, folds=1)
    with pytest.raises(BadInput, match="folds=5 on 4 rows"):
        r2(a[:4], b[:4])
    with pytest.raises(BadInput, match="at least 3"):
        r2(a[:2], b[:2], in_sample=True)
    with pytest.raises(BadInput, match="pooled"):
        r2(a, b, average="median")


def test_perfect_in_sample_fits_are_warned_of():
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 10, 12))
    with pytest.warns(UserWarning, match="1 for unrelated"):
        assert r2(a, b, in_sample=True).value == pytest.approx(1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        r2(a, b)
