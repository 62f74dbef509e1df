"""The correlation of draws, where posteriors are known."""

from __future__ import annotations

import equinox as eqx
import jax
import numpy as np
import pytest

from coset._lab import Batch
from coset._run import View
from coset.claims._variational import MatchedDraw, networks
from coset.encoders import Raw
from coset.objectives import Elbo, IVae, SameForAll
from coset.objectives._posteriors import posteriors

N, D = 4000, 3
LATENT = np.random.default_rng(0).normal(size=(N, D))
BATCH = Batch(jax.numpy.asarray(LATENT, "float32"), auxiliary=jax.numpy.zeros(N, int))


def view(objective):
    return View(LATENT, LATENT, objective=objective, encoder=Raw(), batch=BATCH)


@pytest.mark.parametrize(("variance", "expected"), [(1e-8, 1.0), (1.0, 0.5**0.5), (99.0, 0.1)])
def test_noise_of_draws_lowers_the_correlation_as_it_should(variance, expected):
    """1 / √(1 + variance), to within 5 standard errors of a mean of three correlations."""
    spread = SameForAll(D, start=np.log(variance))
    for objective in (
        Elbo(eqx.nn.Identity(), spread),
        IVae(eqx.nn.Identity(), spread, labels=2, d=D),
    ):
        assert MatchedDraw()(view(objective)) == pytest.approx(expected, abs=0.05)
    assert MatchedDraw()(view(None)) == 1.0


@pytest.mark.parametrize(("labels", "whole"), [(0, True), (0, False), (2, True), (2, False)])
def test_networks_have_the_posterior_that_is_asked_for(labels, whole):
    decoder, spread = networks(jax.random.key(0), d=D, widths=(8,), labels=labels, whole=whole)
    assert decoder(BATCH.x[0]).shape == (D,)
    assert spread.labelled == bool(labels)
    law = posteriors(Raw(), spread, BATCH.x, BATCH.auxiliary if labels else None)
    assert (law.lower is not None) == whole
