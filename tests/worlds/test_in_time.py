"""Segments and autoregressions against their densities, moments and the plainest recursion."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from coset._assumptions import EXPONENTIAL_FAMILY, MODULATED, NOT_NORMAL, VARIABLE
from coset._core import BadInput
from coset._lab import stacked
from coset.worlds import (
    Autoregressive,
    GeneralisedNormal,
    Laplace,
    LaplaceSum,
    Normal,
    Segments,
    Stationary,
    autoregressive,
    segments,
)

N = 50_000
SCALES = np.array([[0.1, 1.0], [0.5, 0.2], [2.0, 3.0]])
MEANS = np.array([[0.0, 1.0], [-2.0, 0.3], [5.0, -1.0]])


@pytest.mark.parametrize(
    ("noise", "law"), [(Laplace(0.7), stats.laplace(scale=0.7)), (Normal(1.0), stats.norm)]
)
def test_each_segment_has_a_law_of_its_own(noise, law, draws, follows, likely):
    z, label = draws(Segments(SCALES, noise, MEANS), N)
    counts = np.bincount(label.astype(int), minlength=3)
    likely(stats.chisquare(counts).pvalue)
    for u in range(3):
        standard = (z[label == u] - MEANS[u]) / SCALES[u]
        for k in range(2):
            follows(standard[:, k], law.cdf, u, k)
        likely(stats.spearmanr(*standard.T).pvalue)
        likely(stats.spearmanr(*np.abs(standard.T)).pvalue)


def promises(scales, noise, means=None):
    return Segments(scales, noise, means).satisfies & {EXPONENTIAL_FAMILY, MODULATED, VARIABLE}


def test_what_segments_promise(rng):
    many, few = rng.uniform(0.5, 2, (8, 3)), rng.uniform(0.5, 2, (3, 3))
    means = rng.normal(size=(8, 3))
    assert promises(many, Laplace(1.0)) == {EXPONENTIAL_FAMILY, MODULATED}
    assert promises(many, GeneralisedNormal(1.0, 4.0)) == {EXPONENTIAL_FAMILY, MODULATED}
    assert promises(many, Normal(1.0)) == {EXPONENTIAL_FAMILY, MODULATED}
    assert promises(many, Normal(1.0), means) == {EXPONENTIAL_FAMILY, MODULATED, VARIABLE}
    assert promises(10.0 ** rng.uniform(-4, 0, (8, 3)), Normal(1.0)) == {
        EXPONENTIAL_FAMILY,
        MODULATED,
    }
    assert promises(many[:6], Normal(1.0), means[:6]) == {EXPONENTIAL_FAMILY}
    assert promises(np.ones((8, 3)), Normal(1.0), means) == {EXPONENTIAL_FAMILY}
    assert promises(many, Laplace(1.0), means) == set()
    assert promises(few, Laplace(1.0)) == {EXPONENTIAL_FAMILY}
    assert promises(np.ones((8, 3)), Laplace(1.0)) == {EXPONENTIAL_FAMILY}
    assert promises(np.outer(rng.uniform(size=8), np.ones(3)), Laplace(1.0)) == {EXPONENTIAL_FAMILY}


def test_one_seed_without_modulation_takes_the_promise_from_all():
    bent = stacked([segments(0), segments(1, scales=(0.5, 0.5))])
    assert MODULATED not in bent.satisfies


@pytest.mark.parametrize("coefficient", [0.2, 0.7, -0.7, 0.9])
def test_a_sum_of_laplace_noises_is_that_of_the_recursion(coefficient, rng, draws, follows):
    law = LaplaceSum(coefficient, 0.6)
    z = draws(law, N, (1,))[:, 0]
    other = np.zeros(N)
    for _ in range(160):
        other = coefficient * other + rng.laplace(scale=0.6, size=N)
    follows(z, other)
    follows(z, lambda x: (1 + np.asarray(law.mass(jnp.asarray(x)), float)) / 2)


@pytest.mark.parametrize("coefficient", [0.2, 0.7, 0.9])
def test_moments_of_a_sum_of_laplace_noises(coefficient):
    """Cumulants add: variance 2 b² / (1 - ρ²), fourth cumulant 12 b⁴ / (1 - ρ⁴)."""
    law, b = LaplaceSum(coefficient, 0.6), 0.6
    x = np.linspace(0, 60 * b / (1 - coefficient), 400_001)
    density = np.exp(np.asarray(law.log_density(jnp.asarray(x, jnp.float32)), float))
    moments = [2 * np.trapezoid(density * x**k, x) for k in (0, 2, 4)]
    variance = 2 * b**2 / (1 - coefficient**2)
    fourth = 12 * b**4 / (1 - coefficient**4) + 3 * variance**2
    np.testing.assert_allclose(moments, [1, variance, fourth], rtol=2e-3)


def test_quantiles_undo_masses():
    law = LaplaceSum(0.7, 1.0)
    mass = jnp.asarray([-0.99, -0.5, 0.0, 0.3, 0.9, 0.99999])
    np.testing.assert_allclose(law.mass(law.quantile(mass)), mass, atol=1e-5)


@pytest.mark.parametrize("law", ["laplace", "normal"])
@pytest.mark.parametrize("coefficient", [0.5, -0.8])
def test_the_next_moment_has_the_same_law(law, coefficient, draws, follows, likely):
    world = autoregressive(0, d=2, coefficient=coefficient, law=law)
    z, _ = draws(world.latents, N)
    near = draws_each(world.pairing, z, draws)
    follows(near[:, 0], world_cdf(world))
    follows(z[:, 0], world_cdf(world))
    likely(stats.spearmanr(z[:, 0], near[:, 1]).pvalue)
    # correlations of N pairs have a standard error below (1 + 3) / √N with these tails
    found = np.corrcoef(z[:, 0], near[:, 0])[0, 1]
    assert found == pytest.approx(coefficient, abs=5 * 4 / np.sqrt(N))
    assert z.var() == pytest.approx(1, abs=0.1)


def draws_each(pairing, z, draws):
    """One positive of each row: z = coefficient · 0 + noise, moved by what the past adds."""
    noise = draws(pairing, len(z), jnp.zeros(z.shape[1]), seed=1)
    return float(pairing.coefficient) * z + noise


def world_cdf(world):
    return lambda x: (1 + np.asarray(world.latents.law.mass(jnp.asarray(x)), float)) / 2


def test_the_law_of_a_positive(draws, follows):
    pairing = Autoregressive(0.5, Laplace(0.3))
    z = jnp.array([1.0, -2.0])
    drawn = draws(pairing, N, z)
    for k, centre in enumerate((0.5, -1.0)):
        follows(drawn[:, k], stats.laplace(centre, 0.3).cdf)
    expected = stats.laplace([0.5, -1.0], 0.3).logpdf([0.7, 0.0]).sum()
    assert float(pairing.log_density(jnp.array([0.7, 0.0]), z)) == pytest.approx(expected, rel=1e-5)


def test_normal_noise_is_told_apart():
    assert NOT_NORMAL in autoregressive(0).satisfies
    assert NOT_NORMAL not in autoregressive(0, law="normal").satisfies


def test_refusals():
    with pytest.raises(BadInput, match="above 0"):
        Segments([[1.0, 0.0]], Laplace(1.0))
    with pytest.raises(BadInput, match="above 0"):
        Segments(np.ones((0, 2)), Laplace(1.0))
    with pytest.raises(BadInput, match="coefficient=1"):
        autoregressive(0, coefficient=1.0)
    with pytest.raises(BadInput, match="one of laplace, normal"):
        segments(0, law="cauchy")
    with pytest.raises(BadInput, match="coefficient=1"):
        Autoregressive(1.0, Laplace(1.0))
    with pytest.raises(BadInput, match=r"coefficient=0\.95"):
        LaplaceSum(0.95, 1.0)
    with pytest.raises(BadInput, match="known for Laplace and Normal"):
        Stationary(2, Autoregressive(0.5, GeneralisedNormal(1.0, 3.0)))
