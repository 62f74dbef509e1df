"""Measures and baselines of nonlinear ICA on codes that are known."""

from __future__ import annotations

from functools import partial

import jax
import numpy as np
import pytest

from coset._run import View
from coset.claims._unmixing import (
    MatchedStatistics,
    StatisticsR2,
    components,
    linear_ica,
    sizes_of_components,
    turned,
    turned_sizes,
)
from coset.metrics import mcc
from coset.worlds import segments


@pytest.fixture
def latent(rng):
    return rng.laplace(size=(8192, 3))


def test_statistics_are_found_through_a_linear_map(latent, rng):
    view = View(latent, np.abs(latent) @ rng.normal(size=(3, 3)) + 1.0)
    assert StatisticsR2()(view) == pytest.approx(1, abs=1e-6)
    assert StatisticsR2(power=2.0)(view) < 0.95
    assert MatchedStatistics()(view) > 0.99
    assert MatchedStatistics(unmixed=False)(view) < 0.95


def test_linear_ica_undoes_linear_mixings_alone(latent, rng):
    mixed = latent @ rng.normal(size=(3, 3))
    assert mcc(latent, linear_ica(mixed)).value > 0.99
    assert mcc(np.abs(latent), sizes_of_components(None, mixed)).value > 0.99
    assert mcc(latent, components(None, np.tanh(mixed) @ rng.normal(size=(3, 3)))).value < 0.99


def test_rotated_latents_keep_their_law_and_lose_their_axes():
    world = turned(0, world=partial(segments, segments=8), d=4)
    draw = world.sample(jax.random.key(0), 512)
    latent, x = np.asarray(draw.latent, float), np.asarray(draw.batch.x, float)
    np.testing.assert_allclose(np.linalg.norm(latent, axis=1), np.linalg.norm(x, axis=1), rtol=1e-5)
    view = View(latent, turned_sizes(world, x), world)
    assert StatisticsR2()(view) == pytest.approx(1, abs=1e-4)
    assert MatchedStatistics(unmixed=False)(view) < 0.95
