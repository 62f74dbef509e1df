"""Differentiable estimates of the entropy of codes."""

from __future__ import annotations

from abc import abstractmethod
from math import lgamma, log, pi

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float
from scipy.special import digamma

from .._core import BadInput
from ._log_sum import log_sum
from ._similarities import LAlpha

_TINY = 1e-16


class AbstractEntropy(eqx.Module):
    """Codes → an estimate of their differential entropy, in nats."""

    @abstractmethod
    def __call__(self, codes: Float[Array, "n k"]) -> Float[Array, ""]:
        """The entropy of the law that the rows came from."""


class NearestEntropy(AbstractEntropy):
    """From the distance ρ_i of each code to its m-th nearest: Kozachenko and Leonenko's estimate.

        k mean_i log ρ_i + log V_k + ψ(n) - ψ(m),   V_k the volume of the unit ball

    No bandwidth, and consistent. Its slope moves each code away from one other.

    Args:
        neighbours: m.

    Example:
        >>> codes = jax.random.uniform(jax.random.key(0), (2000, 2)) * 3
        >>> bool(abs(NearestEntropy()(codes) - 2 * jnp.log(3.0)) < 0.15)
        True

    References:
        kozachenko1987
    """

    neighbours: int = eqx.field(static=True, default=1)

    def __check_init__(self) -> None:
        if self.neighbours < 1:
            raise BadInput(f"neighbours={self.neighbours}; an entropy needs at least 1")

    def __call__(self, codes: Float[Array, "n k"]) -> Float[Array, ""]:
        """The entropy of the law that the rows came from."""
        n, k = codes.shape
        if n <= self.neighbours:
            raise BadInput(f"{n} rows have no {self.neighbours} neighbours: draw more rows")
        fixed = jax.lax.stop_gradient(codes)
        near = -_squares(fixed)
        near = jnp.where(jnp.eye(n, dtype=bool), -jnp.inf, near)
        if self.neighbours == 1:
            chosen = jnp.argmax(near, axis=1)
        else:
            chosen = jax.lax.top_k(near, self.neighbours)[1][:, -1]
        squares = jnp.sum((codes - codes[chosen]) ** 2, axis=1)
        volume = k / 2 * log(pi) - lgamma(k / 2 + 1)
        offset = volume + float(digamma(n)) - float(digamma(self.neighbours))
        return k * jnp.mean(jnp.log(squares + _TINY)) / 2 + offset


class KernelEntropy(AbstractEntropy):
    """Minus the mean logarithm of a kernel density that leaves each code itself out.

        -mean_i log[ 1/(n - 1) Σ_{j ≠ i} N(c_i; c_j, h² I) ]

    Smooth: each code is moved away from all those within reach. It tends to the cross-entropy of
    the codes' law with that law blurred by h, which exceeds the entropy by more the larger h is.

    Args:
        bandwidth: h, fixed.

    Example:
        >>> codes = jax.random.normal(jax.random.key(0), (2000, 1))
        >>> bool(abs(KernelEntropy(0.1)(codes) - jnp.log(2 * jnp.pi * jnp.e) / 2) < 0.1)
        True

    References:
        ahmad1976
    """

    bandwidth: Float[Array, ""]

    def __init__(self, bandwidth: Float[Array, ""] | float) -> None:
        if isinstance(bandwidth, float | int) and not bandwidth > 0:
            raise BadInput(f"bandwidth={bandwidth}; a kernel needs a width above 0")
        self.bandwidth = jnp.asarray(bandwidth, float)

    def __call__(self, codes: Float[Array, "n k"]) -> Float[Array, ""]:
        """The entropy of the law that the rows came from."""
        n, k = codes.shape
        if n < 2:
            raise BadInput(f"{n} row has no neighbour: draw more rows")
        width = jax.lax.stop_gradient(self.bandwidth)
        around = log_sum(LAlpha(2), codes, codes, 1 / (2 * width**2), -jnp.inf)
        return jnp.log(n - 1) + k * (jnp.log(width) + log(2 * pi) / 2) - around.mean()


def _squares(codes: Float[Array, "n k"]) -> Float[Array, "n n"]:
    """|c_i - c_j|² from differences: a matrix product cancels where neighbours are very close."""
    total = jnp.zeros((len(codes), len(codes)), codes.dtype)
    for column in codes.T:
        total = total + (column[:, None] - column[None, :]) ** 2
    return total
