"""What objectives share: columns of a batch that must be there, and sums in the logarithm."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from .._core import BadInput
from .._lab import Batch

_HOLDS = {
    "positive": "positives",
    "negative": "fresh negatives",
    "auxiliary": "labels (auxiliary)",
}


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
    logits: Float[Array, "n m"], diagonal: Float[Array, " n"] | float | None = None
) -> Float[Array, " n"]:
    """Row by row log Σ_j e^{logits_ij}, with the diagonal replaced where one is given."""
    if diagonal is not None:
        n, m = logits.shape
        own = jnp.arange(n)[:, None] == jnp.arange(m)[None, :]
        given = jnp.asarray(diagonal, logits.dtype)
        logits = jnp.where(own, given[:, None] if given.ndim else given, logits)
    return jax.nn.logsumexp(logits, axis=1)
