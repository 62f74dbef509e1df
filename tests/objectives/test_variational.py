"""Bounds against likelihoods in closed form, divergences against integrals."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from coset._core import BadInput
from coset._lab import AbstractEncoder, Batch
from coset.encoders import Raw
from coset.objectives import AdaGvae, ByDensity, Elbo, OfObservation, SameForAll, SlowVae
from coset.objectives._ada_gvae import between, by_moments, by_product
from coset.objectives._normals import (
    NormalLaw,
    log_normal,
    mean_distance,
    normal_divergence,
)
from coset.objectives._slow_vae import laplace_divergence

KEY = jax.random.key(0)


class Linear(AbstractEncoder):
    """code = matrix @ x."""

    matrix: jax.Array

    def __call__(self, x):
        return self.matrix @ x


def f32(x):
    return jnp.asarray(x, jnp.float32)


def law_of(mean, covariance):
    """A normal law as Cholesky's factor gives it: L diag(e^s) Lᵀ."""
    root = np.linalg.cholesky(covariance)
    scale = np.diag(root)
    return NormalLaw(f32(mean), f32(2 * np.log(scale)), f32(root / scale))


@pytest.fixture
def linear():
    """x = A z + noise: a row of x, what maps it to the posterior's mean, and its precision."""
    rng = np.random.default_rng(3)
    decoder, noise = rng.normal(size=(4, 3)) @ np.array([[1, 1, 0], [0, 1, 1], [0, 0, 1]]), 0.5
    precision = np.eye(3) + decoder.T @ decoder / noise**2
    encoder = np.linalg.solve(precision, decoder.T / noise**2)
    x = rng.normal(size=4)
    likelihood = stats.multivariate_normal(np.zeros(4), decoder @ decoder.T + noise**2 * np.eye(4))
    return decoder, noise, encoder, precision, x, likelihood.logpdf(x)


def bound(linear, spread, prior=None, n=200_000):
    """Minus the objective on n copies of the row, and five standard errors of it."""
    decoder, noise, encoder, _, x, _ = linear
    elbo = Elbo(Linear(f32(decoder)), SameForAll(3), prior, noise)
    elbo = eqx.tree_at(lambda e: e.log_variance.value, elbo, f32(spread))
    batch = Batch(jnp.tile(f32(x), (n, 1)))
    return -float(elbo(Linear(f32(encoder)), batch, key=KEY))


def test_the_bound_is_the_likelihood_where_the_posterior_is_exact(linear):
    """Reconstructions of 200,000 draws have a standard error of 0.005 here."""
    *_, precision, _, likelihood = linear
    law = law_of(np.zeros(3), np.linalg.inv(precision))
    below = np.asarray(law.lower)[np.tril_indices(3, -1)]
    spread = np.concatenate([np.asarray(law.log_variance), below])
    assert bound(linear, spread) == pytest.approx(likelihood, abs=0.03)


def test_the_best_independent_posterior_falls_short_by_the_contrast_of_columns(linear):
    *_, precision, _, likelihood = linear
    gap = (np.log(np.diag(precision)).sum() - np.linalg.slogdet(precision)[1]) / 2
    assert gap > 0.3
    found = bound(linear, -np.log(np.diag(precision)))
    assert found == pytest.approx(likelihood - gap, abs=0.03)
    for change in (-0.5, 0.5):
        assert bound(linear, change - np.log(np.diag(precision))) < found - 0.1


def test_a_density_as_prior_estimates_the_same(linear):
    *_, precision, _, _ = linear
    spread = -np.log(np.diag(precision))
    normal = ByDensity(lambda z: log_normal(z, 0.0, 0.0).sum())
    assert bound(linear, spread, normal) == pytest.approx(bound(linear, spread), abs=0.03)


def test_laws_with_dependent_coordinates():
    rng = np.random.default_rng(0)
    root = rng.normal(size=(3, 3))
    covariance, mean = root @ root.T, rng.normal(size=3)
    law = law_of(mean, covariance)
    np.testing.assert_allclose(law.variance, np.diag(covariance), rtol=1e-5)
    exact = stats.multivariate_normal(mean, covariance)
    assert float(law.entropy) == pytest.approx(exact.entropy(), rel=1e-5)
    drawn = np.asarray(jax.vmap(law.draw)(jax.random.split(KEY, 100_000)), float)
    white = np.linalg.solve(np.linalg.cholesky(covariance), (drawn - mean).T)
    assert min(stats.kstest(row, stats.norm.cdf).pvalue for row in white) > 1e-6
    np.testing.assert_allclose(np.cov(white), np.eye(3), atol=0.02)
    centre, spread = rng.normal(size=3), rng.uniform(0.5, 2, 3)
    kl = (
        np.trace(covariance / spread[:, None])
        + ((mean - centre) ** 2 / spread).sum()
        - 3
        + np.log(spread).sum()
        - np.linalg.slogdet(covariance)[1]
    ) / 2
    found = float(normal_divergence(law, f32(centre), f32(np.log(spread))))
    assert found == pytest.approx(kl, rel=1e-5)


