"""The analytic bound against one that is sampled, and where it is tight."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from coset.claims._linear_vae import AgainstPca, LinearVae, _information
from coset.solvers import ppca


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    found = rng.normal(size=(400, 2)) @ rng.normal(size=(2, 4)) + 0.5 * rng.normal(size=(400, 4))
    return found - found.mean(0)


def vae(rng, posterior):
    parts = rng.normal(size=(4, 2)), rng.normal(size=(2, 4)), 0.3 * rng.normal(size=(2, 2))
    return LinearVae(*map(jnp.asarray, parts), jnp.asarray(-0.4), posterior)


@pytest.mark.parametrize("posterior", ["diagonal", "full", "unit"])
def test_bound_is_the_mean_of_its_samples(rng, rows, posterior):
    """Kullback-Leibler divergence written out; the reconstruction averaged over 4,000 draws."""
    model = vae(rng, posterior)
    w, v, factor = (np.asarray(part, float) for part in (model.w, model.v, model.spread()))
    covariance, noise = factor @ factor.T, float(np.exp(model.log_noise))
    means = rows @ v.T
    divergence = (
        np.trace(covariance) + (means**2).sum(1).mean() - 2 - np.linalg.slogdet(covariance)[1]
    ) / 2
    errors = []
    for _ in range(4000):
        z = means + rng.normal(size=means.shape) @ factor.T
        errors.append(((rows - z @ w.T) ** 2).sum(1).mean())
    expected = -np.mean(errors) / (2 * noise) - 2 * np.log(2 * np.pi * noise) - divergence
    reach = 5 * np.std(errors) / np.sqrt(len(errors)) / (2 * noise)
    second = jnp.asarray(rows.T @ rows / len(rows))
    assert float(model.bound(second)) == pytest.approx(expected, abs=reach + 1e-3)


def test_bound_is_tight_at_the_posterior_of_ppca(rows):
    best = ppca(rows, 2)
    covariance = best.posterior_covariance
    assert np.abs(covariance - np.diag(np.diagonal(covariance))).max() < 1e-12
    encoder = covariance @ best.loadings.T / best.noise[0]
    root = np.diag(np.log(np.diagonal(covariance)) / 2)
    parts = best.loadings, encoder, root, np.log(best.noise[0])
    model = LinearVae(*map(jnp.asarray, parts), "diagonal")
    second = rows.T @ rows / len(rows)
    assert float(model.bound(jnp.asarray(second))) == pytest.approx(
        best.log_likelihood(rows), abs=1e-4
    )
    assert (_information(model, second) > 0.1).all()


def test_latents_that_copy_the_prior_tell_nothing(rng, rows):
    model = LinearVae(jnp.ones((4, 2)), jnp.zeros((2, 4)), jnp.zeros((2, 2)), jnp.zeros(()), "full")
    np.testing.assert_allclose(_information(model, rows.T @ rows / len(rows)), 0.0, atol=1e-12)


def test_the_record_has_floors_and_a_curve():
    run = AgainstPca(k=2, steps=100).run([0, 1])
    assert run.scores["bound_gap"].trained < run.scores["bound_gap"].untrained
    assert run.curves[0].at[-1] == 100
    assert not any(run.diverged)
