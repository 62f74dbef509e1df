"""Functions of each coordinate of a code on its own."""

from __future__ import annotations

from abc import abstractmethod

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from .._core import BadInput


class AbstractStatistics(eqx.Module):
    """Code → for each coordinate as many numbers."""

    @abstractmethod
    def __call__(self, code: Float[Array, " d"]) -> Float[Array, "d order"]:
        """Of one code."""


class Powers(AbstractStatistics):
    """c, c², … up to a power.

    Args:
        order: the highest.

    Example:
        >>> Powers(2)(jnp.array([3.0, -1.0])).tolist()
        [[3.0, 9.0], [-1.0, 1.0]]
    """

    order: int = eqx.field(static=True)

    def __init__(self, order: int) -> None:
        if order < 1:
            raise BadInput(f"order={order}; give the highest power, at least 1")
        self.order = order

    def __call__(self, code: Float[Array, " d"]) -> Float[Array, "d order"]:
        """Of one code."""
        return jnp.stack([code**power for power in range(1, self.order + 1)], axis=1)


class Curves(AbstractStatistics):
    """Learned functions b_kr + Σ_w v_krw tanh(s_kw c_k + t_kw), of each coordinate its own.

    Args:
        key: of the parameters.
        d: columns of a code.
        order: functions of each coordinate.
        width: terms that they share.

    Example:
        >>> Curves(jax.random.key(0), 3, order=2)(jnp.ones(3)).shape
        (3, 2)
    """

    slope: Float[Array, "d width"]
    shift: Float[Array, "d width"]
    weight: Float[Array, "d order width"]
    bias: Float[Array, "d order"]

    def __init__(self, key: PRNGKeyArray, d: int, order: int, width: int = 16) -> None:
        k_slope, k_shift, k_weight, k_bias = jax.random.split(key, 4)
        self.slope = jax.random.normal(k_slope, (d, width))
        self.shift = jax.random.normal(k_shift, (d, width))
        self.weight = jax.random.normal(k_weight, (d, order, width)) / width**0.5
        self.bias = 0.1 * jax.random.normal(k_bias, (d, order))

    def __call__(self, code: Float[Array, " d"]) -> Float[Array, "d order"]:
        """Of one code."""
        bent = jnp.tanh(self.slope * code[:, None] + self.shift)
        return self.bias + jnp.sum(self.weight * bent[:, None, :], axis=2)
