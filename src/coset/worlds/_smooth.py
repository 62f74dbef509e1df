"""Smooth networks as mixings: with orthogonal matrices, or with triangular ones."""

from __future__ import annotations

from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from .._core import BadInput, Floats
from ._mixing import AbstractMixing
from ._mixings import rotations

NEWTON = 30
"""Steps that undo the activation: from the right of the root they come down to it."""
SLOPE = 0.2


class SmoothMlp(AbstractMixing):
    """x = W_L σ(… W_1 σ(z)), σ(t) = 0.2 t + 0.8 log(1 + e^t); every W_l is square.

    Orthogonal matrices are uniform over the group; with one of them the Jacobian's columns are
    orthogonal, with more they are not. Triangular ones have a diagonal uniform on (1/2, 1) and
    normal entries of variance 1/d below, so that x_k depends on z_1, …, z_k alone.

    Args:
        seed: of the matrices.
        d: latents.
        layers: number of matrices.
        triangular: lower triangular matrices in place of orthogonal ones.

    Example:
        >>> mixing = SmoothMlp(0, 3, triangular=True)
        >>> jacobian = jax.jacfwd(mixing)(jnp.zeros(3))
        >>> bool((jnp.triu(jacobian, 1) == 0).all())
        True

    References:
        reizinger2022
    """

    matrices: Float[Array, "layers d d"]
    injective: ClassVar[bool] = True

    def __init__(self, seed: int, d: int, layers: int = 3, *, triangular: bool = False) -> None:
        if d < 2 or layers < 1:
            raise BadInput(f"d={d}, layers={layers}; a network needs d from 2 and layers from 1")
        made = _triangular(seed, layers, d) if triangular else rotations(seed, layers, d)
        self.matrices = jnp.asarray(made, float)

    def __call__(self, z: Float[Array, " d"]) -> Float[Array, " d"]:
        """The observation of one latent."""
        for matrix in self.matrices:
            z = matrix @ bent(z)
        return z

    def inverse(self, x: Float[Array, " d"]) -> Float[Array, " d"]:
        """The latent of one observation."""
        for matrix in self.matrices[::-1]:
            x = straight(jnp.linalg.solve(matrix, x))
        return x


def bent(t: Float[Array, " d"]) -> Float[Array, " d"]:
    """σ(t) = 0.2 t + 0.8 log(1 + e^t), of each coordinate."""
    return SLOPE * t + (1 - SLOPE) * jax.nn.softplus(t)


def straight(y: Float[Array, " d"]) -> Float[Array, " d"]:
    """The t of σ(t) = y, by Newton's method: σ is convex and above its asymptotes."""

    def step(_: Array, t: Array) -> Array:
        return t - (bent(t) - y) / (SLOPE + (1 - SLOPE) * jax.nn.sigmoid(t))

    return jax.lax.fori_loop(0, NEWTON, step, jnp.where(y < 0, y / SLOPE, y))


def _triangular(seed: int, layers: int, d: int) -> Floats:
    rng = np.random.default_rng([seed, d, layers])
    below = np.tril(rng.normal(size=(layers, d, d)) / np.sqrt(d), -1)
    found: Floats = below + rng.uniform(0.5, 1.0, (layers, d, 1)) * np.eye(d)
    return found
