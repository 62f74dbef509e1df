"""The contrastive objective."""

from __future__ import annotations

from typing import Literal, get_args

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from .._assumptions import INDEPENDENT_NEGATIVES
from .._core import Assumption, BadInput
from .._lab import AbstractEncoder, AbstractObjective, Batch, encode
from ._log_sum import log_sum
from ._needs import need
from ._similarities import AbstractSimilarity, Dot

Negatives = Literal["views", "positives", "both", "fresh"]


class InfoNCE(AbstractObjective):
    """Tells the positive of each observation from negatives.

    With codes u_i of x, v_i of the positives, w_j of fresh negatives, and s the similarity:

        mean_i [ -s(u_i, v_i)/τ + log( Σ_{c ∈ N_i} e^{s(u_i, c)/τ} + e^{s(u_i, v_i)/τ} ) ]

    The negatives N_i of the i-th anchor, for a batch of n rows:

    - "views": u_j, j ≠ i (n - 1 of them).
    - "positives": v_j, j ≠ i (n - 1).
    - "both": u_j and v_j, j ≠ i (2n - 2); with `Cosine` and `symmetric`, NT-Xent.
    - "fresh": all w_j, which must come with the batch.

    Published code for "views" keeps the anchor itself among its negatives, which is the most
    similar code there is: `exclude_self=False` does as it does. An anchor's own positive is never
    one of its negatives.

    Hard negatives weigh more: with hardness β the first sum is Σ_c ω_c e^{s_c/τ}, where ω_c is
    |N_i| e^{β s_c/τ} / Σ_c' e^{β s_c'/τ}. The weights are differentiated like all the rest.

    Args:
        similarity: of two codes.
        temperature: τ.
        positive_in_denominator: whether the last term is there.
        exclude_self: whether an anchor is left out of its own negatives.
        symmetric: average over both directions, v as anchors with u as positives too.
        negatives: which, as above.
        learned_temperature: train log τ with the encoder.
        hardness: β ≥ 0; 0 weighs all negatives alike.
        mean: log of the mean of the terms instead of log of their sum.
        theory: assumptions of the theorem that is meant, in place of the similarity's own.

    Example:
        >>> from coset.encoders import Raw
        >>> batch = Batch(x=jnp.eye(3), positive=jnp.eye(3))
        >>> value = InfoNCE(temperature=0.5)(Raw(), batch, key=jax.random.key(0))
        >>> bool(jnp.isclose(value, jnp.log(1 + 2 * jnp.exp(-2.0)), atol=1e-6))
        True

    References:
        oord2018, chen2020, zimmermann2021, vonkuegelgen2021, robinson2021
    """

    similarity: AbstractSimilarity
    log_temperature: Float[Array, ""]
    beta: Float[Array, ""] | None
    positive_in_denominator: bool = eqx.field(static=True)
    exclude_self: bool = eqx.field(static=True)
    symmetric: bool = eqx.field(static=True)
    negatives: Negatives = eqx.field(static=True)
    learned_temperature: bool = eqx.field(static=True)
    mean: bool = eqx.field(static=True)
    theory: frozenset[Assumption] | None = eqx.field(static=True)

    def __init__(
        self,
        similarity: AbstractSimilarity | None = None,
        temperature: Float[Array, ""] | float = 1.0,
        *,
        positive_in_denominator: bool = True,
        exclude_self: bool = True,
        symmetric: bool = False,
        negatives: Negatives = "views",
        learned_temperature: bool = False,
        hardness: Float[Array, ""] | float = 0.0,
        mean: bool = False,
        theory: frozenset[Assumption] | None = None,
    ) -> None:
        _check(temperature, hardness, negatives)
        plain = isinstance(hardness, float | int) and hardness == 0
        self.similarity = Dot() if similarity is None else similarity
        self.log_temperature = jnp.log(jnp.asarray(temperature, float))
        self.beta = None if plain else jnp.asarray(hardness, float)
        self.positive_in_denominator = positive_in_denominator
        self.exclude_self = exclude_self
        self.symmetric = symmetric
        self.negatives = negatives
        self.learned_temperature = learned_temperature
        self.mean = mean
        self.theory = theory

    @property
    def temperature(self) -> Float[Array, ""]:
        """τ."""
        log = self.log_temperature
        return jnp.exp(log if self.learned_temperature else jax.lax.stop_gradient(log))

    @property
    def needs(self) -> frozenset[Assumption]:
        """What the theorem for the similarity asks, or the one that was named."""
        asked = self.similarity.theory if self.theory is None else self.theory
        return asked | {INDEPENDENT_NEGATIVES} if self.negatives == "fresh" else asked

    def __call__(
        self, encoder: AbstractEncoder, batch: Batch, *, key: PRNGKeyArray
    ) -> Float[Array, ""]:
        """The value of one batch."""
        alignment, uniformity = self.alignment_and_uniformity(encoder, batch)
        return alignment + uniformity

    def readout(self, encoder: AbstractEncoder) -> AbstractEncoder:
        """As the similarity has it."""
        return self.similarity.readout(encoder)

    def alignment_and_uniformity(
        self, encoder: AbstractEncoder, batch: Batch
    ) -> tuple[Float[Array, ""], Float[Array, ""]]:
        """The two terms whose sum is the value: mean of -s(u_i, v_i)/τ, and of the logarithm."""
        n = len(batch.x)
        if n < 2 and self.negatives != "fresh":
            raise BadInput(f"{n} row in a batch has no negatives: draw 2 rows or more")
        u = encode(encoder, batch.x)
        v = encode(encoder, need(batch, "positive", "InfoNCE", rows=n))
        w = None
        if self.negatives == "fresh":
            w = encode(encoder, need(batch, "negative", "InfoNCE"))
        scale = 1 / self.temperature
        positive = self.similarity.pair(u, v) * scale
        total = self._total(u, v, w, scale, positive).mean()
        if self.symmetric:
            total = (total + self._total(v, u, w, scale, positive).mean()) / 2
        return -positive.mean(), total

    def _total(
        self, u: Array, v: Array, w: Array | None, scale: Array, positive: Array
    ) -> Float[Array, " n"]:
        """Logarithm of each anchor's denominator; u are the anchors, v their positives."""
        sides = self._sides(u, v, w)
        inside = positive if self.positive_in_denominator else None
        count = sum(len(side) - gone for side, gone in sides)
        if self.beta is not None:
            total = _with(jnp.log(count) + self._harder(u, sides, scale), inside)
        elif inside is not None and any(gone for _, gone in sides):
            total = self._negatives(u, sides, scale, inside)
        else:
            total = _with(self._negatives(u, sides, scale), inside)
        return total - jnp.log(count + self.positive_in_denominator) if self.mean else total

    def _sides(self, u: Array, v: Array, w: Array | None) -> list[tuple[Array, bool]]:
        """Codes among which the negatives are, and whether row i is none of anchor i's."""
        if w is not None:
            return [(w, False)]
        views, positives = (u, self.exclude_self), (v, True)
        return {"views": [views], "positives": [positives], "both": [views, positives]}[
            self.negatives
        ]

    def _negatives(
        self,
        u: Array,
        sides: list[tuple[Array, bool]],
        scale: Array,
        inside: Array | None = None,
    ) -> Float[Array, " n"]:
        """Log-sum over the negatives; `inside` joins it in the last place that is empty."""
        fills: list[Array | float | None] = [-jnp.inf if gone else None for _, gone in sides]
        if inside is not None:
            fills[-1] = inside
        parts = [
            log_sum(self.similarity, u, side, scale, fill)
            for (side, _), fill in zip(sides, fills, strict=True)
        ]
        return parts[0] if len(parts) == 1 else jnp.logaddexp(*parts)

    def _harder(
        self, u: Array, sides: list[tuple[Array, bool]], scale: Array
    ) -> Float[Array, " n"]:
        """Logarithm of the mean negative, weighed by e^{β s/τ}."""
        assert self.beta is not None
        beta = jax.lax.stop_gradient(self.beta)
        above = self._negatives(u, sides, scale * (1 + beta))
        return above - self._negatives(u, sides, scale * beta)


def _with(total: Array, inside: Array | None) -> Array:
    return total if inside is None else jnp.logaddexp(total, inside)


def _check(temperature: object, hardness: object, negatives: str) -> None:
    if isinstance(temperature, float | int) and not temperature > 0:
        raise BadInput(f"temperature={temperature}; it divides the similarity: give one above 0")
    if isinstance(hardness, float | int) and not hardness >= 0:
        raise BadInput(f"hardness={hardness}; give 0 for equal weights, or more")
    if negatives not in get_args(Negatives):
        raise BadInput(f"negatives={negatives!r}; choose from {', '.join(get_args(Negatives))}")
