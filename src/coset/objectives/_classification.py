"""Cross-entropy of labels."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, PRNGKeyArray

from .._assumptions import CLUSTERED, INJECTIVE, LABELLED, SPANNING_CENTRES
from .._core import Assumption, BadInput
from .._lab import AbstractEncoder, AbstractObjective, Batch, encode
from ._heads import AbstractLabelHead
from ._needs import need


class CrossEntropy(AbstractObjective):
    """-mean_i log softmax(head(code_i))[label_i], labels from the batch's auxiliary.

    With classes as labels it is supervised classification; with the index of each instance, DIET.

    Args:
        head: code → logits; trained with the encoder.
        theory: assumptions of the theorem that is meant, in place of the usual.

    Example:
        >>> from coset.encoders import Raw
        >>> from coset.objectives import FreeHead
        >>> head = FreeHead(jax.random.key(0), classes=4, d=2)
        >>> batch = Batch(x=jnp.zeros((3, 2)), auxiliary=jnp.array([0, 1, 2]))
        >>> value = CrossEntropy(head)(Raw(), batch, key=jax.random.key(0))
        >>> bool(jnp.isclose(value, jnp.log(4.0)))
        True

    References:
        reizinger2024_cross_entropy, balestriero2023
    """

    head: AbstractLabelHead
    theory: frozenset[Assumption] | None = eqx.field(static=True)

    def __init__(
        self, head: AbstractLabelHead, *, theory: frozenset[Assumption] | None = None
    ) -> None:
        self.head = head
        self.theory = theory

    @property
    def needs(self) -> frozenset[Assumption]:
        """Clusters around centres that span the space, or what was named."""
        usual = frozenset({LABELLED, CLUSTERED, SPANNING_CENTRES, INJECTIVE})
        return usual if self.theory is None else self.theory

    def __call__(
        self, encoder: AbstractEncoder, batch: Batch, *, key: PRNGKeyArray
    ) -> Float[Array, ""]:
        """The value of one batch."""
        labels = labels_of(batch, "CrossEntropy")
        logits = jax.vmap(self.head)(encode(encoder, batch.x))
        return surprise(logits, labels)


def labels_of(batch: Batch, who: str) -> Int[Array, " n"]:
    """The labels of a batch: one integer for each row."""
    labels = need(batch, "auxiliary", who, rows=len(batch.x))
    if labels.ndim != 1 or not jnp.issubdtype(labels.dtype, jnp.integer):
        raise BadInput(
            f"{who} got labels of shape {labels.shape} and type {labels.dtype}: give one integer "
            f"for each row, from 0 on"
        )
    return labels


def surprise(logits: Float[Array, "n c"], labels: Int[Array, " n"]) -> Float[Array, ""]:
    """-mean log softmax(logits)[label]; NaN where a label has no logit."""
    chosen = jnp.take_along_axis(logits, labels[:, None], axis=1, mode="fill")[:, 0]
    return jnp.mean(jax.nn.logsumexp(logits, axis=1) - chosen)
