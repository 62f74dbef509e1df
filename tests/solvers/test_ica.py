"""Linear ICA against naive formulas, against python-picard, and by its laws."""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.linalg import expm
from scipy.optimize import linear_sum_assignment

from coset import BadInput
from coset.solvers import _ica, _whitening, natural_gradient, quasi_newton
from coset.solvers._likelihood import LEAST_CURVATURE, Likelihood
from coset.solvers._score_moments import score_moments

MODES = [(False, False), (True, False), (False, True), (True, True)]
"""Extended, orthogonal."""


@pytest.fixture(scope="module")
def pool():
    with ThreadPoolExecutor(2) as workers:
        yield workers


@pytest.fixture(scope="module")
def mixed():
    """Latents with heavy and light tails (4000, 6), and a mixture of them."""
    rng = np.random.default_rng(0)
    heavy, light = rng.laplace(size=(4000, 3)), rng.uniform(-1, 1, (4000, 3))
    latent = np.hstack([heavy, light])
    return latent, latent @ rng.normal(size=(6, 6)) + 3.0


def matched(a, b):
    """Absolute correlations after the best matching of columns."""
    k = a.shape[1]
    table = np.abs(np.corrcoef(a, b, rowvar=False)[:k, k:])
    return table[linear_sum_assignment(-table)]


def test_score_moments_are_those_of_plain_numpy(rng, pool):
    unmixing = rng.normal(size=(5, 5)) * 3
    rows = rng.laplace(size=(1003, 5)) * 8
    blocks = tuple(rows[start : start + 100].T for start in range(0, 1003, 100))
    found = score_moments(unmixing, blocks, pool, value=True, crossed=True)
    y = rows @ unmixing.T
    np.testing.assert_allclose(found.outer, np.tanh(y).T @ y / 1003, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.slope, (1 - np.tanh(y) ** 2).mean(0), atol=1e-14)
    np.testing.assert_allclose(found.crossed, (np.tanh(y) ** 2).T @ y**2 / 1003, rtol=1e-12)
    expected = (np.logaddexp(y, -y) - np.log(2)).mean(0)
    np.testing.assert_allclose(found.log_cosh, expected, rtol=1e-13)


@pytest.mark.parametrize(("extended", "orthogonal"), MODES)
def test_gradient_is_the_slope_of_the_value(rng, pool, extended, orthogonal):
    blocks = (rng.laplace(size=(4, 300)), rng.uniform(-2, 2, (4, 200)))
    likelihood = Likelihood(blocks, extended, orthogonal, pool)
    unmixing = np.linalg.qr(rng.normal(size=(4, 4)))[0] * (1 if orthogonal else 1.3)
    place = likelihood.at(unmixing)
    towards = rng.normal(size=(4, 4))
    towards = towards - towards.T if orthogonal else towards

    def value(t):
        moved = expm(t * towards) if orthogonal else np.eye(4) + t * towards
        return likelihood.at(moved @ unmixing, place.signs).value

    slope = (value(1e-5) - value(-1e-5)) / 2e-5
    assert np.vdot(place.gradient, towards) == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("crossed", [False, True])
def test_newton_inverts_the_approximate_hessian(rng, pool, crossed):
    likelihood = Likelihood((rng.laplace(size=(3, 2000)),), False, False, pool)
    place = likelihood.at(np.eye(3), crossed=crossed)
    h, gradient = place.curvature, rng.normal(size=(3, 3))
    dense = np.diag(h.ravel())
    for i in range(3):
        for j in range(3):
            dense[3 * i + j, 3 * j + i] += 1.0
    assert np.linalg.eigvalsh(dense)[0] > LEAST_CURVATURE
    found = likelihood.newton(place, gradient)
    np.testing.assert_allclose(dense @ found.ravel(), gradient.ravel(), atol=1e-12)


def test_raised_eigenvalues_make_every_direction_downhill(rng, pool):
    likelihood = Likelihood((rng.normal(size=(5, 400)),), False, False, pool)
    place = likelihood.at(rng.normal(size=(5, 5)) / 4)
    assert np.vdot(place.gradient, likelihood.newton(place, place.gradient)) > 0


