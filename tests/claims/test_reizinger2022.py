"""Measures of autoencoders on models that are known, and the bound against closed forms."""

from __future__ import annotations

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coset._lab import Batch
from coset._run import View
from coset.claims._bound import Bound, nodes_of
from coset.claims._measures import Matched
from coset.claims._vae import (
    DecoderContrast,
    InBox,
    InUnits,
    MatchedInBatches,
    OfBox,
    SelfConsistency,
    VarianceGap,
    logistic_log_density,
    vae,
)
from coset.encoders import Raw
from coset.objectives import Elbo, SameForAll
from coset.worlds import Linear, smooth

D = 3


class Matrix(eqx.Module):
    """x → A x, as encoder and as decoder."""

    matrix: jax.Array

    def __call__(self, x):
        return self.matrix @ x


def linear_model(matrix, precision, spread=1.0):
    """A decoder, its inverse, and posteriors of the variance that is best times a number."""
    matrix = np.asarray(matrix, float)
    best = 1 / (1 + precision * (matrix**2).sum(0))
    objective = Elbo(
        Matrix(jnp.asarray(matrix, float)), SameForAll(D), noise=jnp.asarray(precision**-0.5)
    )
    objective = eqx.tree_at(
        lambda o: o.log_variance.value, objective, jnp.asarray(np.log(spread * best), float)
    )
    return Matrix(jnp.asarray(np.linalg.inv(matrix), float)), objective


def seen(encoder, objective, matrix, n=2000):
    latent = np.random.default_rng(0).normal(size=(n, D))
    x = latent @ np.asarray(matrix).T
    codes = np.asarray(jax.vmap(encoder)(jnp.asarray(x, float)), float)
    return View(latent, codes, None, objective, encoder, Batch(x=jnp.asarray(x, float)))


SHEAR = np.array([[2.0, 0.5, 0.0], [0.0, 1.0, 0.3], [0.0, 0.0, 0.5]])


def sheared(seed):
    return smooth(seed, mixing=Linear(SHEAR))


def test_measures_of_a_linear_model():
    made = seen(*linear_model(SHEAR, 100.0), SHEAR)
    exact = np.log(np.linalg.norm(SHEAR, axis=0)).sum() - np.log(np.abs(np.linalg.det(SHEAR)))
    assert DecoderContrast()(made) == pytest.approx(exact, abs=1e-5)
    assert SelfConsistency()(made) < 1e-9
    assert VarianceGap()(made) < 1e-5
    wide = seen(*linear_model(SHEAR, 100.0, spread=1.5), SHEAR)
    assert VarianceGap()(wide) == pytest.approx(0.5, abs=1e-4)
    half = eqx.tree_at(lambda e: e.matrix, made.encoder, made.encoder.matrix / 2)
    apart = View(made.latent, made.codes, None, made.objective, half, made.batch)
    assert SelfConsistency()(apart) == pytest.approx(np.mean(made.latent**2) / 4, rel=1e-4)


def test_batches_of_64_score_0_15_by_chance_and_draws_score_less_than_means():
    rng = np.random.default_rng(0)
    noise = View(rng.normal(size=(8192, D)), rng.normal(size=(8192, D)))
    # 0.153 over 128 batches of deviation 0.05: 6 standard errors
    assert MatchedInBatches(uniform=False)(noise) == pytest.approx(0.153, abs=0.027)
    assert Matched()(noise) < 0.05
    sharp = seen(*linear_model(SHEAR, 1e4), SHEAR)
    blurred = seen(*linear_model(SHEAR, 1.0), SHEAR)
    assert MatchedInBatches(uniform=False)(sharp) > 0.99
    assert MatchedInBatches(uniform=False)(blurred) < 0.95


def test_sigmoids_of_codes_are_compared_with_a_box():
    latent = np.random.default_rng(0).uniform(size=(2000, D))
    codes = np.log(latent / (1 - latent))
    model = linear_model(np.eye(D), 1e6)
    view = View(latent, codes, None, None, model[0])
    assert InBox(Matched())(view) == pytest.approx(1)
    raw = View(latent, codes, None, None, Raw())
    assert InBox(Matched())(raw) == Matched()(raw) < 1


def test_the_uniform_prior_is_the_logistic_law_of_codes():
    code = np.random.default_rng(0).logistic(size=D)
    exact = (-code - 2 * np.log1p(np.exp(-code))).sum()
    assert float(logistic_log_density(jnp.asarray(code, float))) == pytest.approx(exact, rel=1e-5)
    # E_q[log p(x|σ(c)) + log p(c) - log q(c)] is what a model of u = σ(c) in the box has
    key = jax.random.key(0)
    uniform, normal = (
        vae(key, d=D, precision=100.0, widths=(8,), uniform=flag, theory=frozenset())
        for flag in (True, False)
    )
    point = jnp.asarray(code, float)
    inner = normal.likelihood.decoder
    np.testing.assert_allclose(
        uniform.likelihood.decoder(point), inner(jax.nn.sigmoid(point)), rtol=1e-6
    )
    assert isinstance(uniform.likelihood.decoder, OfBox)
    assert isinstance(inner, InUnits)
    assert float(uniform.likelihood.noise) == pytest.approx(0.1)


def test_nodes_integrate_polynomials():
    nodes, weights = nodes_of(2)
    assert weights.sum() == pytest.approx(1)
    assert weights @ (nodes[:, 0] ** 4 * nodes[:, 1] ** 2) == pytest.approx(3)


def test_the_bound_of_a_linear_decoder_is_its_closed_form():
    """log N(x; 0, A Aᵀ + I / γ²) less KL of the best diagonal posterior from the true one."""

    precision = 100.0
    run = Bound(sheared, (precision,), rows=200).run([0])
    z = np.asarray(sheared(0).sample(jax.random.key(0), 200).latent, float)
    covariance = SHEAR @ SHEAR.T + np.eye(D) / precision
    x = z @ SHEAR.T
    log_density = -0.5 * (
        np.einsum("ni,ij,nj->n", x, np.linalg.inv(covariance), x)
        + np.linalg.slogdet(2 * np.pi * covariance)[1]
    )
    sharp = np.eye(D) + precision * SHEAR.T @ SHEAR
    apart = 0.5 * (np.log(np.diag(sharp)).sum() - np.linalg.slogdet(sharp)[1])
    (curve,) = run.curves
    assert curve.values[0][0] == pytest.approx(log_density.mean() - apart, abs=2e-3)
    assert run.scores["to_regularised"].trained[0] < 0.1


def test_the_bound_falls_short_by_the_contrast():
    run = Bound(partial(smooth, triangular=True), (1e2, 1e5), rows=32).run([0])
    contrast, short = (run.scores[name].trained[0] for name in ("contrast", "to_likelihood"))
    assert contrast > 0.1
    assert short == pytest.approx(contrast, abs=0.02)
    one = Bound(partial(smooth, layers=1), (1e5,), rows=32).run([0])
    assert one.scores["contrast"].trained[0] < 1e-5
    assert one.scores["to_likelihood"].trained[0] == pytest.approx(0, abs=0.02)
