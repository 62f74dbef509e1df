"""Probabilistic PCA and factor analysis against densities written out, and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.decomposition import PCA, FactorAnalysis

from coset import BadInput
from coset.solvers import LinearGaussian, factor_analysis, ppca
from coset.solvers._ppca import ppca_of


@pytest.fixture
def rows(rng):
    latent = rng.normal(size=(3000, 2))
    noise = rng.normal(size=(3000, 5)) * [0.2, 0.4, 0.6, 0.8, 1.0]
    return latent @ rng.normal(size=(2, 5)) + noise + [1, 2, 3, 4, 5]


def test_log_likelihood_is_that_of_the_normal_law(rows):
    model = ppca(rows, 2)
    expected = multivariate_normal(model.mean, model.covariance).logpdf(rows).mean()
    assert model.log_likelihood(rows) == pytest.approx(expected, rel=1e-12)


def test_covariance_is_that_of_scikit_learn(rows):
    theirs = PCA(2).fit(rows)
    ours = ppca_of(np.cov(rows, rowvar=False), 2)
    np.testing.assert_allclose(ours.covariance, theirs.get_covariance(), rtol=1e-10)
    assert ours.noise[0] == pytest.approx(theirs.noise_variance_)


@pytest.mark.parametrize("solver", [ppca, factor_analysis])
def test_no_step_goes_up(solver, rows, rng):
    model = solver(rows, 2)
    best = model.log_likelihood(rows)
    for size in (1e-2, 1e-1):
        loadings = model.loadings + size * rng.normal(size=(5, 2))
        assert LinearGaussian(loadings, model.noise, model.mean).log_likelihood(rows) < best
        noise = model.noise * np.exp(size)
        assert LinearGaussian(model.loadings, noise, model.mean).log_likelihood(rows) < best


def test_posterior_is_the_conditional_of_the_joint_law(rows):
    model = factor_analysis(rows, 2)
    gain = model.loadings.T @ np.linalg.inv(model.covariance)
    np.testing.assert_allclose(
        model.posterior_mean(rows), (rows - model.mean) @ gain.T, rtol=1e-9, atol=1e-12
    )
    expected = np.eye(2) - gain @ model.loadings
    np.testing.assert_allclose(model.posterior_covariance, expected, atol=1e-12)


def test_a_rotation_changes_codes_and_no_likelihood(rows, rng):
    model = ppca(rows, 2)
    turn = np.linalg.qr(rng.normal(size=(2, 2)))[0]
    turned = model.rotated(turn)
    assert turned.log_likelihood(rows) == pytest.approx(model.log_likelihood(rows), abs=1e-12)
    np.testing.assert_allclose(
        turned.posterior_mean(rows), model.posterior_mean(rows) @ turn, atol=1e-10
    )
    with pytest.raises(BadInput, match="orthogonal"):
        model.rotated(2 * turn)


def test_factor_analysis_is_that_of_scikit_learn_on_standardised_columns(rows):
    spread = rows.std(axis=0)
    theirs = FactorAnalysis(2, tol=1e-8, max_iter=5000, svd_method="lapack")
    theirs.fit((rows - rows.mean(axis=0)) / spread)
    ours = factor_analysis(rows, 2)
    expected = theirs.get_covariance() * np.outer(spread, spread)
    np.testing.assert_allclose(ours.covariance, expected, rtol=1e-3, atol=1e-3)


def test_factor_analysis_follows_the_scales_of_columns(rows):
    scales = np.array([0.01, 3.0, 1.0, 200.0, 5.0])
    plain, scaled = factor_analysis(rows, 2), factor_analysis(rows * scales, 2)
    np.testing.assert_allclose(scaled.noise, plain.noise * scales**2, rtol=1e-8)
    np.testing.assert_allclose(
        scaled.covariance, plain.covariance * np.outer(scales, scales), rtol=1e-8, atol=1e-12
    )


@pytest.mark.parametrize(
    ("solver", "x", "k", "says"),
    [
        (ppca, np.eye(4), 4, "from 1 to 3"),
        (ppca, np.arange(12.0).reshape(6, 2) * [1, 1], 1, "no noise is left"),
        (factor_analysis, np.eye(4), 0, "from 1 to that"),
        (factor_analysis, np.column_stack([np.arange(5.0), np.ones(5)]), 1, "column 1 is constant"),
    ],
)
def test_refusals(solver, x, k, says):
    with pytest.raises(BadInput, match=says):
        solver(x, k)
