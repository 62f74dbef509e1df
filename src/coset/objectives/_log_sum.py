"""Sums of exponentials of similarities, row by row, and their slopes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from ._similarities import AbstractSimilarity

WHOLE = 1 << 20
"""Logits up to which one array holds them all; beyond, blocks of rows that stay in the cache."""
BLOCK = 1 << 18
"""Logits of a block."""
_apart: Callable[[Array], Array] = jax.lax.optimization_barrier


def log_sum(
    similarity: AbstractSimilarity,
    u: Float[Array, "n k"],
    v: Float[Array, "m k"],
    scale: Float[Array, ""] | float = 1.0,
    own: Float[Array, " n"] | float | None = None,
) -> Float[Array, " n"]:
    """Row by row log Σ_j e^{scale · s(u_i, v_j)}, the i-th term of row i replaced by e^{own_i}.

    Args:
        similarity: s.
        u: (n, k).
        v: (m, k).
        scale: of the similarity.
        own: logarithm of what stands in place of e^{s(u_i, v_i)}; None leaves that.
    """
    n, m = len(u), len(v)
    factors = similarity.factors(u, v)
    if factors is not None:
        u, v = factors[0] * scale, factors[1]

    def block(rows: tuple[Array, Array | None, Array]) -> Array:
        some, place, numbers = rows
        if factors is not None:
            return _product_log_sum(some, v, place, numbers)
        logits = similarity.pairwise(some, v) * scale
        if place is not None:
            logits = jnp.where(numbers[:, None] == jnp.arange(m), place[:, None], logits)
        return jax.nn.logsumexp(logits, axis=1)

    place = None if own is None else jnp.broadcast_to(jnp.asarray(own, u.dtype), (n,))
    every = (u, place, jnp.arange(n))
    return block(every) if n * m <= WHOLE else _by_blocks(block, every, max(1, BLOCK // m))


def _by_blocks(block: Callable[[Any], Array], every: Any, size: int) -> Array:
    """`size` rows at a time; the slopes compute each block again instead of keeping it."""
    block = jax.checkpoint(block)
    n = len(every[0])
    split = n // size * size
    blocks = jax.tree.map(lambda x: x[:split].reshape(-1, size, *x.shape[1:]), every)
    found = jax.lax.map(block, blocks).reshape(-1)
    if split == n:
        return found
    return jnp.concatenate([found, block(jax.tree.map(lambda x: x[split:], every))])


@jax.custom_vjp
def _product_log_sum(
    a: Float[Array, "n k"], b: Float[Array, "m k"], own: Array | None, numbers: Array
) -> Float[Array, " n"]:
    """Row by row log Σ_j e^{a_i · b_j}, the term j = numbers_i replaced by e^{own_i}."""
    return _forward(a, b, own, numbers)[0]


def _forward(a: Array, b: Array, own: Array | None, numbers: Array) -> tuple[Array, Any]:
    logits = a @ b.T
    if own is None:
        top = logits.max(axis=1)
        terms = jnp.exp(logits - top[:, None])
    else:
        gone = numbers[:, None] == jnp.arange(len(b))
        top = jnp.maximum(jnp.where(gone, -jnp.inf, logits).max(axis=1), own)
        terms = jnp.where(gone, 0.0, jnp.exp(logits - top[:, None]))
    # One product gives the sums and, for the slopes, the means of b.
    sums = terms @ jnp.concatenate([b, jnp.ones((len(b), 1), b.dtype)], axis=1)
    total = sums[:, -1] if own is None else sums[:, -1] + jnp.exp(own - top)
    share = None if own is None else jnp.exp(own - top) / total
    return jnp.log(total) + top, (a, terms, sums[:, :-1], total, share)


def _backward(kept: Any, slope: Array) -> tuple[Array | None, ...]:
    a, terms, sums, total, share = kept
    weight = (slope / total)[:, None]
    # XLA on CPU computes termsᵀ @ x ten times slower than xᵀ @ terms; it turns one into the other
    # unless a barrier keeps the transposes apart.
    on_b = _apart(_apart((a * weight).T) @ terms).T
    return sums * weight, on_b, None if share is None else slope * share, None


_product_log_sum.defvjp(_forward, _backward)
