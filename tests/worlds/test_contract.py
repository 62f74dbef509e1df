"""What every world keeps, whatever it is made of."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import coset.worlds
from coset._lab import one_of, stacked
from coset.worlds import WORLDS, Box, Folded, Identity, Noisy, Normal, Projected, Sphere, sphere

D = 4
SMALL = {"d": D, "layers": 2}
BLOCKS = {"n_content": 2, "n_style": 2, "layers": 2}
PRODUCT = {"d_box": 2, "d_sphere": 3, "layers": 2}
TABLE = {
    "sphere": (SMALL, {"paired", "sphere", "uniform-marginal", "vmf-conditional"}),
    "box": (SMALL, {"paired", "convex-body", "uniform-marginal", "l1-conditional"}),
    "unbounded": (SMALL, {"paired", "unbounded", "l2-conditional"}),
    "anisotropic": (SMALL, {"paired", "sphere", "uniform-marginal", "anisotropic-conditional"}),
    "content_style": (
        BLOCKS,
        {"paired", "unbounded", "content-shared", "style-changes", "independent-negatives"},
    ),
    "resampled": (
        {"d": D, "changes": 2, "layers": 2},
        {"paired", "convex-body", "uniform-marginal", "content-shared", "style-changes"},
    ),
    "few_changes": ({"d": D, "layers": 2}, {"paired", "unbounded", "few-changes"}),
    "clusters": (
        {"d": D, "classes": 8, "layers": 2},
        {"labelled", "sphere", "clustered", "vmf-clusters", "spanning-centres", "diverse-labels"},
    ),
    "segments": (
        {"d": D, "segments": 8, "layers": 2},
        {"labelled", "unbounded", "conditionally-independent", "exponential-family", "modulated"},
    ),
    "autoregressive": (
        SMALL,
        {"paired", "unbounded", "independent-latents", "autoregressive", "not-normal"},
    ),
    "conformal": ({"d": D, "contrast": 1.0}, {"convex-body", "uniform-marginal"}),
    "smooth": (SMALL, {"unbounded"}),
    "torus": ({"d": D, "layers": 2}, {"paired", "torus", "uniform-marginal"}),
    "product": (PRODUCT, {"paired", "uniform-marginal"}),
}
"""World → small options, and what it promises beside an injective mixing."""
CASES = {
    "sphere": ({"kappa": 1.0}, {"kappa": 50.0}),
    "box": ({"alpha": 1.0}, {"alpha": 3.0, "scale": 0.2}),
    "unbounded": ({"scale": 0.5}, {"scale": 2.0}),
    "anisotropic": ({"precision": [5.0] * D}, {"precision": [5.0, 25.0] * 2}),
    "content_style": ({"change": 0.75}, {"statistical": True, "causal": True}),
    "resampled": ({}, {}),
    "few_changes": ({"changes": 1}, {"changes": 2}),
    "clusters": ({"kappa": 5.0}, {"kappa": 50.0}),
    "segments": ({}, {"scales": (0.5, 3.0), "means": 2.0}),
    "autoregressive": ({"coefficient": 0.5}, {"coefficient": -0.8}),
    "conformal": ({"contrast": 0.5}, {"contrast": 2.0}),
    "smooth": ({}, {"triangular": True}),
    "torus": ({"kappa": 5.0}, {"kappa": 50.0}),
    "product": ({"kappa": 5.0}, {"scale": 0.3}),
}
"""Options that change numbers only."""
N = 16
each = pytest.mark.parametrize("name", WORLDS)


def make(name, seed=0, **options):
    return WORLDS[name](seed, **{**TABLE[name][0], **options})


@eqx.filter_jit
def drawn(world, key):
    return world.sample(key, N)


def same(a, b, atol=0.0):
    pairs = zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True)
    return all(np.allclose(x, y, rtol=0, atol=atol) for x, y in pairs)


def test_every_world_has_a_row():
    assert set(TABLE) == set(WORLDS) == set(CASES)


@each
def test_draws_repeat_with_the_key_and_change_with_it(name):
    world, key = make(name), jax.random.key(0)
    draw = drawn(world, key)
    assert same(draw, drawn(world, key))
    other = drawn(world, jax.random.key(1))
    assert not np.isclose(draw.latent, other.latent).all(axis=1).any()
    assert np.isfinite(draw.batch.x).all()


@each
def test_rows_of_one_draw_differ(name):
    latent = np.asarray(drawn(make(name), jax.random.key(0)).latent)
    assert len(np.unique(latent, axis=0)) == N


@each
def test_shapes_and_what_a_learner_sees(name):
    world = make(name)
    draw, promised = drawn(world, jax.random.key(0)), TABLE[name][1]
    d = world.latents.space.dim
    assert draw.latent.shape == draw.batch.x.shape == (N, d)
    assert (draw.batch.positive is not None) == (draw.positive is not None)
    assert (draw.batch.positive is not None) == ("paired" in promised)
    assert (draw.batch.negative is not None) == ("independent-negatives" in promised)
    assert (draw.batch.auxiliary is not None) == ("labelled" in promised)
    for shown in (draw.batch.positive, draw.batch.negative, draw.positive):
        assert shown is None or shown.shape == (N, d)
    np.testing.assert_allclose(jax.vmap(world.mixing)(draw.latent), draw.batch.x, atol=1e-5)
    if draw.positive is not None:
        look = jax.vmap(world.mixing)(draw.positive)
        np.testing.assert_allclose(look, draw.batch.positive, atol=1e-5)


@each
def test_latents_and_positives_stay_in_their_space(name):
    world = make(name)
    draw = drawn(world, jax.random.key(0))
    for z in (draw.latent, draw.positive):
        if z is not None:
            np.testing.assert_allclose(jax.vmap(world.latents.space.project)(z), z, atol=2e-6)


@each
def test_promises(name):
    world = make(name)
    assert {met.name for met in world.satisfies} == TABLE[name][1] | {"injective-mixing"}
    assert stacked([world, make(name, 1)]).satisfies == world.satisfies
    folded = eqx.tree_at(
        lambda w: w.mixing, world, Folded(Identity()), is_leaf=lambda x: x is world.mixing
    )
    assert {met.name for met in folded.satisfies} == TABLE[name][1]


@each
def test_seeds_stack_and_draw_as_each_would_alone(name):
    members = [make(name, seed) for seed in range(3)]
    together, keys = stacked(members), jax.random.split(jax.random.key(2), 3)
    draws = eqx.filter_jit(eqx.filter_vmap(lambda world, key: world.sample(key, N)))(together, keys)
    for k, member in enumerate(members):
        assert same(one_of(draws, k), drawn(member, keys[k]), atol=1e-5)


@each
def test_cases_of_equal_shape_compile_once(name):
    traces = []

    @eqx.filter_jit
    def counted(world, key):
        traces.append(name)
        return world.sample(key, N)

    for seed, options in enumerate(CASES[name]):
        counted(make(name, seed, **options), jax.random.key(seed))
    assert len(traces) == 1


@each
def test_the_first_line_says_what_it_draws(name):
    first = WORLDS[name].__doc__.splitlines()[0]
    assert first.endswith(".")
    assert len(first) < 100


def test_parts_can_be_exchanged():
    world = sphere(
        0,
        d=3,
        marginal=Noisy(Sphere(3), Normal(1.0)),
        pairing=Projected(Normal(0.05)),
        mixing=Identity(),
    )
    assert {met.name for met in world.satisfies} == {
        "paired", "sphere", "injective-mixing", "orthogonal-columns",
    }  # fmt: skip
    draw = drawn(world, jax.random.key(0))
    np.testing.assert_array_equal(draw.latent, draw.batch.x)


def test_a_law_that_differs_between_seeds_is_not_promised():
    mixed = stacked([make("box", alpha=1.0), make("box", alpha=3.0)])
    names = {met.name for met in mixed.satisfies}
    assert not {"l1-conditional", "l3-conditional"} & names


def test_bounds_of_the_box_are_kept_at_float_precision():
    key = jax.random.key(0)
    x = jax.vmap(lambda k: Box(3, -1.0, 2.0).scatter(k, Normal(1e-4), jnp.full(3, 2.0)))(
        jax.random.split(key, 1000)
    )
    assert float(x.max()) <= 2
    assert np.isfinite(x).all()


def test_every_public_name_is_documented():
    for name in coset.worlds.__all__:
        thing = getattr(coset.worlds, name)
        assert (
            isinstance(thing, dict)
            or (thing.__doc__ and "Example" in thing.__doc__)
            or (name.startswith("Abstract"))
        ), name
