"""The construction of Darmois: its law, two closed forms, and what it is not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from coset._core import BadInput
from coset.metrics import mcc
from coset.solvers import darmois_normal, darmois_plane

FALSE_FAILURE = 1e-6
"""Of one test of the law; a dozen of them here, with fixed seeds."""
COVARIANCE = np.array([[1.0, 0.8], [0.8, 2.0]])


def normal(x):
    return stats.multivariate_normal([0.5, -1.0], COVARIANCE).logpdf(x)


def bent(x):
    """The law of (e¹, e² + (e¹)²) for standard normal e."""
    return stats.norm.logpdf(x[:, 0]) + stats.norm.logpdf(x[:, 1] - x[:, 0] ** 2)


def independent_and_uniform(codes):
    for column in codes.T:
        assert stats.kstest(column, "uniform").pvalue > FALSE_FAILURE
    cells = np.histogram2d(*codes[:, :2].T, bins=8, range=[[0, 1]] * 2)[0]
    assert stats.chi2_contingency(cells).pvalue > FALSE_FAILURE


def test_normal_law_in_five_dimensions():
    rng = np.random.default_rng(0)
    a = rng.normal(size=(5, 5))
    x = rng.normal(size=(5000, 5)) @ a.T + 3
    codes = darmois_normal(x)(x)
    independent_and_uniform(codes)
    scores = stats.norm.ppf(codes)
    np.testing.assert_allclose(np.cov(scores.T), np.eye(5), atol=1e-9)
    # u_k is a function of x_1 … x_k alone
    moved = x.copy()
    moved[:, 3:] += 1
    after = darmois_normal(x)(moved)
    np.testing.assert_array_equal(after[:, :3], codes[:, :3])
    assert (after[:, 3] > codes[:, 3]).all()


def test_the_plane_agrees_with_the_closed_form_of_a_normal_law():
    rows = np.random.default_rng(0).multivariate_normal([0.5, -1.0], COVARIANCE, size=1500)
    found = darmois_plane(normal, (-7, -12), (8, 10), points=513)
    first = stats.norm.cdf(rows[:, 0] - 0.5)
    mean = -1 + 0.8 * (rows[:, 0] - 0.5)
    second = stats.norm.cdf((rows[:, 1] - mean) / np.sqrt(2 - 0.64))
    np.testing.assert_allclose(found(rows), np.stack([first, second], 1), atol=1e-6)
    assert found.mass == pytest.approx(1, abs=1e-6)


def test_a_curved_law_becomes_independent_though_linear_maps_leave_it_dependent():
    rng = np.random.default_rng(0)
    e = rng.normal(size=(4000, 2))
    x = np.stack([e[:, 0], e[:, 1] + e[:, 0] ** 2], 1)
    codes = darmois_plane(bent, (-6, -6), (6, 40), points=1025)(x)
    np.testing.assert_allclose(codes, stats.norm.cdf(e), atol=2e-4)
    independent_and_uniform(codes)


def test_codes_of_rotated_latents_are_independent_and_are_not_the_latents():
    rng = np.random.default_rng(0)
    z = rng.laplace(size=(4000, 2))
    turn = np.array([[1.0, 1.0], [-1.0, 1.0]]) / np.sqrt(2)

    def log_density(x):
        return -np.abs(x @ turn).sum(1) - 2 * np.log(2)

    x = z @ turn.T
    codes = darmois_plane(log_density, (-20, -20), (20, 20), points=2049)(x)
    independent_and_uniform(codes)
    assert mcc(z, codes, correlation="spearman").value < 0.8


def test_refusals():
    with pytest.raises(BadInput, match="singular"):
        darmois_normal(np.ones((5, 2)))
    with pytest.raises(BadInput, match="points"):
        darmois_plane(normal, (0, 0), (1, 1), points=3)
    with pytest.raises(BadInput, match="corners"):
        darmois_plane(lambda x: np.full(len(x), -np.inf), (0, 0), (1, 1))
    halved = darmois_plane(
        lambda x: np.where(x[:, 0] < 1, 0.0, -np.inf), (0.0, 0.0), (2.0, 1.0), points=65
    )
    with pytest.raises(BadInput, match="line"):
        halved([[1.5, 0.5]])
