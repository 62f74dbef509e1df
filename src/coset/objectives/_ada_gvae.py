"""Ada-GVAE: an autoencoder of pairs that share most of their latents."""

from __future__ import annotations

from typing import Literal, get_args

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from .._assumptions import FEW_CHANGES, INJECTIVE, PAIRED
from .._core import Assumption, BadInput
from .._lab import AbstractEncoder, AbstractObjective, Batch
from ._likelihoods import Network, NormalLikelihood
from ._needs import need
from ._normals import NormalLaw, normal_divergence
from ._posteriors import AbstractLogVariance, posteriors

Average = Literal["moments", "product"]
SHARED_BUT_FEW = frozenset({PAIRED, FEW_CHANGES, INJECTIVE})
"""What the theorem asks."""


class AdaGvae(AbstractObjective):
    """The mean bound of the two of a pair, after posteriors are averaged where they are alike.

    With q, q̃ the normal posteriors of x and x̃, coordinate k counts as shared where

        δ_k = KL(q_k ‖ q̃_k) + KL(q̃_k ‖ q_k)

    is below the middle between the least and the largest δ of that pair; or, where it is told how
    many latents change, is none of the so many largest. Shared coordinates get one posterior for
    both: then -½ Σ [ log p(x|z) - β KL(q ‖ N(0, I)) ] over the two, mean over pairs. Exchanging the
    two changes nothing; published code takes one of the two divergences for δ, and so depends on
    their order.

    The middle leaves a plateau: where two latents are turned into each other by 35° to 55°, the δ
    of both lie above it whichever of them changes, and nothing turns them back.

    Args:
        decoder: code → observation; trained with the encoder.
        log_variance: of the posterior.
        noise: standard deviation of the decoder.
        beta: β.
        average: "moments" takes the means of means and of variances (Ada-GVAE), "product" the
            geometric mean of the two laws, scaled to one (Ada-ML-VAE).
        changes: how many latents change in each pair, where that is known.
        learned_noise: train log noise too.
        theory: assumptions of the theorem that is meant, in place of the usual.

    Example:
        >>> from coset.encoders import Raw
        >>> from coset.objectives import SameForAll
        >>> objective = AdaGvae(eqx.nn.Identity(), SameForAll(3))
        >>> batch = Batch(x=jnp.zeros((1, 3)), positive=jnp.array([[0.0, 2.0, 20.0]]))
        >>> first, second = objective.shared(Raw(), batch)
        >>> first.mean.tolist(), second.mean.tolist()
        ([[0.0, 1.0, 0.0]], [[0.0, 1.0, 20.0]])

    References:
        locatello2020
    """

    likelihood: NormalLikelihood
    log_variance: AbstractLogVariance
    beta: Float[Array, ""]
    average: Average = eqx.field(static=True)
    changes: int | None = eqx.field(static=True)
    theory: frozenset[Assumption] | None = eqx.field(static=True)

    def __init__(
        self,
        decoder: Network,
        log_variance: AbstractLogVariance,
        noise: Float[Array, ""] | float = 0.1,
        *,
        beta: Float[Array, ""] | float = 1.0,
        average: Average = "moments",
        changes: int | None = None,
        learned_noise: bool = False,
        theory: frozenset[Assumption] | None = None,
    ) -> None:
        if average not in get_args(Average):
            raise BadInput(f"average={average!r}; choose from {', '.join(get_args(Average))}")
        if changes is not None and changes < 1:
            raise BadInput(f"changes={changes}; some latent changes: give 1 or more, or None")
        self.likelihood = NormalLikelihood(decoder, noise, learned_noise=learned_noise)
        self.log_variance = log_variance
        self.beta = jnp.asarray(beta, float)
        self.average = average
        self.changes = changes
        self.theory = theory

    @property
    def needs(self) -> frozenset[Assumption]:
        """Pairs that share latents, or what was named."""
        return SHARED_BUT_FEW if self.theory is None else self.theory

    def __call__(
        self, encoder: AbstractEncoder, batch: Batch, *, key: PRNGKeyArray
    ) -> Float[Array, ""]:
        """The value of one batch."""
        first, second = self.shared(encoder, batch)
        k_first, k_second = jax.random.split(key)
        seen = self.likelihood(batch.x, first.draw(k_first))
        seen += self.likelihood(need(batch, "positive", "AdaGvae"), second.draw(k_second))
        apart = normal_divergence(first) + normal_divergence(second)
        return jnp.mean(jax.lax.stop_gradient(self.beta) * apart - seen) / 2

    def shared(self, encoder: AbstractEncoder, batch: Batch) -> tuple[NormalLaw, NormalLaw]:
        """Posteriors of x and of the positive, averaged where they are alike."""
        y = need(batch, "positive", "AdaGvae", rows=len(batch.x))
        a, b = (posteriors(encoder, self.log_variance, one) for one in (batch.x, y))
        if a.lower is not None:
            raise BadInput("AdaGvae averages coordinates one by one; give log-variances alone")
        same, joint = alike(between(a, b), self.changes), AVERAGES[self.average](a, b)
        first, second = (
            NormalLaw(
                jnp.where(same, joint.mean, own.mean),
                jnp.where(same, joint.log_variance, own.log_variance),
            )
            for own in (a, b)
        )
        return first, second


def between(a: NormalLaw, b: NormalLaw) -> Float[Array, "n k"]:
    """KL(a ‖ b) + KL(b ‖ a) of each coordinate.

    Example:
        >>> law, wide = NormalLaw(jnp.ones(1), jnp.zeros(1)), NormalLaw(jnp.zeros(1), jnp.zeros(1))
        >>> between(law, wide).tolist()
        [1.0]
    """
    gap = a.log_variance - b.log_variance
    away = (a.mean - b.mean) ** 2 * (jnp.exp(-a.log_variance) + jnp.exp(-b.log_variance))
    return jnp.cosh(gap) - 1 + away / 2


def alike(delta: Float[Array, "n k"], changes: int | None = None) -> Bool[Array, "n k"]:
    """Coordinates whose δ is below the middle between the least and the largest of their row, or
    below the so many largest.

    Example:
        >>> delta = jnp.array([[0.0, 6.0, 9.0]])
        >>> alike(delta).tolist(), alike(delta, 1).tolist()
        ([[True, False, False]], [[True, True, False]])
    """
    if changes is not None:
        return delta < jnp.sort(delta, axis=1)[:, -changes, None]
    middle = (delta.min(axis=1, keepdims=True) + delta.max(axis=1, keepdims=True)) / 2
    return delta < middle


def by_moments(a: NormalLaw, b: NormalLaw) -> NormalLaw:
    """Means of the means and of the variances."""
    return NormalLaw(
        (a.mean + b.mean) / 2, jnp.logaddexp(a.log_variance, b.log_variance) - jnp.log(2.0)
    )


def by_product(a: NormalLaw, b: NormalLaw) -> NormalLaw:
    """The law of density ∝ √(a b): the mean of the precisions, and of means weighed by them."""
    share = jax.nn.sigmoid(b.log_variance - a.log_variance)
    log_precision = jnp.logaddexp(-a.log_variance, -b.log_variance) - jnp.log(2.0)
    return NormalLaw(share * a.mean + (1 - share) * b.mean, -log_precision)


AVERAGES = {"moments": by_moments, "product": by_product}
