"""Normal laws of codes: densities, divergences, expectations, draws."""

from __future__ import annotations

import math

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Float, PRNGKeyArray

LOG_2_PI = math.log(2 * math.pi)


class NormalLaw(eqx.Module):
    """N(mean, L diag(e^log_variance) Lᵀ), L lower triangular with ones on its diagonal.

    Rows may stand in front: then it is one law for each.

    Args:
        mean: of each coordinate.
        log_variance: of each coordinate given those before it; of each alone where L is left out.
        lower: L, or what lies below its diagonal; the identity where it is left out.

    Example:
        >>> law = NormalLaw(jnp.zeros(2), jnp.zeros(2), jnp.array([[1.0, 0.0], [2.0, 1.0]]))
        >>> law.variance.tolist()
        [1.0, 5.0]
    """

    mean: Float[Array, "... k"]
    log_variance: Float[Array, "... k"]
    lower: Float[Array, "... k k"] | None = None

    @property
    def variance(self) -> Float[Array, "... k"]:
        """Of each coordinate, whatever the others are."""
        each = jnp.exp(self.log_variance)
        return each if self.lower is None else jnp.sum(self.lower**2 * each[..., None, :], axis=-1)

    @property
    def entropy(self) -> Float[Array, "..."]:
        """½ Σ_k (log 2π + 1 + log_variance_k): det L is 1."""
        return 0.5 * jnp.sum(self.log_variance + LOG_2_PI + 1, axis=-1)

    def draw(self, key: PRNGKeyArray) -> Float[Array, "... k"]:
        """One of each law, through which mean and variance can be differentiated."""
        noise = jnp.exp(self.log_variance / 2) * jax.random.normal(key, self.mean.shape)
        if self.lower is not None:
            noise = jnp.einsum("...kj,...j->...k", self.lower, noise)
        return self.mean + noise


def log_normal(
    x: Float[Array, "..."], mean: ArrayLike, log_variance: ArrayLike
) -> Float[Array, "..."]:
    """Log density of each coordinate, constants included.

    Example:
        >>> round(float(log_normal(jnp.array(0.0), 0.0, 0.0)), 4)
        -0.9189
    """
    away = (x - jnp.asarray(mean)) ** 2 * jnp.exp(-jnp.asarray(log_variance))
    return -0.5 * (away + log_variance + LOG_2_PI)


def normal_divergence(
    law: NormalLaw, mean: ArrayLike = 0.0, log_variance: ArrayLike = 0.0
) -> Float[Array, "..."]:
    """KL(law ‖ N(mean, diag(e^log_variance))).

    Example:
        >>> float(normal_divergence(NormalLaw(jnp.full(3, 2.0), jnp.zeros(3))))
        6.0
    """
    log_variance = jnp.asarray(log_variance)
    away = (law.mean - jnp.asarray(mean)) ** 2 + law.variance
    surprise = 0.5 * (away * jnp.exp(-log_variance) + log_variance + LOG_2_PI)
    return jnp.sum(surprise, axis=-1) - law.entropy


def mean_distance(mean: Float[Array, "..."], variance: Float[Array, "..."]) -> Float[Array, "..."]:
    """E|a| of a ~ N(mean, variance), of each coordinate.

    Example:
        >>> round(float(mean_distance(jnp.array(0.0), jnp.array(1.0))), 4)
        0.7979
    """
    away = mean / jnp.sqrt(2 * variance)
    spread = jnp.sqrt(2 * variance / jnp.pi) * jnp.exp(-(away**2))
    return spread + mean * jax.scipy.special.erf(away)