@pytest.mark.parametrize(("mean", "variance"), [(0.0, 1.0), (-2.0, 0.5), (0.3, 4.0), (5.0, 1e-4)])
def test_mean_distance_is_the_integral(mean, variance):
    normal = stats.norm(mean, variance**0.5)
    expected = quad(lambda a: abs(a) * normal.pdf(a), mean - 30, mean + 30, points=[0, mean])[0]
    assert float(mean_distance(f32(mean), f32(variance))) == pytest.approx(expected, rel=1e-5)


def test_divergence_from_laplace_moves_is_no_less_than_0_and_0_nowhere():
    rng = np.random.default_rng(0)
    for _ in range(20):
        after, before = (NormalLaw(*f32(rng.normal(size=(2, 1)))) for _ in range(2))
        assert float(laplace_divergence(after, before, 2.0)) > 0


def test_slow_vae_bounds_the_likelihood_of_a_pair():
    """One latent, x = z + noise: the likelihood of (x, x̃) is a sum over a fine grid."""
    noise, rate, x, y = 0.1, 3.0, 0.4, 0.9
    z = np.linspace(-3, 4, 3501)
    step = z[1] - z[0]
    prior = stats.norm.logpdf(z)[:, None] + stats.laplace.logpdf(z - z[:, None], scale=1 / rate)
    seen = stats.norm.logpdf(x, z, noise)[:, None] + stats.norm.logpdf(y, z, noise)
    likelihood = np.log(np.exp(prior + seen).sum() * step**2)
    n = 100_000
    batch = Batch(jnp.full((n, 1), x), jnp.full((n, 1), y))
    objective = SlowVae(eqx.nn.Identity(), SameForAll(1, 2 * np.log(noise)), rate, noise)
    gap = likelihood + float(objective(Raw(), batch, key=KEY))
    assert 0 < gap < 0.15


def laws(rng, n=5, k=3):
    return (NormalLaw(f32(rng.normal(size=(n, k))), f32(rng.normal(size=(n, k)))) for _ in range(2))


def test_the_two_of_a_pair_can_be_exchanged():
    rng = np.random.default_rng(0)
    a, b = laws(rng)
    np.testing.assert_allclose(between(a, b), between(b, a), rtol=1e-5)
    x, y = f32(rng.normal(size=(2, 6, 3)))
    spread = OfObservation(Linear(f32(rng.normal(size=(3, 3)))))
    for average in ("moments", "product"):
        objective = AdaGvae(eqx.nn.Identity(), spread, average=average)
        first, second = objective.shared(Raw(), Batch(x, y))
        turned = objective.shared(Raw(), Batch(y, x))
        for one, other in zip((first, second), turned[::-1], strict=True):
            np.testing.assert_allclose(one.mean, other.mean, rtol=1e-5)
            np.testing.assert_allclose(one.log_variance, other.log_variance, atol=1e-5)
        kept = np.asarray(first.mean != second.mean)
        assert (kept.sum(axis=1) >= 1).all()
        assert (kept.sum(axis=1) <= 2).all()


def test_averages():
    a, b = laws(np.random.default_rng(1))
    mean = by_moments(a, b)
    np.testing.assert_allclose(mean.variance, (a.variance + b.variance) / 2, rtol=1e-5)
    law = by_product(a, b)
    z = jnp.zeros(())
    logs = [
        log_normal(z + shift, one.mean, one.log_variance) for shift in (0.0, 1.0) for one in (a, b)
    ]
    both = [log_normal(z + shift, law.mean, law.log_variance) for shift in (0.0, 1.0)]
    halves = (logs[0] + logs[1]) / 2, (logs[2] + logs[3]) / 2
    np.testing.assert_allclose(both[1] - both[0], halves[1] - halves[0], rtol=1e-4, atol=1e-4)


def test_refusals():
    one = Batch(jnp.zeros((2, 3)), jnp.zeros((2, 3)))
    with pytest.raises(BadInput, match="noise=0"):
        Elbo(eqx.nn.Identity(), SameForAll(3), noise=0)
    with pytest.raises(BadInput, match="choose from moments, product"):
        AdaGvae(eqx.nn.Identity(), SameForAll(3), average="sum")
    with pytest.raises(BadInput, match="changes=0"):
        AdaGvae(eqx.nn.Identity(), SameForAll(3), changes=0)
    with pytest.raises(BadInput, match="4 numbers for the spread of a code of 3 columns"):
        Elbo(eqx.nn.Identity(), SameForAll(4))(Raw(), one, key=KEY)
    with pytest.raises(BadInput, match="one by one"):
        AdaGvae(eqx.nn.Identity(), SameForAll(6))(Raw(), one, key=KEY)
