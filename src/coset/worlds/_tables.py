"""Functions known by their values at even nodes."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float


def even_interpolation(
    x: Float[Array, "..."], low: float, high: float, table: Float[Array, " nodes"]
) -> Float[Array, "..."]:
    """Straight lines between values at even nodes from low to high: an index, not a search."""
    cells = table.shape[0] - 1
    place = jnp.clip((x - low) * (cells / (high - low)), 0.0, float(cells))
    cell = jnp.minimum(place.astype(jnp.int32), cells - 1)
    part = place - cell.astype(place.dtype)
    return table[cell] * (1 - part) + table[cell + 1] * part
