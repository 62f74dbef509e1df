"""Graphs from encoders that are known: one that undoes the equations, and one that is turned."""

from __future__ import annotations

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import coset
from coset._lab import AbstractEncoder, encode
from coset._run import View
from coset.claims import reizinger2023
from coset.claims._jacobians import (
    AgainstOrder,
    GraphAccuracy,
    OrderAccuracy,
    SupportAccuracy,
    SupportAuroc,
)
from coset.encoders import Raw

equations = partial(reizinger2023.equations, least=0.05, width=0.15)
ALL = (SupportAccuracy(), SupportAuroc(), GraphAccuracy(), OrderAccuracy())


class Undone(AbstractEncoder):
    """Latents in another order, at other scales, and turned if wanted."""

    mixing: eqx.Module
    turn: jax.Array

    def __call__(self, x):
        return self.turn @ self.mixing.inverse(x)


def view_of(encoder, world, n=2000):
    drawn = world.sample(jax.random.key(0), n)
    codes = np.asarray(encode(encoder, drawn.batch.x), float)
    return View(np.asarray(drawn.latent, float), codes, world, None, encoder, drawn.batch)


@pytest.mark.parametrize("slope", [1.0, 0.25])
@pytest.mark.parametrize("density", [1.0, 0.25])
def test_noises_up_to_permutation_and_scale_show_the_graph(density, slope):
    world = equations(0, d=4, density=density, slope=slope)
    turn = jnp.diag(jnp.array([1.0, -3.0, 0.2, 5.0]))[jnp.array([2, 0, 3, 1])]
    view = view_of(Undone(world.mixing, turn), world)
    scores = {measure.name: measure(view) for measure in ALL}
    assert scores["accuracy_oracle"] == 1
    assert scores["auroc_oracle"] == 1
    assert scores["order_alone"] == 1
    assert scores["accuracy_alone"] >= 10 / 12, "edges below the threshold are not seen"
    assert AgainstOrder()(view) == 0


def test_a_rotation_hides_it():
    world = equations(0, d=4, density=0.0, slope=1.0)
    turn = jnp.asarray(np.linalg.qr(np.random.default_rng(1).normal(size=(4, 4)))[0], jnp.float32)
    view = view_of(Undone(world.mixing, turn), world)
    assert SupportAccuracy()(view) < 0.8
    assert AgainstOrder()(view) > 0.2


def test_what_has_no_encoder_or_no_strengths_has_no_score():
    world = equations(0, d=3, density=1.0, slope=1.0)
    view = view_of(Raw(), world)
    assert np.isnan(AgainstOrder()(view))
    assert GraphAccuracy()(view) == 0.5
    blind = View(view.latent, view.codes)
    assert all(np.isnan(measure(blind)) for measure in (*ALL, AgainstOrder()))


@pytest.mark.slow
def test_claim_at_smoke():
    found = coset.verify("reizinger2023.graph", scale="smoke", seeds=2)
    assert found.status == "supported", found.reason
