"""Mixings: injective where they say so, and drawn by the law that is written down."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coset._core import BadInput
from coset.worlds import Flow, Folded, Identity, LeakyMlp, Moebius, Orthogonal, Sphere
from coset.worlds._leaky import _accepted, _conditions, default_condition, easiest_of_pool

D = 6
MIXINGS = {
    "leaky": lambda seed: LeakyMlp(seed, D),
    "leaky, deep": lambda seed: LeakyMlp(seed, D, layers=5, slope=0.5, condition=2.5),
    "orthogonal": lambda seed: Orthogonal(seed, D),
    "moebius": lambda seed: Moebius(seed, D, 1.5),
    "flow": lambda seed: Flow(seed, D),
    "identity": lambda seed: Identity(),
    "folded": lambda seed: Folded(Orthogonal(seed, D)),
    "one folded": lambda seed: Folded(LeakyMlp(seed, D), at=0.1, count=1),
}
each = pytest.mark.parametrize("name", MIXINGS)


def latents():
    keys = jax.random.split(jax.random.key(4), 200)
    return jax.vmap(Sphere(D).uniform)(keys)


@each
def test_injective_mixings_can_be_undone_and_others_make_twins(name):
    mixing, z = MIXINGS[name](0), latents()
    x = jax.vmap(mixing)(z)
    if mixing.injective:
        np.testing.assert_allclose(jax.vmap(mixing.inverse)(x), z, atol=2e-4)
        jacobians = np.asarray(jax.vmap(jax.jacfwd(mixing))(z), float)
        sizes = np.linalg.svd(jacobians, compute_uv=False)
        assert (sizes[:, -1] > 1e-3 * sizes[:, 0]).all()
    else:
        twins = jax.vmap(mixing.twin)(z)
        assert (jnp.linalg.norm(twins - z, axis=1) > 1e-4).all()
        np.testing.assert_allclose(jax.vmap(mixing)(twins), x, atol=1e-5)


@each
def test_seeds_differ_and_repeat(name):
    make, z = MIXINGS[name], latents()[0]
    np.testing.assert_array_equal(make(1)(z), make(1)(z))
    if name != "identity":
        assert not np.allclose(make(1)(z), make(2)(z))
    assert jax.tree.structure(make(1)) == jax.tree.structure(make(2))


def test_layers_have_columns_of_length_1_and_a_bounded_condition_number():
    for seed in range(3):
        matrices = np.asarray(LeakyMlp(seed, 10, layers=4).matrices, float)
        np.testing.assert_allclose(np.linalg.norm(matrices, axis=1), 1, rtol=1e-6)
        assert (np.linalg.cond(matrices) <= default_condition(10) * (1 + 1e-5)).all()
    assert not np.array_equal(matrices[0], matrices[1])


@pytest.mark.parametrize(("d", "condition"), [(2, 1.01), (5, 2.6), (10, 7.0), (4, np.inf)])
def test_the_determinant_refuses_no_matrix_that_would_be_accepted(d, condition):
    rng = np.random.default_rng([7, d])
    plain = []
    while len(plain) < 5:
        drawn = rng.uniform(-1, 1, (5000, d, d))
        drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
        plain.extend(drawn[_conditions(drawn) <= condition])
    np.testing.assert_array_equal(_accepted(7, d, 5, condition), np.stack(plain[:5]))


@pytest.mark.parametrize(("d", "spread"), [(3, 0.0165), (4, 0.051), (6, 0.148)])
def test_default_thresholds_are_those_of_pools(d, spread):
    """`spread` is the deviation of one pool's minimum, measured over 40; five median ones off
    at most once in 1e5, as the median of 5 spreads by about half of it."""
    found = easiest_of_pool(d, pools=5, seed=1)
    assert abs(found - default_condition(d)) < 3.5 * spread


def test_moebius_keeps_the_unit_sphere_and_angles():
    mixing, z = Moebius(0, D), latents()
    np.testing.assert_allclose(jnp.linalg.norm(jax.vmap(mixing)(z), axis=1), 1, atol=1e-5)
    jacobian = np.asarray(jax.jacfwd(mixing)(z[0]), float)
    scale = np.trace(jacobian.T @ jacobian) / D
    np.testing.assert_allclose(jacobian.T @ jacobian, scale * np.eye(D), atol=1e-4 * scale)


def test_refusals():
    with pytest.raises(BadInput, match="slope"):
        LeakyMlp(0, 5, slope=0.0)
    with pytest.raises(BadInput, match="condition"):
        LeakyMlp(0, 5, condition=1.0)
    with pytest.raises(BadInput, match="pole"):
        Moebius(0, 5, distance=0.5)
    with pytest.raises(BadInput, match="flow"):
        Flow(0, 1)
