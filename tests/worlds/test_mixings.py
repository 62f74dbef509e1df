"""Mixings: injective where they say so, and drawn by the law that is written down."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from coset._core import BadInput
from coset.worlds import (
    Composed,
    Flow,
    Folded,
    Identity,
    Inversion,
    LeakyMlp,
    Linear,
    Moebius,
    Orthogonal,
    Quantiles,
    SmoothMlp,
    Sphere,
    StructuralEquations,
    Swirl,
    sheared,
)
from coset.worlds._leaky import _accepted, _conditions, default_condition, easiest_of_pool

D = 6
MIXINGS = {
    "leaky": lambda seed: LeakyMlp(seed, D),
    "leaky, deep": lambda seed: LeakyMlp(seed, D, layers=5, slope=0.5, condition=2.5),
    "orthogonal": lambda seed: Orthogonal(seed, D),
    "moebius": lambda seed: Moebius(seed, D, 1.5),
    "flow": lambda seed: Flow(seed, D),
    "inversion": lambda seed: Inversion(seed, D),
    "linear": lambda seed: Linear(sheared(seed, D, 1.0), np.full(D, 0.5)),
    "composed": lambda seed: Composed(Flow(seed, D, 1), Orthogonal(seed, D)),
    "smooth": lambda seed: SmoothMlp(seed, D),
    "smooth, triangular": lambda seed: SmoothMlp(seed, D, 2, triangular=True),
    "swirl": lambda seed: Swirl(1.0 + seed),
    "identity": lambda seed: Identity(),
    "equations": lambda seed: StructuralEquations(seed, D, density=0.3, slope=0.5, least=0.5),
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


def columns(mixing, z):
    return np.asarray(jax.jit(jax.vmap(jax.jacfwd(mixing)))(z), float)


def test_inversion_keeps_angles_of_a_box_that_its_pole_is_off():
    mixing = Inversion(0, 3)
    assert (jnp.abs(mixing.pole) > 0.5).all()
    z = jax.random.uniform(jax.random.key(0), (2000, 3)) - 0.5
    found = columns(mixing, z)
    scale = np.einsum("nij,nij->n", found, found)[:, None, None] / 3
    gap = np.einsum("nki,nkj->nij", found, found) / scale - np.eye(3)
    np.testing.assert_allclose(gap, 0, atol=1e-4)
    x = np.asarray(jax.vmap(mixing)(z), float)
    # 6 standard errors of the mean of 2,000 rows: fails once in 1e8 draws
    assert (np.abs(x.mean(0)) < 6 * x.std(0) / np.sqrt(2000)).all()


def test_poles_follow_the_normal_law_of_coordinates_beyond_a_half(follows):
    poles = np.stack([Inversion(seed, 4).pole for seed in range(300)]).ravel()
    tail = stats.norm.sf(0.5)
    follows(np.abs(poles), lambda a: 1 - stats.norm.sf(a) / tail)
    assert 400 < (poles > 0).sum() < 800


@pytest.mark.parametrize("contrast", [0.0, 0.3, 1.5, 5.0])
def test_shears_have_the_contrast_that_is_asked_for(contrast):
    for seed in range(3):
        shear = sheared(seed, 3, contrast)
        assert np.abs(np.linalg.det(shear)) == pytest.approx(1)
        assert np.log(np.linalg.norm(shear, axis=0)).sum() == pytest.approx(contrast, abs=1e-9)
        sizes = np.linalg.svd(shear, compute_uv=False)
        assert (np.ptp(sizes) < 1e-9) == (contrast == 0)


def test_smooth_networks_are_what_is_written_down():
    z = np.random.default_rng(0).normal(size=3)
    for triangular in (False, True):
        mixing = SmoothMlp(0, 3, 2, triangular=triangular)
        first, second = np.asarray(mixing.matrices, float)
        inner = first @ (0.2 * z + 0.8 * np.log1p(np.exp(z)))
        expected = second @ (0.2 * inner + 0.8 * np.log1p(np.exp(inner)))
        np.testing.assert_allclose(mixing(jnp.asarray(z, float)), expected, rtol=1e-5)
        same = np.tril(first) if triangular else first @ first.T
        np.testing.assert_allclose(same, first if triangular else np.eye(3), atol=1e-6)


def test_swirls_keep_the_normal_law_and_lose_the_latents(follows):
    z = jax.random.normal(jax.random.key(0), (20_000, 2))
    for turns in (0.5, 1.0):
        x = np.asarray(jax.jit(jax.vmap(Swirl(turns)))(z), float)
        for column in (*x.T, x.sum(1) / np.sqrt(2)):
            follows(column, stats.norm.cdf)
        found = np.corrcoef(np.asarray(z, float).T, x.T)[:2, 2:]
        size = (1 + 4 * turns**2) ** 2
        even, odd = (1 - 4 * turns**2) / size, 4 * turns / size
        # products of normals vary by at most √3: 6 standard errors of 20,000
        np.testing.assert_allclose(found, [[even, odd], [-odd, even]], atol=6 * 3**0.5 / 141)
    np.testing.assert_allclose(np.linalg.det(columns(Swirl(1.0), z)), 1, atol=1e-4)


def test_swirls_of_quantiles_keep_the_uniform_law(follows):
    mixing = Quantiles(Swirl(1.0))
    z = jax.random.uniform(jax.random.key(0), (20_000, 4))
    x = jax.jit(jax.vmap(mixing))(z)
    for column in np.asarray(x, float).T:
        follows(column, stats.uniform.cdf)
    inside = (np.asarray(x) > 1e-4).all(1) & (np.asarray(x) < 1 - 1e-4).all(1)
    np.testing.assert_allclose(jax.jit(jax.vmap(mixing.inverse))(x)[inside], z[inside], atol=1e-3)
    assert np.abs(np.log(np.abs(np.linalg.det(columns(mixing, z[:500]))))).mean() < 1e-3


def test_refusals():
    with pytest.raises(BadInput, match="square"):
        Linear(np.ones((2, 3)))
    with pytest.raises(BadInput, match="singular"):
        Linear(np.ones((2, 2)))
    with pytest.raises(BadInput, match="forgets"):
        Composed(Folded(Identity()), Identity())
    with pytest.raises(BadInput, match="forgets"):
        Quantiles(Folded(Identity()))
    with pytest.raises(BadInput, match="even number"):
        Swirl()(jnp.ones(3))
    with pytest.raises(BadInput, match="contrast"):
        sheared(0, 3, -1.0)
    with pytest.raises(BadInput, match="inversion"):
        Inversion(0, 1)
    with pytest.raises(BadInput, match="network"):
        SmoothMlp(0, 3, 0)
    with pytest.raises(BadInput, match="slope"):
        LeakyMlp(0, 5, slope=0.0)
    with pytest.raises(BadInput, match="condition"):
        LeakyMlp(0, 5, condition=1.0)
    with pytest.raises(BadInput, match="pole"):
        Moebius(0, 5, distance=0.5)
    with pytest.raises(BadInput, match="flow"):
        Flow(0, 1)
