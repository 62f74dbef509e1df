"""Rows that a person has recorded, as a world: what is drawn are rows at random."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, PRNGKeyArray

from .._core import Assumption
from .._lab import AbstractWorld, Batch, Draw

SORTED = 8
"""Up to so many batches' worth of rows are drawn without one coming twice."""
LEAST = 1024
"""Fewer rows are filled up to so many: small data share a program."""
STEPS = 8
"""Between two powers of 2 there are so many numbers of rows: others are filled up to the next."""


class Recorded(AbstractWorld):
    """Rows of data, drawn at random; latents are not known, so a draw has none.

    What the data promise cannot be seen in them: a person vouches for it.

    Args:
        x: observations.
        positive: of each row, an observation of something related.
        auxiliary: of each row, a label, a segment or numbers.
        count: how many rows are data; what follows fills up.
        promises: assumptions that the data are taken to meet.

    Example:
        >>> world = Recorded(jnp.arange(6.0).reshape(3, 2))
        >>> sorted(world.sample(jax.random.key(0), 3).batch.x[:, 0].tolist())
        [0.0, 2.0, 4.0]
    """

    x: Float[Array, "n d"]
    positive: Float[Array, "n d"] | None
    auxiliary: Array | None
    count: Int[Array, ""]
    promises: frozenset[Assumption] = eqx.field(static=True)

    def __init__(
        self,
        x: Float[Array, "n d"],
        positive: Float[Array, "n d"] | None = None,
        auxiliary: Array | None = None,
        count: Int[Array, ""] | None = None,
        promises: frozenset[Assumption] = frozenset(),
    ) -> None:
        self.x, self.positive, self.auxiliary = x, positive, auxiliary
        self.count = jnp.asarray(len(x)) if count is None else count
        self.promises = promises

    def sample(self, key: PRNGKeyArray, n: int) -> Draw:
        """`n` rows; where the data are few, none comes twice before all have come."""
        rows = len(self.x)
        if rows <= max(SORTED * n, LEAST):
            place = jnp.where(jnp.arange(rows) < self.count, jax.random.uniform(key, (rows,)), 1.0)
            chosen = jnp.argsort(place)[jnp.arange(n) % self.count]
        else:
            chosen = jax.random.randint(key, (n,), 0, self.count)
        return Draw(latent=jnp.zeros((n, 0)), batch=self.rows(chosen))

    def rows(self, chosen: Int[Array, " k"]) -> Batch:
        """What may be seen of these rows."""
        return Batch(
            x=self.x[chosen],
            positive=None if self.positive is None else self.positive[chosen],
            auxiliary=None if self.auxiliary is None else self.auxiliary[chosen],
        )

    @property
    def satisfies(self) -> frozenset[Assumption]:
        """What the data were promised to meet."""
        return self.promises


def filled_up(rows: int) -> int:
    """At least so many rows, a number that data of about the same size share.

    Example:
        >>> filled_up(150), filled_up(3000), filled_up(4097)
        (1024, 3072, 4608)
    """
    if rows <= LEAST:
        return LEAST
    step = max(1, 2 ** (rows.bit_length() - 1) // STEPS)
    return -(-rows // step) * step
