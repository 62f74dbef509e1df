"""Normal laws with a variance of each coordinate: densities, divergences, expectations."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Float, PRNGKeyArray

LOG_2_PI = math.log(2 * math.pi)


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


def normal_entropy(log_variance: Float[Array, "..."]) -> Float[Array, "..."]:
    """½ (log(2π variance) + 1) of each coordinate.

    Example:
        >>> round(float(normal_entropy(jnp.array(0.0))), 4)
        1.4189
    """
    return 0.5 * (log_variance + LOG_2_PI + 1)


def normal_divergence(
    mean: Float[Array, "..."],
    log_variance: Float[Array, "..."],
    other_mean: ArrayLike = 0.0,
    other_log_variance: ArrayLike = 0.0,
) -> Float[Array, "..."]:
    """KL(N(mean, e^log_variance) ‖ N(other_mean, e^other_log_variance)) of each coordinate.

    Example:
        >>> float(normal_divergence(jnp.array(2.0), jnp.array(0.0)))
        2.0
    """
    gap = log_variance - jnp.asarray(other_log_variance)
    away = (mean - jnp.asarray(other_mean)) ** 2 * jnp.exp(-jnp.asarray(other_log_variance))
    return 0.5 * (jnp.exp(gap) + away - 1 - gap)


def mean_distance(mean: Float[Array, "..."], variance: Float[Array, "..."]) -> Float[Array, "..."]:
    """E|a| of a ~ N(mean, variance), of each coordinate.

    Example:
        >>> round(float(mean_distance(jnp.array(0.0), jnp.array(1.0))), 4)
        0.7979
    """
    away = mean / jnp.sqrt(2 * variance)
    return jnp.sqrt(2 * variance / jnp.pi) * jnp.exp(-(away**2)) + mean * jax.scipy.special.erf(
        away
    )


def draw_normal(
    key: PRNGKeyArray, mean: Float[Array, "n k"], log_variance: Float[Array, "n k"]
) -> Float[Array, "n k"]:
    """One draw of each row, through which mean and variance can be differentiated."""
    return mean + jnp.exp(log_variance / 2) * jax.random.normal(key, mean.shape)
