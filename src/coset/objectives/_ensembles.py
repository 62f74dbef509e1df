"""Several objectives on one encoder."""

from __future__ import annotations

from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from .._core import Assumption, BadInput
from .._lab import AbstractEncoder, AbstractObjective, Batch

Columns = tuple[int, int]


class Ensemble(AbstractObjective):
    """Σ_i weight_i · objective_i, each on all columns of the code or on a range of them.

    Args:
        objectives: the members.
        weights: (members,), fixed; 1 each by default.
        columns: for each member, (first, last + 1) or None for all.

    Example:
        >>> from coset.encoders import Raw
        >>> from coset.objectives import InfoNCE
        >>> batch = Batch(x=jnp.eye(4), positive=jnp.eye(4))
        >>> once = InfoNCE()(Raw(), batch, key=jax.random.key(0))
        >>> thrice = Ensemble([InfoNCE(), InfoNCE()], [1, 2])(Raw(), batch, key=jax.random.key(0))
        >>> bool(jnp.isclose(thrice, 3 * once))
        True

    References:
        rusak2024
    """

    objectives: tuple[AbstractObjective, ...]
    weights: Float[Array, " members"]
    columns: tuple[Columns | None, ...] = eqx.field(static=True)

    def __init__(
        self,
        objectives: Sequence[AbstractObjective],
        weights: Sequence[float] | Float[Array, " members"] | None = None,
        *,
        columns: Sequence[Columns | None] | None = None,
    ) -> None:
        self.objectives = tuple(objectives)
        members = len(self.objectives)
        self.weights = jnp.ones(members) if weights is None else jnp.asarray(weights, float)
        self.columns = (None,) * members if columns is None else tuple(columns)
        if not members or self.weights.shape != (members,) or len(self.columns) != members:
            raise BadInput(
                f"an ensemble of {members} objectives got weights of shape {self.weights.shape} "
                f"and {len(self.columns)} ranges of columns: give one of each for each objective"
            )

    @property
    def needs(self) -> frozenset[Assumption]:
        """All that any member needs."""
        return frozenset().union(*(member.needs for member in self.objectives))

    def __call__(
        self, encoder: AbstractEncoder, batch: Batch, *, key: PRNGKeyArray
    ) -> Float[Array, ""]:
        """The value of one batch; every member has a key of its own."""
        keys = jax.random.split(key, len(self.objectives))
        values = [
            member(encoder if part is None else _Part(encoder, part), batch, key=own)
            for member, part, own in zip(self.objectives, self.columns, keys, strict=True)
        ]
        return jax.lax.stop_gradient(self.weights) @ jnp.stack(values)

    def readout(self, encoder: AbstractEncoder) -> AbstractEncoder:
        """As each member has it that sees all columns; one that sees a part has no say."""
        for member, part in zip(self.objectives, self.columns, strict=True):
            encoder = encoder if part is not None else member.readout(encoder)
        return encoder


class _Part(AbstractEncoder):
    """Some columns of a code."""

    encoder: AbstractEncoder
    columns: Columns = eqx.field(static=True)

    def __call__(self, x: Float[Array, "..."]) -> Float[Array, " k"]:
        code = self.encoder(x)
        first, end = self.columns
        if not 0 <= first < end <= len(code):
            raise BadInput(
                f"an objective is to see columns {first} to {end - 1} of a code that has "
                f"{len(code)}: give a range within it"
            )
        return code[first:end]
