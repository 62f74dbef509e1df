"""log Σ_j e^{a_i · b_j}, row by row, with slopes that cost two products and no second exponential.

Here because XLA's own derivative of logsumexp spends most of its time in one transposed product.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

_apart: Callable[[Array], Array] = jax.lax.optimization_barrier
"""XLA on CPU turns xᵀ @ terms into (termsᵀ @ x)ᵀ, ten times slower, unless this stands between."""


@jax.custom_vjp
def at_once(a: Float[Array, "n k"], b: Float[Array, "m k"], own: Array | None) -> Array:
    """All rows in one array of (n, m); the i-th term of row i is e^{own_i} where own is given."""
    return _keeping(a, b, own)[0]


def _keeping(a: Array, b: Array, own: Array | None) -> tuple[Array, Any]:
    found, mean, share, kept = _rows(a, b, own, jnp.arange(len(a)))
    return found, (a, kept, mean, share)


def _spread(state: Any, slope: Array) -> tuple[Array | None, ...]:
    a, (terms, total), mean, share = state
    on_b = _apart(_apart((a * (slope / total)[:, None]).T) @ terms).T
    return mean * slope[:, None], on_b, None if share is None else slope * share


at_once.defvjp(_keeping, _spread)


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def by_blocks(
    size: int, a: Float[Array, "n k"], b: Float[Array, "m k"], own: Array | None
) -> Array:
    """The same, `size` rows at a time: arrays stay in the cache, the terms are computed twice."""
    return _in_blocks(size, a, b, own)[0]


def _in_blocks(size: int, a: Array, b: Array, own: Array | None) -> tuple[Array, Any]:
    def block(rows: tuple[Array, Array | None, Array]) -> tuple[Array, Array, Array | None]:
        some, place, numbers = rows
        return _rows(some, b, place, numbers)[:3]

    cut = _cut(size, (a, own, jnp.arange(len(a))))
    joined = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:])[: len(a)], jax.lax.map(block, cut))
    found, mean, share = joined
    return found, (a, b, found, mean, share)


def _spread_blocks(size: int, state: Any, slope: Array) -> tuple[Array | None, ...]:
    a, b, found, mean, share = state
    across = _apart(b.T)

    def block(on_b: Array, rows: tuple[Array, ...]) -> tuple[Array, None]:
        some, level, weight, numbers = rows
        shares = jnp.exp(some @ across - level[:, None])
        if share is not None:
            shares = jnp.where(_own(numbers, b), 0.0, shares)
        return on_b + _apart(_apart((some * weight[:, None]).T) @ shares), None

    cut = _cut(size, (a, found, slope, jnp.arange(len(a))))
    on_b, _ = jax.lax.scan(block, jnp.zeros_like(across), cut)
    return mean * slope[:, None], on_b.T, None if share is None else slope * share


by_blocks.defvjp(_in_blocks, _spread_blocks)


def _rows(
    a: Array, b: Array, own: Array | None, numbers: Array
) -> tuple[Array, Array, Array | None, tuple[Array, Array]]:
    """Log-sum, mean of b under the terms' shares, share of e^own, and terms with their sum."""
    logits = a @ b.T
    if own is None:
        top = logits.max(axis=1)
        terms = jnp.exp(logits - top[:, None])
    else:
        gone = _own(numbers, b)
        top = jnp.maximum(jnp.where(gone, -jnp.inf, logits).max(axis=1), own)
        terms = jnp.where(gone, 0.0, jnp.exp(logits - top[:, None]))
    # One product gives the sums and the means.
    sums = terms @ jnp.concatenate([b, jnp.ones((len(b), 1), b.dtype)], axis=1)
    added = None if own is None else jnp.exp(own - top)
    total = sums[:, -1] if added is None else sums[:, -1] + added
    share = None if added is None else added / total
    return jnp.log(total) + top, sums[:, :-1] / total[:, None], share, (terms, total)


def _own(numbers: Array, b: Array) -> Array:
    return numbers[:, None] == jnp.arange(len(b))


def _cut(size: int, rows: Any) -> Any:
    """Blocks of `size` rows, the last one filled up with zeros."""

    def one(x: Array) -> Array:
        filled = jnp.pad(x, [(0, -len(x) % size), *[(0, 0)] * (x.ndim - 1)])
        return filled.reshape(-1, size, *x.shape[1:])

    return jax.tree.map(one, rows)