@pytest.mark.parametrize("orthogonal", [False, True])
def test_the_optimum_is_that_of_picard(mixed, orthogonal):
    picard = pytest.importorskip("picard")
    latent, x = mixed
    found = quasi_newton(x, orthogonal=orthogonal)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, _, theirs = picard.picard(
            x.T, ortho=orthogonal, extended=True, tol=1e-9, max_iter=300, random_state=0
        )
    assert found.converged
    assert found.gradient_norms[-1] <= 1e-7
    assert matched(found.codes, theirs.T).min() > 1 - 1e-9
    assert matched(found.codes, latent).min() > 0.998
    assert sorted(found.signs) == [-1] * 3 + [1] * 3


def test_both_rules_have_one_optimum(mixed):
    quick, slow = quasi_newton(mixed[1]), natural_gradient(mixed[1], iterations=3000)
    assert slow.converged
    assert 4 * quick.iterations < slow.iterations
    assert matched(quick.codes, slow.codes).min() > 1 - 1e-10
    assert quick.log_likelihood == pytest.approx(slow.log_likelihood, abs=1e-10)


@pytest.mark.parametrize("extended", [False, True])
def test_log_likelihood_is_that_of_the_densities(rng, extended):
    latent = rng.laplace(size=(2000, 4))
    if extended:
        latent[:, 1:3] = rng.uniform(-1, 1, (2000, 2))
    x = latent @ rng.normal(size=(4, 4))
    found = quasi_newton(x, extended=extended)

    def density(sign):
        if not extended:
            return lambda y: 1 / (np.pi * np.cosh(y))
        plain = lambda y: np.exp(-(y**2) / 2) * np.cosh(y) ** -sign  # noqa: E731
        whole = quad(plain, -30, 30)[0]
        return lambda y: plain(y) / whole

    y = found.transform(x)
    logs = [np.log(density(s)(column)).mean() for s, column in zip(found.signs, y.T, strict=True)]
    expected = np.linalg.slogdet(found.unmixing)[1] + sum(logs)
    assert found.log_likelihood == pytest.approx(expected, abs=1e-9)


def test_the_bits_do_not_depend_on_the_number_of_threads(mixed, monkeypatch):
    found = []
    for count in (1, 3):
        monkeypatch.setattr(_ica, "usable_cpus", lambda count=count: count)
        monkeypatch.setattr(_ica, "SMALL", 0)
        found.append(quasi_newton(mixed[1]).unmixing)
    assert (found[0] == found[1]).all()


def test_fewer_latents_than_columns(rng):
    latent = rng.laplace(size=(5000, 3))
    x = latent @ rng.normal(size=(3, 8)) + 0.01 * rng.normal(size=(5000, 8))
    found = quasi_newton(x, 3)
    assert found.unmixing.shape == (3, 8)
    assert matched(found.codes, latent).min() > 0.99
    np.testing.assert_allclose(found.transform(x), found.codes, atol=1e-10)
    carried = found.codes @ found.mixing.T + found.mean
    assert np.abs(carried - x).max() < 0.1


def test_a_head_start_changes_the_way_and_not_the_end(mixed, monkeypatch):
    monkeypatch.setattr(_whitening, "BLOCK", 200)
    _, x = mixed
    parts, whole = quasi_newton(x), quasi_newton(x, head_start=False)
    assert parts.iterations < whole.iterations
    assert matched(parts.codes, whole.codes).min() > 1 - 1e-10


def test_normal_latents_end_as_well(rng):
    """Nothing to find: it must stop and say what it reached."""
    found = quasi_newton(rng.normal(size=(1000, 3)), iterations=200)
    assert np.isfinite(found.unmixing).all()
    assert found.iterations <= 200
    assert found.converged == (found.gradient_norms[-1] <= 1e-7)


@pytest.mark.parametrize(
    ("rows", "k", "says"),
    [
        (np.zeros((5, 2)), None, "constant"),
        (np.eye(3)[:2], None, "more rows"),
        (np.eye(3), 4, "from 1 to 3"),
        (np.arange(40.0).reshape(20, 2) * [1, 2], None, "span 1 dimensions"),
        ([[1.0, np.nan], [2.0, 3.0], [3.0, 1.0]], None, "row 0, column 1"),
    ],
)
def test_refusals(rows, k, says):
    with pytest.raises(BadInput, match=says):
        quasi_newton(rows, k)
