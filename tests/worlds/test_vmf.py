"""The von Mises-Fisher law against its density."""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit, xlogy

from coset.worlds import VonMisesFisher, log_normaliser
from coset.worlds._vmf import EDGE, NODES, polar_angles

DIMENSIONS = (2, 3, 10, 50)
KAPPAS = (0.1, 1.0, 10.0, 50.0, 1000.0)
N = 50_000


def mean_of(d):
    mean = np.arange(1.0, d + 1)
    return mean / np.linalg.norm(mean)


@pytest.mark.parametrize("d", DIMENSIONS)
@pytest.mark.parametrize("kappa", KAPPAS)
def test_the_angle_and_the_direction_follow_the_density(
    d, kappa, draws, follows, uniform_directions, cdf_of
):
    mean = mean_of(d)
    seed = int(10 * kappa) + d
    z = draws(VonMisesFisher(kappa, d), N, jnp.asarray(mean, jnp.float32), seed=seed)
    assert np.abs(np.linalg.norm(z, axis=1) - 1).max() < 2e-6
    along = z @ mean
    across = z - along[:, None] * mean
    angle = np.arctan2(np.linalg.norm(across, axis=1), along)
    law = cdf_of(lambda t: kappa * (np.cos(t) - 1) + xlogy(d - 2, np.sin(t)), 1e-12, np.pi - 1e-12)
    follows(angle, law)
    basis = np.linalg.svd(mean[None, :])[2][1:]
    tangent = across @ basis.T
    uniform_directions(tangent / np.linalg.norm(tangent, axis=1, keepdims=True))


@pytest.mark.parametrize("d", DIMENSIONS)
@pytest.mark.parametrize("kappa", [0.0, 1e-3, 1.0, 50.0, 1e4])
def test_the_table_holds_quantiles(d, kappa):
    angles = polar_angles(kappa, d)
    assert (np.diff(angles) > 0).all()

    def density(t):
        return np.exp(kappa * (np.cos(t) - 1) + xlogy(d - 2, np.sin(t)))

    # cut where the law ends, or quad misses a narrow peak
    ends = [0.0, *angles[:: NODES // 16], np.pi]
    mass = np.array([quad(density, a, b)[0] for a, b in itertools.pairwise(ends)])
    below = np.cumsum(mass)[:-1] / mass.sum()
    expected = expit(np.linspace(-EDGE, EDGE, NODES)[:: NODES // 16])
    np.testing.assert_allclose(below, expected, rtol=1e-5)


@pytest.mark.parametrize("kappa", [0.5, 20.0, 1e4])
def test_tails_where_the_distribution_function_is_known(kappa):
    """On S², P(cos angle > t) = (e^κ - e^(κt)) / (e^κ - e^-κ)."""
    angles = polar_angles(kappa, 3)
    tail = -np.expm1(-2 * kappa * np.sin(angles / 2) ** 2) / -np.expm1(-2 * kappa)
    expected = expit(np.linspace(-EDGE, EDGE, NODES))
    np.testing.assert_allclose(tail[: NODES // 2], expected[: NODES // 2], rtol=1e-5)


@pytest.mark.parametrize("d", [2, 3, 10, 50, 300])
@pytest.mark.parametrize("kappa", [0.0, 1e-3, 1.0, 30.0, 1e4])
def test_the_normaliser_is_the_integral(d, kappa):
    def density(t):
        return np.exp(kappa * (np.cos(t) - 1) + xlogy(d - 2, np.sin(t)))

    peak = np.arctan2(np.sqrt(max(d - 2, 0.01)), max(kappa, 1e-9)) + 1e-9
    ends = np.unique(np.clip([0.0, peak / 3, peak, 2 * peak, 5 * peak, np.pi], 0, np.pi))
    total = sum(
        quad(density, a, b, epsabs=0, epsrel=1e-11, limit=500)[0]
        for a, b in itertools.pairwise(ends)
    )
    across = log_normaliser(0.0, d - 1) if d > 2 else np.log(2)
    np.testing.assert_allclose(log_normaliser(kappa, d), np.log(total) + kappa + across, rtol=1e-8)


@pytest.mark.parametrize("kappa", [0.1, 10.0, 1000.0])
def test_the_density_of_positives_integrates_to_one(kappa):
    pairing = VonMisesFisher(kappa, 2)
    angles = np.linspace(0, 2 * np.pi, 20_001)[:-1]
    points = jnp.asarray(np.stack([np.cos(angles), np.sin(angles)], axis=1), jnp.float32)
    log_density = jax.vmap(lambda drawn: pairing.log_density(drawn, points[7]))(points)
    total = np.exp(np.asarray(log_density, float)).mean() * 2 * np.pi
    assert total == pytest.approx(1, abs=1e-4)
