"""Codes and scores of a trained encoder, in blocks of one size so that one program serves all."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from .._core import Floats
from .._lab import AbstractEncoder, AbstractObjective, encode, one_of
from ..audit.sources import Source
from ._feed import Blocks, whole
from ._recorded import Recorded
from ._rows import Rows
from ._scaling import Scaling, refuse_holes

ENCODED = 1024
"""Rows that are encoded together."""
SCORED = 65_536
"""Rows that a score looks at, at most."""


def codes_of(
    encoder: AbstractEncoder, objective: AbstractObjective, scaling: Scaling, x: Source, dim: int
) -> Floats:
    """Codes (n, dim) of all rows."""
    out = np.empty((x.rows, dim))
    for start in range(0, x.rows, ENCODED):
        stop = min(start + ENCODED, x.rows)
        block = x.read(start, stop)
        refuse_holes(block, x.name, start)
        filled = np.zeros((ENCODED, scaling.columns), np.float32)
        filled[: stop - start] = scaling(block)
        out[start:stop] = _codes(encoder, objective, jnp.asarray(filled))[: stop - start]
    return out


def value_of(
    encoder: AbstractEncoder, objective: AbstractObjective, scaling: Scaling, rows: Rows, batch: int
) -> float:
    """The objective, mean over shuffled batches of all rows, or of runs of them from all over."""
    if rows.count <= SCORED:
        world = one_of(whole(rows, scaling), 0)
    else:
        with Blocks(rows, scaling, frozenset(), SCORED, 0) as blocks:
            world = one_of(blocks(0), 0)
    count = int(world.count)
    size = min(batch, count)
    order = np.random.default_rng(0).permutation(count)[: count // size * size]
    return float(_value(encoder, objective, world, jnp.asarray(order.reshape(-1, size))))


@eqx.filter_jit
def _codes(encoder: AbstractEncoder, objective: AbstractObjective, x: Array) -> Array:
    return encode(objective.readout(encoder), x)


@eqx.filter_jit
def _value(
    encoder: AbstractEncoder, objective: AbstractObjective, world: Recorded, order: Array
) -> Array:
    def one(chosen: Array) -> Array:
        return objective(encoder, world.rows(chosen), key=jax.random.key(0))

    return jnp.mean(jax.lax.map(one, order))
