"""Recipes are values: equal ones share an optimiser, impossible ones are refused."""

from __future__ import annotations

from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest

from coset._core import BadInput
from coset._fingerprint import fingerprint
from coset._recipe import KINDS, SCHEDULES, Recipe, _scheduled


@pytest.mark.parametrize("kind", KINDS)
def test_equal_recipes_share_an_optimiser(kind):
    one, other = Recipe(kind=kind), Recipe(kind=kind)
    assert one == other
    assert one.optimiser is other.optimiser
    assert replace(one, batch=7).optimiser is one.optimiser
    assert replace(one, rate=0.5).optimiser is not one.optimiser
    assert replace(one, steps=7).optimiser is not one.optimiser
    assert fingerprint(one) == fingerprint(other) != fingerprint(replace(one, batch=7))


def test_using_a_recipe_does_not_change_its_fingerprint():
    recipe = Recipe()
    before = fingerprint(recipe)
    assert recipe.optimiser
    assert fingerprint(recipe) == before
    assert recipe == Recipe()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"kind": "adamw"}, "kinds are muon, adam, sgd"),
        ({"schedule": "linear"}, "schedules cosine, constant"),
        ({"batch": 0}, "batch=0"),
        ({"steps": 0}, "steps=0"),
        ({"warmup": -1}, "warmup=-1"),
        ({"steps": 10, "warmup": 10}, "warmup=10, steps=10"),
    ],
)
def test_impossible_recipes_are_refused(options, says):
    with pytest.raises(BadInput, match=says):
        Recipe(**options)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("warmup", [0, 10])
def test_rates(schedule, warmup):
    recipe = Recipe(steps=100, rate=0.3, schedule=schedule, warmup=warmup)
    rate = _scheduled(recipe, 0.3)
    assert float(rate(jnp.array(warmup))) == pytest.approx(0.3)
    if warmup:
        np.testing.assert_allclose([rate(0), rate(5)], [0.0, 0.15], atol=1e-7)
    middle = warmup + (100 - warmup) // 2
    half, end = (0.15, 0.0) if schedule == "cosine" else (0.3, 0.3)
    np.testing.assert_allclose([rate(middle), rate(100)], [half, end], atol=1e-7)


@pytest.mark.parametrize(("kind", "update"), [("sgd", 0.3), ("adam", 0.3)])
def test_first_update_of_vectors(kind, update):
    """Plain descent moves by rate · slope, Adam by rate · its sign: by hand for a slope of 1."""
    optimiser = Recipe(kind=kind, rate=0.3, schedule="constant").optimiser
    weights = jnp.zeros(4)
    change, _ = optimiser.update(jnp.ones(4), optimiser.init(weights), weights)
    np.testing.assert_allclose(change, -update, rtol=1e-5)


def test_muon_orthogonalises_the_encoders_matrices(rng):
    """Its update has singular values near one times a scale of its own, whatever the slope's."""
    optimiser = Recipe(rate=0.3, vector_rate=0.1, schedule="constant").optimiser
    slope = jnp.asarray(rng.normal(size=(6, 6)) * np.logspace(0, 1, 6), jnp.float32)
    learner = ({"w": jnp.zeros((6, 6)), "b": jnp.zeros(6)}, {"head": jnp.zeros((6, 6))})
    slopes = ({"w": slope, "b": slope[0]}, {"head": slope})
    change, _ = optimiser.update(slopes, optimiser.init(learner), learner)
    spread = np.linalg.svd(np.asarray(change[0]["w"]), compute_uv=False)
    assert spread.max() / spread.min() < 2.5
    first = 0.1 * (0.9 * 0.1 / (1 - 0.9**2) + 1)  # Adam looks ahead, as Nesterov's momentum does
    np.testing.assert_allclose(change[0]["b"], -first * np.sign(slope[0]), rtol=1e-4)
    np.testing.assert_allclose(change[1]["head"], -first * np.sign(slope), rtol=1e-4)
