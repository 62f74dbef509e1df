"""iVAE: an autoencoder whose prior of codes depends on a label."""

from __future__ import annotations

from jaxtyping import Array, Float, PRNGKeyArray

from .._core import Assumption
from .._lab import AbstractEncoder, AbstractObjective, Batch
from ._auxiliary import MODULATION
from ._elbo import Elbo
from ._likelihoods import Network
from ._posteriors import AbstractLogVariance
from ._priors import NormalByLabel


class IVae(AbstractObjective):
    """The bound of `Elbo` under the prior z | u ~ N(m_u, diag(e^{s_u})), u the label.

    Args:
        decoder: code → observation; trained with the encoder.
        log_variance: of the posterior; one that sees the label is that of the publication.
        labels: how many there are.
        d: columns of a code.
        noise: standard deviation of the decoder.
        means: learn m_u too; otherwise it is 0.
        learned_noise: train log noise too.
        theory: assumptions of the theorem that is meant, in place of the usual.

    Example:
        >>> import equinox as eqx
        >>> import jax
        >>> from coset.encoders import Raw
        >>> from coset.objectives import SameForAll
        >>> objective = IVae(eqx.nn.Identity(), SameForAll(2), labels=3, d=2)
        >>> x = jax.numpy.zeros((1, 2))
        >>> batch = Batch(x, auxiliary=jax.numpy.array([2]))
        >>> _, apart = objective.elbo.reconstruction_and_divergence(
        ...     Raw(), batch, key=jax.random.key(0)
        ... )
        >>> float(apart)
        0.0

    References:
        khemakhem2020
    """

    elbo: Elbo

    def __init__(
        self,
        decoder: Network,
        log_variance: AbstractLogVariance,
        labels: int,
        d: int,
        noise: Float[Array, ""] | float = 0.1,
        *,
        means: bool = False,
        learned_noise: bool = False,
        theory: frozenset[Assumption] | None = None,
    ) -> None:
        self.elbo = Elbo(
            decoder,
            log_variance,
            NormalByLabel(labels, d, means=means),
            noise,
            learned_noise=learned_noise,
            theory=MODULATION if theory is None else theory,
        )

    @property
    def needs(self) -> frozenset[Assumption]:
        """Latents that the label modulates, or what was named."""
        return self.elbo.needs

    def __call__(
        self, encoder: AbstractEncoder, batch: Batch, *, key: PRNGKeyArray
    ) -> Float[Array, ""]:
        """The value of one batch."""
        return self.elbo(encoder, batch, key=key)
