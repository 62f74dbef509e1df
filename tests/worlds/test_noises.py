"""Laws of one coordinate against their densities, whole and truncated."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from coset._core import BadInput
from coset.worlds import Additive, GeneralisedNormal, Laplace, Normal, Truncated
from coset.worlds._normal import normal_quantile, standard_normal

LAWS = {
    "normal": (Normal, stats.norm),
    "laplace": (Laplace, stats.laplace),
    "generalised 0.5": (lambda s: GeneralisedNormal(s, 0.5), stats.gennorm(0.5)),
    "generalised 1": (lambda s: GeneralisedNormal(s, 1.0), stats.gennorm(1)),
    "generalised 2": (lambda s: GeneralisedNormal(s, 2.0), stats.gennorm(2)),
    "generalised 3": (lambda s: GeneralisedNormal(s, 3.0), stats.gennorm(3)),
    "generalised 8": (lambda s: GeneralisedNormal(s, 8.0), stats.gennorm(8)),
}
each_law = pytest.mark.parametrize("name", LAWS)


@each_law
def test_whole(name, follows):
    make, reference = LAWS[name]
    noise = make(0.7)
    x = np.asarray(jax.jit(lambda k: noise.sample(k, (200_000,)))(jax.random.key(1)), float)
    assert np.isfinite(x).all()
    follows(x / 0.7, reference.cdf)


@each_law
@pytest.mark.parametrize("scale", [0.01, 0.3, 20.0])
def test_truncated(name, scale, follows):
    make, reference = LAWS[name]
    noise = make(scale)
    for mean in (-1.0, -0.97, 0.3, 2.0):
        means = jnp.full(50_000, mean)
        x = noise.truncated(jax.random.key(2), means, -1.0, 2.0)
        x = np.asarray(x, float)
        assert x.min() >= -1
        assert x.max() <= 2
        low, high = reference.cdf((-1 - mean) / scale), reference.cdf((2 - mean) / scale)

        def cdf(x, mean=mean, low=low, high=high):
            return (reference.cdf((x - mean) / scale) - low) / (high - low)

        follows(x, cdf, name, scale, mean)


@each_law
def test_masses_and_densities(name):
    make, reference = LAWS[name]
    noise = make(0.5)
    x = np.concatenate([np.linspace(-3, 3, 1001), [1e-4, -1e-4, 0.0]])
    mass = np.asarray(noise.mass(jnp.asarray(x, jnp.float32)))
    np.testing.assert_allclose(mass, 2 * reference.cdf(x / 0.5) - 1, atol=2e-5)
    log_density = np.asarray(noise.log_density(jnp.asarray(x, jnp.float32)))
    expected = reference.logpdf(x / 0.5) - np.log(0.5)
    np.testing.assert_allclose(log_density, expected, rtol=2e-5, atol=2e-5)


def test_normal_numbers_have_their_tails(likely, follows):
    x = np.asarray(standard_normal(jax.random.key(3), (4_000_000,)), float)
    follows(x[:200_000], stats.norm.cdf)
    for edge in (3.0, 4.0, 4.75):
        for tail in (x > edge, x < -edge):
            likely(stats.binomtest(int(tail.sum()), len(x), stats.norm.sf(edge)).pvalue, edge)


def test_normal_quantiles_are_those_of_scipy():
    mass = np.concatenate([np.linspace(-0.99999, 0.99999, 4001), [1 - 2.0**-24, 1e-6]])
    mass = mass.astype(np.float32)
    found = np.asarray(normal_quantile(jnp.asarray(mass)))
    expected = np.sign(mass) * -stats.norm.ppf((1 - np.abs(mass.astype(float))) / 2)
    np.testing.assert_allclose(found, expected, rtol=2e-6, atol=1e-7)
    assert np.isfinite(normal_quantile(jnp.array([-1.0, 1.0]))).all()


@each_law
def test_densities_of_positives_integrate_to_one(name):
    make, _ = LAWS[name]
    grid = jnp.linspace(0.0, 1.0, 20_001)
    inside = jax.vmap(lambda x: Truncated(make(0.2)).log_density(x[None], jnp.array([0.1])))(grid)
    assert np.trapezoid(np.exp(inside), grid) == pytest.approx(1, abs=1e-3)
    wide = jnp.linspace(-4.0, 4.0, 20_001)
    free = jax.vmap(lambda x: Additive(make(0.02)).log_density(x[None], jnp.array([0.1])))(wide)
    assert np.trapezoid(np.exp(free), wide) == pytest.approx(1, abs=2e-2)


def test_refusals():
    with pytest.raises(BadInput, match="above 0"):
        Normal(0.0)
    with pytest.raises(BadInput, match="alpha"):
        GeneralisedNormal(1.0, -1.0)
