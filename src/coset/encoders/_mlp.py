"""Fully connected encoders, and where their codes live."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from .._lab import AbstractEncoder


class AbstractHead(eqx.Module):
    """The last step of an encoder: puts a code into the space of the latents."""

    @abstractmethod
    def __call__(self, code: Float[Array, " k"]) -> Float[Array, " k"]:
        """The code, moved there."""


class Free(AbstractHead):
    """Codes anywhere."""

    def __call__(self, code: Float[Array, " k"]) -> Float[Array, " k"]:
        """The code as it is."""
        return code


class OnSphere(AbstractHead):
    """Codes on a sphere: r c / |c|."""

    log_radius: Float[Array, ""] | None
    """Learned where it is given; otherwise the radius is 1."""

    def __init__(self, *, learned_radius: bool = False) -> None:
        self.log_radius = jnp.zeros(()) if learned_radius else None

    def __call__(self, code: Float[Array, " k"]) -> Float[Array, " k"]:
        """The code, scaled to the radius."""
        size = jnp.sqrt(jnp.sum(code**2) + 1e-12)
        return code / size if self.log_radius is None else code / size * jnp.exp(self.log_radius)


class InBox(AbstractHead):
    """Codes in a box: bound · sigmoid(c), the bounds learned."""

    log_bound: Float[Array, " k"]

    def __init__(self, size: int) -> None:
        self.log_bound = jnp.zeros(size)

    def __call__(self, code: Float[Array, " k"]) -> Float[Array, " k"]:
        """The code, squashed."""
        return jnp.exp(self.log_bound) * jax.nn.sigmoid(code)


class Mlp(AbstractEncoder):
    """Linear layers with leaky ReLU between them.

    Args:
        key: of the weights.
        d_in: columns of an observation.
        d_out: columns of a code.
        widths: of the hidden layers.
        slope: of the leaky ReLU where its argument is negative.
        head: what the last layer's output goes through.

    Example:
        >>> encoder = Mlp(jax.random.key(0), 10, 3, widths=(32, 32), head=OnSphere())
        >>> code = encoder(jnp.ones(10))
        >>> code.shape, round(float(jnp.linalg.norm(code)), 4)
        ((3,), 1.0)
    """

    layers: tuple[eqx.nn.Linear, ...]
    head: AbstractHead
    slope: float = eqx.field(static=True)

    def __init__(
        self,
        key: PRNGKeyArray,
        d_in: int,
        d_out: int,
        *,
        widths: Sequence[int] = (128, 128, 128),
        slope: float = 0.2,
        head: AbstractHead | None = None,
    ) -> None:
        sizes = [d_in, *widths, d_out]
        keys = jax.random.split(key, len(sizes) - 1)
        self.layers = tuple(
            eqx.nn.Linear(a, b, key=k) for a, b, k in zip(sizes, sizes[1:], keys, strict=False)
        )
        self.head = Free() if head is None else head
        self.slope = slope

    def __call__(self, x: Float[Array, " d"]) -> Float[Array, " k"]:
        """The code of one observation."""
        for layer in self.layers[:-1]:
            x = jax.nn.leaky_relu(layer(x), self.slope)
        return self.head(self.layers[-1](x))
