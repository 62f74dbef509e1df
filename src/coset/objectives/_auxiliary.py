"""Generalised contrastive learning: an observation with its auxiliary, against those of others."""

from __future__ import annotations

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, PRNGKeyArray

from .._assumptions import (
    CONDITIONALLY_INDEPENDENT,
    EXPONENTIAL_FAMILY,
    INJECTIVE,
    LABELLED,
    MODULATED,
    VARIABLE,
)
from .._core import Assumption, BadInput
from .._lab import AbstractEncoder, AbstractObjective, Batch, encode
from ._logistic import tell_apart
from ._needs import need
from ._statistics import AbstractStatistics

MODULATION = frozenset(
    {LABELLED, CONDITIONALLY_INDEPENDENT, EXPONENTIAL_FAMILY, MODULATED, INJECTIVE}
)
"""What time-contrastive learning needs to find statistics of latents up to a linear map."""


class LabelTable(eqx.Module):
    """A learned row of numbers for each label.

    Args:
        key: of the rows.
        labels: how many.
        size: numbers in a row.

    Example:
        >>> LabelTable(jax.random.key(0), 5, 3)(jnp.array(4)).shape
        (3,)
    """

    rows: Float[Array, "labels size"]

    def __init__(self, key: PRNGKeyArray, labels: int, size: int) -> None:
        self.rows = jax.random.normal(key, (labels, size)) / size**0.5

    def __call__(self, label: Int[Array, ""]) -> Float[Array, " size"]:
        """The row of one label."""
        if not jnp.issubdtype(label.dtype, jnp.integer):
            raise BadInput(
                f"a table of labels got an auxiliary of type {label.dtype}: give integers, or a "
                f"network in place of the table"
            )
        return self.rows[label]


class AuxiliaryContrast(AbstractObjective):
    """Tells the auxiliary u of each observation from those of all others (GCL).

    Logistic regression with r(x, u) = Σ_k Σ_r t_kr(code_k) w_kr(u) + a(code) + b(u), the statistics
    t of a coordinate and the weights w that u gives them; all pairs (i, j) of the batch with i ≠ j
    stand for observations with an auxiliary drawn anew.

    Args:
        statistics: t.
        modulation: u → all w_kr, row by row, and b as the last number: a `LabelTable`, or a network
            where u has columns.
        marginal: a, code → (): logarithms of laws that no u has a part in.
        theory: assumptions of the theorem that is meant, in place of the usual.

    Example:
        >>> from coset.encoders import Raw
        >>> from coset.objectives import Powers
        >>> objective = AuxiliaryContrast(
        ...     Powers(2),
        ...     LabelTable(jax.random.key(0), 4, 2 * 2 + 1),
        ...     eqx.nn.MLP(2, "scalar", 8, 1, key=jax.random.key(1)),
        ... )
        >>> batch = Batch(x=jnp.ones((3, 2)), auxiliary=jnp.array([0, 1, 2]))
        >>> objective(Raw(), batch, key=jax.random.key(0)).shape
        ()

    References:
        hyvarinen2019
    """

    statistics: AbstractStatistics
    modulation: Callable[[Array], Array]
    marginal: Callable[[Array], Array]
    theory: frozenset[Assumption] | None = eqx.field(static=True, default=None)

    @property
    def needs(self) -> frozenset[Assumption]:
        """Independence given labels that shift and scale enough, or what was named."""
        usual = frozenset({LABELLED, CONDITIONALLY_INDEPENDENT, VARIABLE, INJECTIVE})
        return usual if self.theory is None else self.theory

    def __call__(
        self, encoder: AbstractEncoder, batch: Batch, *, key: PRNGKeyArray
    ) -> Float[Array, ""]:
        """The value of one batch."""
        u = need(batch, "auxiliary", "AuxiliaryContrast", rows=len(batch.x))
        codes = encode(encoder, batch.x)
        weights = jax.vmap(self.modulation)(u)
        statistics = jax.vmap(self.statistics)(codes).reshape(len(codes), -1)
        own = jax.vmap(self.marginal)(codes)
        return tell_apart(statistics @ weights[:, :-1].T + own[:, None] + weights[:, -1])
