"""SlowVAE: an autoencoder of pairs whose codes seldom move far."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Float, PRNGKeyArray

from .._assumptions import INJECTIVE, PAIRED, l_alpha
from .._core import Assumption
from .._lab import AbstractEncoder, AbstractObjective, Batch
from ._likelihoods import Network, NormalLikelihood
from ._needs import need
from ._normals import NormalLaw, mean_distance, normal_divergence
from ._posteriors import AbstractLogVariance, posteriors

SPARSE_TRANSITIONS = frozenset({PAIRED, l_alpha(1), INJECTIVE})
"""What the theorem asks."""


class SlowVae(AbstractObjective):
    """The bound on a pair: z ~ N(0, I), each z̃_k - z_k of density (λ/2) e^{-λ|z̃_k - z_k|}.

    With q = N(f(x), diag e^{s(x)}) and q̃ of the positive x̃, and one draw of each:

        mean [ β KL(q ‖ N(0, I)) + γ E_q KL(q̃ ‖ p(·|z)) - log p(x|z) - log p(x̃|z̃) ]

    Both divergences are exact: with Δ_k and v_k the difference of the means and the sum of the
    variances, the second is Σ_k λ E|N(Δ_k, v_k)| - log(λ/2) - entropy of q̃_k. At β = γ = 1 it
    bounds -log p(x, x̃) from above. Published code takes for v_k the variance of one of the two
    alone, adds both directions, and subtracts the mean of the two entropies: no divergence.

    Args:
        decoder: code → observation; trained with the encoder.
        log_variance: s, of the posterior.
        rate: λ.
        noise: standard deviation of the decoder.
        beta: β.
        gamma: γ.
        learned_noise: train log noise too.
        theory: assumptions of the theorem that is meant, in place of the usual.

    Example:
        >>> from coset.encoders import Raw
        >>> from coset.objectives import SameForAll
        >>> objective = SlowVae(eqx.nn.Identity(), SameForAll(2), rate=1.0)
        >>> batch = Batch(x=jnp.zeros((1, 2)), positive=jnp.zeros((1, 2)))
        >>> seen, apart, moved = objective.terms(Raw(), batch, key=jax.random.key(0))
        >>> float(apart), round(float(moved), 4)
        (0.0, 0.8052)

    References:
        klindt2021
    """

    likelihood: NormalLikelihood
    log_variance: AbstractLogVariance
    rate: Float[Array, ""]
    beta: Float[Array, ""]
    gamma: Float[Array, ""]
    theory: frozenset[Assumption] | None = eqx.field(static=True)

    def __init__(
        self,
        decoder: Network,
        log_variance: AbstractLogVariance,
        rate: Float[Array, ""] | float = 1.0,
        noise: Float[Array, ""] | float = 0.1,
        *,
        beta: Float[Array, ""] | float = 1.0,
        gamma: Float[Array, ""] | float = 1.0,
        learned_noise: bool = False,
        theory: frozenset[Assumption] | None = None,
    ) -> None:
        self.likelihood = NormalLikelihood(decoder, noise, learned_noise=learned_noise)
        self.log_variance = log_variance
        self.rate = jnp.asarray(rate, float)
        self.beta = jnp.asarray(beta, float)
        self.gamma = jnp.asarray(gamma, float)
        self.theory = theory

    @property
    def needs(self) -> frozenset[Assumption]:
        """Pairs whose latents move by a Laplace law, or what was named."""
        return SPARSE_TRANSITIONS if self.theory is None else self.theory

    def __call__(
        self, encoder: AbstractEncoder, batch: Batch, *, key: PRNGKeyArray
    ) -> Float[Array, ""]:
        """The value of one batch."""
        seen, apart, moved = self.terms(encoder, batch, key=key)
        beta, gamma = jax.lax.stop_gradient((self.beta, self.gamma))
        return beta * apart + gamma * moved - seen

    def terms(
        self, encoder: AbstractEncoder, batch: Batch, *, key: PRNGKeyArray
    ) -> tuple[Float[Array, ""], Float[Array, ""], Float[Array, ""]]:
        """Means over rows: log p(x|z) + log p(x̃|z̃), KL from the normal law, and from Laplace's."""
        k_first, k_second = jax.random.split(key)
        x, y = batch.x, need(batch, "positive", "SlowVae", rows=len(batch.x))
        before = posteriors(encoder, self.log_variance, x)
        after = posteriors(encoder, self.log_variance, y)
        seen = self.likelihood(x, before.draw(k_first)) + self.likelihood(y, after.draw(k_second))
        moved = laplace_divergence(after, before, jax.lax.stop_gradient(self.rate))
        return seen.mean(), normal_divergence(before).mean(), moved.mean()


def laplace_divergence(after: NormalLaw, before: NormalLaw, rate: ArrayLike) -> Float[Array, "..."]:
    """E_z KL(after ‖ Π_k (λ/2) e^{-λ|· - z_k|}) of z ~ before.

    Example:
        >>> law = NormalLaw(jnp.zeros(1), jnp.zeros(1))
        >>> round(float(laplace_divergence(law, law, 1.0)), 4)
        0.4026
    """
    moves = mean_distance(after.mean - before.mean, after.variance + before.variance)
    return jnp.sum(rate * moves - jnp.log(jnp.asarray(rate) / 2), axis=-1) - after.entropy
