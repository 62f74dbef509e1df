"""Alignment and maximal entropy."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from .._assumptions import CONTENT_SHARED, INJECTIVE, PAIRED, STYLE_CHANGES
from .._core import Assumption
from .._lab import AbstractEncoder, AbstractObjective, Batch, encode
from ._entropies import AbstractEntropy, NearestEntropy
from ._needs import need

CONTENT = frozenset({PAIRED, CONTENT_SHARED, STYLE_CHANGES, INJECTIVE})
"""What the theorems on content and style ask; `InfoNCE(theory=CONTENT)` means them."""


class AlignMaxEnt(AbstractObjective):
    """Codes of positives agree, and codes fill the open unit cube evenly.

        mean_i |u_i - v_i|² - weight · H(u),   u = σ(encoder(x)), v = σ(encoder(positive))

    σ is the logistic function, so that the entropy H has a largest value: 0, for uniform codes.

    Args:
        entropy: how H is estimated.
        weight: of the entropy, fixed.
        squash: False where the encoder's codes lie in the unit cube already; leave out σ then.

    Example:
        >>> from coset.encoders import Raw
        >>> x = jax.random.logistic(jax.random.key(0), (2000, 2))
        >>> value = AlignMaxEnt()(Raw(), Batch(x, positive=x), key=jax.random.key(1))
        >>> bool(abs(value) < 0.15)
        True

    References:
        vonkuegelgen2021
    """

    entropy: AbstractEntropy
    weight: Float[Array, ""]
    squash: bool = eqx.field(static=True)

    def __init__(
        self,
        entropy: AbstractEntropy | None = None,
        weight: Float[Array, ""] | float = 1.0,
        *,
        squash: bool = True,
    ) -> None:
        self.entropy = NearestEntropy() if entropy is None else entropy
        self.weight = jnp.asarray(weight, float)
        self.squash = squash

    @property
    def needs(self) -> frozenset[Assumption]:
        """Content that both views share, style that changes."""
        return CONTENT

    def __call__(
        self, encoder: AbstractEncoder, batch: Batch, *, key: PRNGKeyArray
    ) -> Float[Array, ""]:
        """The value of one batch."""
        u = encode(encoder, batch.x)
        v = encode(encoder, need(batch, "positive", "AlignMaxEnt", rows=len(batch.x)))
        if self.squash:
            u, v = jax.nn.sigmoid(u), jax.nn.sigmoid(v)
        apart = jnp.mean(jnp.sum((u - v) ** 2, axis=-1))
        return apart - jax.lax.stop_gradient(self.weight) * self.entropy(u)
