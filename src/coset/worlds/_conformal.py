"""A Möbius transformation with its pole outside the box of the latents."""

from __future__ import annotations

from typing import ClassVar

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float
from scipy.special import ndtr, ndtri

from .._core import BadInput
from ._mixing import AbstractMixing
from ._mixings import rotations

CENTRED = 2**14
"""Latents of [-1/2, 1/2]^d over which observations are centred."""


class Inversion(AbstractMixing):
    """x = Q ((z - a) / |z - a|² - c): conformal, columns of its Jacobian are orthogonal.

    The coordinates of the pole a follow the normal law given that they exceed 1/2 in size, drawn
    from its distribution function: the pole is off the box [-1/2, 1/2]^d. c is the mean of the
    first term over that box.

    Args:
        seed: of a and of Q, which is uniform over the group.
        d: latents.

    Example:
        >>> mixing = Inversion(0, 3)
        >>> z = jnp.array([0.1, -0.2, 0.3])
        >>> bool(jnp.allclose(mixing.inverse(mixing(z)), z, atol=1e-5))
        True

    References:
        reizinger2022
    """

    rotation: Float[Array, "d d"]
    pole: Float[Array, " d"]
    centre: Float[Array, " d"]
    injective: ClassVar[bool] = True

    def __init__(self, seed: int, d: int) -> None:
        if d < 2:
            raise BadInput(f"d={d}; an inversion needs at least 2 latents")
        rng = np.random.default_rng([seed, d, 1])
        sizes = ndtri(rng.uniform(ndtr(0.5), 1.0, d))
        pole, turn = rng.choice([-1.0, 1.0], d) * sizes, rotations(seed, 1, d)[0]
        away = rng.uniform(-0.5, 0.5, (CENTRED, d)) - pole
        mean = (away / (away**2).sum(axis=1, keepdims=True)).mean(axis=0)
        self.pole = jnp.asarray(pole, float)
        self.rotation = jnp.asarray(turn, float)
        self.centre = jnp.asarray(mean, float)

    def __call__(self, z: Float[Array, " d"]) -> Float[Array, " d"]:
        """The observation of one latent."""
        away = z - self.pole
        return self.rotation @ (away / jnp.sum(away**2) - self.centre)

    def inverse(self, x: Float[Array, " d"]) -> Float[Array, " d"]:
        """The latent of one observation."""
        away = self.rotation.T @ x + self.centre
        return self.pole + away / jnp.sum(away**2)
