"""One observation in, one code out; every encoder, one row."""

from __future__ import annotations

import inspect

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coset import encoders
from coset._lab import AbstractEncoder, encode, one_of, stacked
from coset.encoders import AbstractHead, Free, InBox, Mlp, OnSphere, Raw

D, K, N = 5, 3, 7
KEY = jax.random.key(0)
HEADS = {
    "Free": Free,
    "OnSphere": OnSphere,
    "OnSphere, learned": lambda: OnSphere(learned_radius=True),
    "InBox": lambda: InBox(K),
}
ENCODERS = {
    "Raw": lambda key: Raw(),
    "Mlp": lambda key: Mlp(key, D, K, widths=(8, 8)),
    "Mlp, no hidden layer": lambda key: Mlp(key, D, K, widths=()),
    **{f"Mlp, {name}": (lambda key, head=head: Mlp(key, D, K, widths=(8,), head=head()))
       for name, head in HEADS.items()},
}  # fmt: skip


def test_every_exported_class_has_a_row():
    rows = {name.split(",")[0] for name in (*ENCODERS, *HEADS)}
    concrete = {name for name in encoders.__all__ if not name.startswith("Abstract")}
    assert rows == concrete
    for name in encoders.__all__:
        thing = getattr(encoders, name)
        assert inspect.isabstract(thing) == name.startswith("Abstract")
        assert thing.__doc__.splitlines()[0].endswith(".")


@pytest.fixture
def x():
    return jax.random.normal(jax.random.key(1), (N, D))


@pytest.mark.parametrize("name", ENCODERS)
def test_contract(name, x):
    encoder = ENCODERS[name](KEY)
    assert isinstance(encoder, AbstractEncoder)
    codes = encode(encoder, x)
    assert codes.shape == (N, D if name == "Raw" else K)
    assert codes.dtype == jnp.float32
    np.testing.assert_allclose(codes[3], encoder(x[3]), atol=1e-6)
    np.testing.assert_allclose(eqx.filter_jit(encode)(encoder, x), codes, atol=1e-6)
    assert eqx.tree_equal(encoder, ENCODERS[name](KEY))
    if name != "Raw":
        assert not np.allclose(encode(ENCODERS[name](jax.random.key(2)), x), codes)


@pytest.mark.parametrize("name", ENCODERS)
def test_seeds_stack(name, x):
    members = [ENCODERS[name](jax.random.key(seed)) for seed in range(3)]
    together = eqx.filter_vmap(encode)(stacked(members), jnp.stack([x] * 3))
    for seed, member in enumerate(members):
        np.testing.assert_allclose(together[seed], encode(member, x), atol=1e-5)
        assert eqx.tree_equal(one_of(stacked(members), seed), member)


@pytest.mark.parametrize("name", [name for name in ENCODERS if name != "Raw"])
def test_every_parameter_has_a_slope(name, x):
    encoder = ENCODERS[name](KEY)
    slopes = eqx.filter_grad(lambda e: jnp.sum(encode(e, x) ** 3 + encode(e, x)))(encoder)
    leaves = jax.tree.leaves(eqx.filter(slopes, eqx.is_inexact_array))
    assert len(leaves) == len(jax.tree.leaves(eqx.filter(encoder, eqx.is_inexact_array)))
    for leaf in leaves:
        assert np.isfinite(leaf).all()
        assert np.abs(leaf).max() > 1e-6


def test_naive_reference(x):
    encoder = Mlp(KEY, D, K, widths=(8, 6), slope=0.3)
    h = np.asarray(x[0], float)
    for k, layer in enumerate(encoder.layers):
        h = np.asarray(layer.weight, float) @ h + np.asarray(layer.bias, float)
        if k < 2:
            h = np.array([v if v > 0 else 0.3 * v for v in h])
    np.testing.assert_allclose(encoder(x[0]), h, atol=1e-5)
    assert [layer.weight.shape for layer in encoder.layers] == [(8, 5), (6, 8), (3, 6)]


def test_heads_put_codes_where_they_say(x):
    code = 5 * x[:, :K]
    np.testing.assert_array_equal(jax.vmap(Free())(code), code)
    on_sphere = jax.vmap(OnSphere())(code)
    np.testing.assert_allclose(jnp.linalg.norm(on_sphere, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(
        on_sphere * jnp.linalg.norm(code, axis=1, keepdims=True), code, rtol=1e-4
    )
    wide = eqx.tree_at(lambda h: h.log_radius, OnSphere(learned_radius=True), jnp.log(2.5))
    np.testing.assert_allclose(jax.vmap(wide)(code), 2.5 * on_sphere, rtol=1e-5)
    box = eqx.tree_at(lambda h: h.log_bound, InBox(K), jnp.log(jnp.array([1.0, 2.0, 3.0])))
    inside = jax.vmap(box)(code)
    assert (inside > 0).all()
    assert (inside < jnp.array([1.0, 2.0, 3.0])).all()
    np.testing.assert_allclose(box(jnp.zeros(K)), [0.5, 1.0, 1.5], rtol=1e-6)


@pytest.mark.parametrize("head", HEADS)
def test_a_code_of_zero_has_a_finite_slope(head):
    slope = jax.jacobian(HEADS[head]())(jnp.zeros(K))
    assert np.isfinite(slope).all()


def test_raw_is_the_observation_flat():
    np.testing.assert_array_equal(Raw()(jnp.arange(6.0).reshape(2, 3)), jnp.arange(6.0))


def test_an_abstract_head_cannot_be_made():
    with pytest.raises(TypeError, match="abstract"):
        AbstractHead()
