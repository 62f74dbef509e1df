"""Maps that keep the law of the latents and mix them: why independence does not identify."""

from __future__ import annotations

from typing import ClassVar

import jax.numpy as jnp
from jax.scipy.special import ndtr, ndtri
from jaxtyping import Array, Float

from .._core import BadInput
from ._mixing import AbstractMixing, Invertible

EDGE = 1e-7
"""Least distance from the faces of the unit box at which quantiles are taken."""


class Swirl(AbstractMixing):
    """x = R(turns |z|²) z, R(φ) a rotation by φ of neighbouring coordinates, pair by pair.

    Every sphere around 0 is rotated as a whole, so that volumes and all laws that rotations keep
    stay as they are: N(0, I) goes to N(0, I). For z ~ N(0, I₂) the coordinates of x correlate
    with those of z by (1 - 4 turns²) and ± 4 turns over (1 + 4 turns²)².

    Args:
        turns: radians for each unit of |z|²; latents must be of even number.

    Example:
        >>> x = Swirl(turns=jnp.pi / 2)(jnp.array([1.0, 0.0]))
        >>> bool(jnp.allclose(x, jnp.array([0.0, 1.0]), atol=1e-6))
        True

    References:
        hyvarinen1999
    """

    turns: Float[Array, ""]
    injective: ClassVar[bool] = True

    def __init__(self, turns: float = 1.0) -> None:
        self.turns = jnp.asarray(turns, float)

    def __call__(self, z: Float[Array, " d"]) -> Float[Array, " d"]:
        """The observation of one latent."""
        return _turned(z, self.turns * jnp.sum(z**2))

    def inverse(self, x: Float[Array, " d"]) -> Float[Array, " d"]:
        """The latent of one observation."""
        return _turned(x, -self.turns * jnp.sum(x**2))


class Quantiles(AbstractMixing):
    """x = Φ(f(Φ⁻¹(z))), Φ the normal distribution function: f where latents are uniform.

    Where f keeps N(0, I), x is uniform on the unit box as z is.

    Args:
        mixing: f.

    Example:
        >>> from coset.worlds import Identity
        >>> Quantiles(Identity())(jnp.array([0.25, 0.5])).round(5).tolist()
        [0.25, 0.5]

    References:
        hyvarinen1999
    """

    mixing: Invertible
    injective: ClassVar[bool] = True

    def __init__(self, mixing: Invertible) -> None:
        if not mixing.injective:
            raise BadInput("the mixing forgets; give one that is injective")
        self.mixing = mixing

    def __call__(self, z: Float[Array, " d"]) -> Float[Array, " d"]:
        """The observation of one latent."""
        return ndtr(self.mixing(_quantile(z)))

    def inverse(self, x: Float[Array, " d"]) -> Float[Array, " d"]:
        """The latent of one observation."""
        return ndtr(self.mixing.inverse(_quantile(x)))


def _turned(z: Float[Array, " d"], angle: Float[Array, ""]) -> Float[Array, " d"]:
    if len(z) % 2:
        raise BadInput(f"{len(z)} latents; a swirl turns pairs of them: give an even number")
    first, second = z[0::2], z[1::2]
    cosine, sine = jnp.cos(angle), jnp.sin(angle)
    pairs = jnp.stack([cosine * first - sine * second, sine * first + cosine * second], axis=1)
    return pairs.reshape(-1)


def _quantile(z: Float[Array, " d"]) -> Float[Array, " d"]:
    return ndtri(jnp.clip(z, EDGE, 1 - EDGE))
