"""How an observation comes out of a code: a decoder and normal noise."""

from __future__ import annotations

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from .._core import BadInput
from ._normals import log_normal

Network = Callable[[Float[Array, " a"]], Float[Array, " b"]]
"""A module that maps one row, such as `coset.encoders.Mlp`."""


class NormalLikelihood(eqx.Module):
    """log p(x|z) of x ~ N(decoder(z), noise² I), constants included.

    Args:
        decoder: code → observation, with parameters of its own.
        noise: standard deviation of each column of an observation.
        learned_noise: train its logarithm with the decoder.

    Example:
        >>> likelihood = NormalLikelihood(eqx.nn.Identity(), 1.0)
        >>> likelihood(jnp.zeros((1, 2)), jnp.array([[1.0, 1.0]])).round(4).tolist()
        [-2.8379]
    """

    decoder: Network
    log_noise: Float[Array, ""]
    learned_noise: bool = eqx.field(static=True)

    def __init__(
        self,
        decoder: Network,
        noise: Float[Array, ""] | float,
        *,
        learned_noise: bool = False,
    ) -> None:
        if isinstance(noise, float | int) and not noise > 0:
            raise BadInput(f"noise={noise}; a standard deviation is needed, above 0")
        self.decoder = decoder
        self.log_noise = jnp.log(jnp.asarray(noise, float))
        self.learned_noise = learned_noise

    @property
    def noise(self) -> Float[Array, ""]:
        """Its standard deviation."""
        return jnp.exp(self._log_noise())

    def __call__(self, x: Float[Array, "n ..."], z: Float[Array, "n k"]) -> Float[Array, " n"]:
        """Of each row."""
        flat = x.reshape(len(x), -1)
        seen = jax.vmap(self.decoder)(z).reshape(len(x), -1)
        return log_normal(flat, seen, 2 * self._log_noise()).sum(axis=1)

    def _log_noise(self) -> Float[Array, ""]:
        log = self.log_noise
        return log if self.learned_noise else jax.lax.stop_gradient(log)
