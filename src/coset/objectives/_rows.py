"""What objectives share: columns of a batch that must be there, and sums in the logarithm."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from .._core import BadInput
from .._lab import Batch
from ._similarities import AbstractSimilarity

_HOLDS = {
    "positive": "positives",
    "negative": "fresh negatives",
    "auxiliary": "labels (auxiliary)",
}
WHOLE = 1 << 21
"""Logits up to which one array holds them all; beyond, blocks of rows that stay in the cache."""
BLOCK = 1 << 20
"""Logits of a block."""


def need(batch: Batch, name: str, who: str, *, rows: int | None = None) -> Array:
    """A column of the batch; refused where the world did not offer it."""
    found: Array | None = getattr(batch, name)
    if found is None:
        raise BadInput(
            f"{who} got a batch without {_HOLDS[name]}: choose a world that draws them, or an "
            f"objective that does without"
        )
    if rows is not None and len(found) != rows:
        raise BadInput(
            f"{who} got {rows} observations and {len(found)} {_HOLDS[name]}: they belong together "
            f"row by row, give as many of each"
        )
    return found


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
        own: log of what stands in place of s(u_i, v_i); None leaves it.
    """
    n, m = len(u), len(v)
    place = None if own is None else jnp.broadcast_to(jnp.asarray(own, u.dtype), (n,))
    if n * m <= WHOLE:
        return _rows(similarity, u, v, scale, place, jnp.arange(n))

    @jax.checkpoint
    def block(rows: tuple[Array, Array | None, Array]) -> Array:
        some, gone, numbers = rows
        return _rows(similarity, some, v, scale, gone, numbers)

    size = max(1, BLOCK // m)
    split = n // size * size
    every = (u, place, jnp.arange(n))
    blocks = jax.tree.map(lambda x: x[:split].reshape(-1, size, *x.shape[1:]), every)
    found = jax.lax.map(block, blocks).reshape(-1)
    if split == n:
        return found
    return jnp.concatenate([found, block(jax.tree.map(lambda x: x[split:], every))])


def _rows(
    similarity: AbstractSimilarity,
    u: Array,
    v: Array,
    scale: Array | float,
    own: Array | None,
    numbers: Array,
) -> Array:
    logits = similarity.pairwise(u, v) * scale
    if own is not None:
        logits = jnp.where(numbers[:, None] == jnp.arange(len(v)), own[:, None], logits)
    return jax.nn.logsumexp(logits, axis=1)
