"""Logistic regressions at the laws that they should find."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coset._assumptions import VARIABLE
from coset._core import BadInput
from coset._lab import Batch
from coset.encoders import Raw
from coset.objectives import (
    MODULATION,
    AbsoluteDifference,
    AuxiliaryContrast,
    LabelTable,
    PermutationContrast,
    Powers,
)
from coset.worlds import Identity, autoregressive, segments

KEY = jax.random.key(0)
N = 4096


def true_contrast(world):
    """GCL with the logarithm of p(x | u) / p(x) of normal segments."""
    means, scales = (
        np.asarray(part, float) for part in (world.latents.means, world.latents.scales)
    )
    statistics = np.stack([means / scales**2, -0.5 / scales**2], axis=2)
    constant = -np.sum(means**2 / (2 * scales**2) + np.log(scales), axis=1, keepdims=True)
    rows = jnp.asarray(np.hstack([statistics.reshape(len(means), -1), constant]), jnp.float32)
    table = eqx.tree_at(lambda t: t.rows, LabelTable(KEY, *rows.shape), rows)

    def marginal(code):
        powers = jnp.append(Powers(2)(code).ravel(), 1.0)
        return np.log(len(rows)).item() - jax.nn.logsumexp(rows @ powers)

    return AuxiliaryContrast(Powers(2), table, marginal)


def test_the_true_law_is_where_the_auxiliary_contrast_is_least():
    world = segments(
        0, d=2, segments=5, law="normal", scales=(0.5, 1.5), means=1.0, mixing=Identity()
    )
    batch, best = world.sample(KEY, N).batch, true_contrast(world)
    value, slope = eqx.filter_value_and_grad(lambda o: o(Raw(), batch, key=KEY))(best)
    # slopes are means of N terms below 5 in size, pairs of rows counted once: 6 standard errors
    assert float(jnp.abs(slope.modulation.rows).max()) < 6 * 5 / np.sqrt(N)
    for k in range(5):
        moved = 0.3 * jax.random.normal(jax.random.key(k), best.modulation.rows.shape)
        other = eqx.tree_at(lambda o: o.modulation.rows, best, best.modulation.rows + moved)
        assert float(other(Raw(), batch, key=KEY)) > float(value) + 0.01


def test_latents_are_told_from_rotated_ones_where_innovations_are_laplace():
    scale = np.sqrt(2 / (1 - 0.7**2)).item()
    regression = eqx.tree_at(
        lambda r: (r.of_later, r.of_earlier, r.square),
        AbsoluteDifference(2),
        (jnp.full(2, scale), jnp.full(2, -0.7 * scale), jnp.asarray(0.7)),
    )
    objective = PermutationContrast(regression)
    turn = jnp.asarray([[1.0, -1.0], [1.0, 1.0]]) / 2**0.5
    found = {}
    for law in ("laplace", "normal"):
        batch = autoregressive(0, d=2, law=law, mixing=Identity()).sample(KEY, N).batch
        turned = Batch(batch.x @ turn, batch.positive @ turn)
        found[law] = [float(objective(Raw(), one, key=KEY)) for one in (batch, turned)]
    assert found["laplace"][0] < found["laplace"][1] - 0.02
    assert found["normal"][0] == pytest.approx(found["normal"][1], abs=0.02)


def test_an_auxiliary_with_columns_goes_through_a_network():
    modulation = eqx.nn.MLP(3, 5, 8, 1, key=KEY)
    objective = AuxiliaryContrast(
        Powers(2), modulation, eqx.nn.MLP(2, "scalar", 8, 1, key=KEY), MODULATION
    )
    x, u = jnp.ones((6, 2)), jax.random.normal(KEY, (6, 3))
    assert np.isfinite(objective(Raw(), Batch(x, auxiliary=u), key=KEY))
    assert objective.needs == MODULATION
    assert VARIABLE not in objective.needs


def test_refusals():
    with pytest.raises(BadInput, match="order=0"):
        Powers(0)
    with pytest.raises(BadInput, match="give integers"):
        LabelTable(KEY, 3, 2)(jnp.zeros(()))
