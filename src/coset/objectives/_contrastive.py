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
from ._rows import log_sum, need
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
        >>> value = InfoNCE(temperature=0.1)(Raw(), batch, key=jax.random.key(0))
        >>> bool(jnp.isclose(value, jnp.log(1 + 2 * jnp.exp(-10.0)), atol=1e-6))
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
        n = len(batch.x)
        if n < 2 and self.negatives != "fresh":
            raise BadInput(f"{n} row in a batch has no negatives: draw 2 rows or more")
        u = encode(encoder, batch.x)
        v = encode(encoder, need(batch, "positive", "InfoNCE", rows=n))
        w = None
        if self.negatives == "fresh":
            w = encode(encoder, need(batch, "negative", "InfoNCE"))
        value = self._one_way(u, v, w)
        return (value + self._one_way(v, u, w)) / 2 if self.symmetric else value

    def _one_way(self, u: Array, v: Array, w: Array | None) -> Float[Array, ""]:
        """Anchors u, positives v."""
        scale = 1 / self.temperature
        positive = self.similarity.pair(u, v) * scale
        if self.beta is None:
            total = self._sum(u, v, w, scale, positive)
        else:
            total = self._hard_sum(u, v, w, scale, positive)
        if self.mean:
            total = total - jnp.log(self._count(u, w) + self.positive_in_denominator)
        return jnp.mean(total - positive)

    def _sum(self, u: Array, v: Array, w: Array | None, scale: Array, positive: Array) -> Array:
        """Log of the denominator; the positive takes a place that is empty, where there is one."""
        inside = positive if self.positive_in_denominator else None
        if w is not None:
            return _with(log_sum(self.similarity.pairwise(u, w) * scale), inside)
        logits = self._logits(u, v, scale)
        if self.negatives == "views" and not self.exclude_self:
            return _with(log_sum(logits[0]), inside)
        filled = -jnp.inf if inside is None else inside
        if self.negatives != "both":
            return log_sum(logits[0], filled)
        rest = log_sum(logits[0], -jnp.inf if self.exclude_self else None)
        return jnp.logaddexp(rest, log_sum(logits[1], filled))

    def _hard_sum(
        self, u: Array, v: Array, w: Array | None, scale: Array, positive: Array
    ) -> Array:
        assert self.beta is not None
        beta = jax.lax.stop_gradient(self.beta)
        inside = positive if self.positive_in_denominator else None
        logits = [self.similarity.pairwise(u, w) * scale] if w is not None else None
        logits = self._logits(u, v, scale) if logits is None else logits
        keeps = self.exclude_self or self.negatives == "positives"
        own = [-jnp.inf if keeps and w is None else None, -jnp.inf]

        def total(power: Array) -> Array:
            parts = [log_sum(part * power, gone) for part, gone in zip(logits, own, strict=False)]
            return parts[0] if len(parts) == 1 else jnp.logaddexp(*parts)

        count = jnp.log(self._count(u, w))
        return _with(count + total(1 + beta) - total(beta), inside)

    def _logits(self, u: Array, v: Array, scale: Array) -> list[Array]:
        among = {"views": [u], "positives": [v], "both": [u, v]}[self.negatives]
        return [self.similarity.pairwise(u, others) * scale for others in among]

    def _count(self, u: Array, w: Array | None) -> float:
        """Negatives of each anchor."""
        if w is not None:
            return float(len(w))
        views = len(u) - self.exclude_self
        positives = len(u) - 1
        counts = {"views": views, "positives": positives, "both": views + positives}
        return float(counts[self.negatives])


def _with(total: Array, inside: Array | None) -> Array:
    return total if inside is None else jnp.logaddexp(total, inside)


def _check(temperature: object, hardness: object, negatives: str) -> None:
    if isinstance(temperature, float | int) and not temperature > 0:
        raise BadInput(f"temperature={temperature}; it divides the similarity: give one above 0")
    if isinstance(hardness, float | int) and not hardness >= 0:
        raise BadInput(f"hardness={hardness}; give 0 for equal weights, or more")
    if negatives not in get_args(Negatives):
        raise BadInput(f"negatives={negatives!r}; choose from {', '.join(get_args(Negatives))}")
