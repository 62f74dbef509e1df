"""Sums of exponentials of similarities, row by row."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from ._products import at_once, by_blocks
from ._similarities import AbstractSimilarity

WHOLE = 1 << 20
"""Logits up to which one array holds them all; beyond, blocks of rows that stay in the cache."""
BLOCK = 1 << 19
"""Logits of a block."""


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
    place = None if own is None else jnp.broadcast_to(jnp.asarray(own, u.dtype), (n,))
    size = max(1, BLOCK // m)
    factors = similarity.factors(u, v)
    if factors is not None:
        a, b = factors[0] * scale, factors[1]
        return at_once(a, b, place) if n * m <= WHOLE else by_blocks(size, a, b, place)

    def rows(some: tuple[Array, Array | None, Array]) -> Array:
        codes, given, numbers = some
        logits = similarity.pairwise(codes, v) * scale
        if given is not None:
            logits = jnp.where(numbers[:, None] == jnp.arange(m), given[:, None], logits)
        return jax.nn.logsumexp(logits, axis=1)

    every = (u, place, jnp.arange(n))
    if n * m <= WHOLE:
        return rows(every)
    one_row = jax.checkpoint(lambda some: rows(jax.tree.map(lambda x: x[None], some))[0])
    return jax.lax.map(one_row, every, batch_size=size)
