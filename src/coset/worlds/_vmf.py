"""The von Mises-Fisher law, density exp(kappa mᵀz) / Z on the unit sphere."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray
from scipy.integrate import cumulative_simpson
from scipy.special import expit, gammaln, hyp0f1, ive

from .._core import Floats
from ._normal import standard_normal
from ._tables import even_interpolation

NODES = 4096
EDGE = math.log(1e12)
"""The table reaches down to where one draw in 1e12 falls, on both sides."""
GRID = 32768


def log_normaliser(kappa: float, d: int) -> float:
    """Log ∫ exp(kappa mᵀz) dz over the unit sphere of R^d, so that log p = kappa mᵀz - this.

    It is log of (2π)^(d/2) I_(d/2-1)(kappa) / kappa^(d/2-1), the sphere's log volume at 0.

    Args:
        kappa: concentration, at least 0.
        d: coordinates.

    Example:
        >>> round(log_normaliser(0.0, 3), 4), round(log_normaliser(2.0, 3), 4)
        (2.531, 3.1262)

    References:
        mardia2000
    """
    order = d / 2 - 1
    if kappa <= d:
        series = float(hyp0f1(order + 1, kappa**2 / 4))
        return math.log(2) + d / 2 * math.log(math.pi) - float(gammaln(d / 2)) + math.log(series)
    bessel = math.log(float(ive(order, kappa))) + kappa
    return d / 2 * math.log(2 * math.pi) + bessel - order * math.log(kappa)


def polar_angles(kappa: float, d: int) -> Floats:
    """Quantiles of the angle between a draw and the mean, even in the logit of their order.

    With s = log tan(angle / 2) the density is exp(-kappa tanh s) / cosh(s)^(d-1): smooth, with
    one mode and exponential tails, so that both tails are summed from their own end without
    cancellation, whatever kappa and d.

    Args:
        kappa: concentration, at least 0.
        d: coordinates, at least 2.
    """
    s = _grid(kappa, d)
    weight = _log_density(s, kappa, d)
    weight = np.exp(weight - weight.max())
    below = cumulative_simpson(weight, x=s, initial=0.0)[1:-1]
    above = cumulative_simpson(weight[::-1], x=-s[::-1], initial=0.0)[::-1][1:-1]
    logits = np.log(below) - np.log(above)
    nodes = np.linspace(-EDGE, EDGE, NODES)
    return 2 * np.arctan(np.exp(np.interp(nodes, logits, s[1:-1])))


def around(
    key: PRNGKeyArray, mean: Float[Array, " d"], angles: Float[Array, " nodes"]
) -> Float[Array, " d"]:
    """One draw: an angle from its table, in a uniform direction across the mean.

    Args:
        key: of the draw.
        mean: (d,), of length 1.
        angles: what `polar_angles` returned.
    """
    k_angle, k_across = jax.random.split(key)
    angle = even_interpolation(_logistic(k_angle), -EDGE, EDGE, angles)
    across = standard_normal(k_across, mean.shape)
    across = across - jnp.dot(across, mean) * mean
    across = across - jnp.dot(across, mean) * mean  # the first leaves rounding errors where d is 2
    return jnp.cos(angle) * mean + jnp.sin(angle) * across / jnp.linalg.norm(across)


def _logistic(key: PRNGKeyArray) -> Float[Array, ""]:
    """Logit of a uniform number whose 31 bits count from the nearer end: tails down to 1e-10."""
    bits = jax.random.bits(key, (), jnp.uint32)
    tail = ((bits >> 1).astype(jnp.float32) + 0.5) * 2.0**-32
    depth = jnp.log1p(-tail) - jnp.log(tail)
    return jnp.where(bits & 1 == 1, depth, -depth)


def _log_density(s: Floats, kappa: float, d: int) -> Floats:
    """Up to a constant; written so that a large kappa cancels nothing."""
    log_cosh = np.abs(s) + np.log1p(np.exp(-2 * np.abs(s))) - math.log(2)
    density: Floats = -2 * kappa * expit(2 * s) - (d - 1) * log_cosh
    return density


def _grid(kappa: float, d: int) -> Floats:
    """Even values of s that hold all but e^-40 of the law."""
    mode = math.atanh(-2 * kappa / (d - 1 + math.hypot(d - 1, 2 * kappa)))
    top = _log_density(np.array([mode]), kappa, d)[0]

    def end(direction: float) -> float:
        step = 1.0 / (d - 1)
        while top - _log_density(np.array([mode + direction * step]), kappa, d)[0] < 40:
            step *= 1.5
        return mode + direction * step

    return np.linspace(end(-1.0), end(1.0), GRID)
