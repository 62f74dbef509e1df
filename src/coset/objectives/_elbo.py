"""Variational autoencoders: the bound on the likelihood of an observation."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from .._core import Assumption
from .._lab import AbstractEncoder, AbstractObjective, Batch
from ._classification import labels_of
from ._likelihoods import Network, NormalLikelihood
from ._posteriors import AbstractLogVariance, posteriors
from ._priors import AbstractPrior, StandardNormal


class Elbo(AbstractObjective):
    """-mean_i [ log p(x_i|z_i) - β KL(q_i ‖ p) ], z_i one draw of q_i = N(f(x_i), diag e^{s_i}).

    f is the encoder, so a code is the mean of a posterior; p(x|z) is N(decoder(z), noise² I). At
    β = 1 it bounds -log p(x) from above, constants included.

    How far above depends on q. With little noise and s alone the gap is Σ_k log|J_:k| - log|det J|,
    J the decoder's Jacobian, which draws decoders to orthogonal columns; where the log-variance is
    a whole covariance (`AbstractLogVariance`), it closes.

    Args:
        decoder: code → observation, such as an `Mlp`; trained with the encoder.
        log_variance: s, of the posterior; or its whole covariance.
        prior: p, of codes; the standard normal law where it is left out.
        noise: standard deviation of the decoder.
        beta: β.
        learned_noise: train log noise too.
        theory: assumptions of the theorem that is meant, in place of the prior's own.

    Example:
        >>> from coset.encoders import Raw
        >>> from coset.objectives import SameForAll
        >>> elbo = Elbo(eqx.nn.Identity(), SameForAll(2, start=-50.0), noise=1.0)
        >>> batch = Batch(x=jnp.zeros((1, 2)))
        >>> seen, apart = elbo.reconstruction_and_divergence(Raw(), batch, key=jax.random.key(0))
        >>> round(float(seen), 4), round(float(apart), 4)
        (-1.8379, 49.0)

    References:
        kingma2014, higgins2017beta, reizinger2022
    """

    likelihood: NormalLikelihood
    log_variance: AbstractLogVariance
    prior: AbstractPrior
    beta: Float[Array, ""]
    theory: frozenset[Assumption] | None = eqx.field(static=True)

    def __init__(
        self,
        decoder: Network,
        log_variance: AbstractLogVariance,
        prior: AbstractPrior | None = None,
        noise: Float[Array, ""] | float = 0.1,
        *,
        beta: Float[Array, ""] | float = 1.0,
        learned_noise: bool = False,
        theory: frozenset[Assumption] | None = None,
    ) -> None:
        self.likelihood = NormalLikelihood(decoder, noise, learned_noise=learned_noise)
        self.log_variance = log_variance
        self.prior = StandardNormal() if prior is None else prior
        self.beta = jnp.asarray(beta, float)
        self.theory = theory

    @property
    def needs(self) -> frozenset[Assumption]:
        """What the theorem for the prior asks, or what was named."""
        return self.prior.theory if self.theory is None else self.theory

    def __call__(
        self, encoder: AbstractEncoder, batch: Batch, *, key: PRNGKeyArray
    ) -> Float[Array, ""]:
        """The value of one batch."""
        seen, apart = self.reconstruction_and_divergence(encoder, batch, key=key)
        return jax.lax.stop_gradient(self.beta) * apart - seen

    def reconstruction_and_divergence(
        self, encoder: AbstractEncoder, batch: Batch, *, key: PRNGKeyArray
    ) -> tuple[Float[Array, ""], Float[Array, ""]]:
        """The two terms, means over rows: log p(x|z), and the divergence of q from the prior."""
        label = None
        if self.prior.labelled or self.log_variance.labelled:
            label = labels_of(batch, type(self).__name__)
        law = posteriors(encoder, self.log_variance, batch.x, label)
        z = law.draw(key)
        apart = jax.vmap(self.prior.divergence)(law, z, label)
        return self.likelihood(batch.x, z).mean(), apart.mean()
