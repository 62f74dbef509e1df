"""Mixings with a form of their own, and one that forgets."""

from __future__ import annotations

from typing import ClassVar

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from .._core import BadInput, Floats
from ._mixing import AbstractMixing


class Identity(AbstractMixing):
    """x = z.

    Example:
        >>> Identity()(jnp.array([1.0, 2.0])).tolist()
        [1.0, 2.0]
    """

    injective: ClassVar[bool] = True

    def __call__(self, z: Float[Array, " d"]) -> Float[Array, " d"]:
        """The latent."""
        return z

    def inverse(self, x: Float[Array, " d"]) -> Float[Array, " d"]:
        """The observation."""
        return x


class Orthogonal(AbstractMixing):
    """x = Q z, Q orthogonal.

    Args:
        seed: of Q, uniform over the group.
        d: latents.

    Example:
        >>> x = Orthogonal(0, 3)(jnp.array([3.0, 0.0, 4.0]))
        >>> round(float(jnp.linalg.norm(x)), 4)
        5.0
    """

    rotation: Float[Array, "d d"]
    injective: ClassVar[bool] = True

    def __init__(self, seed: int, d: int) -> None:
        self.rotation = jnp.asarray(rotations(seed, 1, d)[0], float)

    def __call__(self, z: Float[Array, " d"]) -> Float[Array, " d"]:
        """The observation of one latent."""
        return self.rotation @ z

    def inverse(self, x: Float[Array, " d"]) -> Float[Array, " d"]:
        """The latent of one observation."""
        return self.rotation.T @ x


class Moebius(AbstractMixing):
    """x = Q (p + (|p|² - 1) (z - p) / |z - p|²): conformal, and it keeps the unit sphere.

    It is injective everywhere but at the pole p, where it is not defined.

    Args:
        seed: of the direction of p and of Q.
        d: latents.
        distance: |p|, above 1 so that the pole is off the sphere; the nearer, the more bent.
            In a box [0, 1]^d take more than √d.

    Example:
        >>> mixing = Moebius(0, 3)
        >>> x = mixing(jnp.array([0.6, 0.0, 0.8]))
        >>> round(float(jnp.linalg.norm(x)), 4)
        1.0
    """

    rotation: Float[Array, "d d"]
    pole: Float[Array, " d"]
    injective: ClassVar[bool] = True

    def __init__(self, seed: int, d: int, distance: float = 2.0) -> None:
        if not distance > 1:
            raise BadInput(f"distance={distance}; the pole must be off the unit sphere, above 1")
        turn, direction = rotations(seed, 2, d)
        self.rotation = jnp.asarray(turn, float)
        self.pole = jnp.asarray(direction[0] * distance, float)

    def __call__(self, z: Float[Array, " d"]) -> Float[Array, " d"]:
        """The observation of one latent."""
        return self.rotation @ self._inverted(z)

    def inverse(self, x: Float[Array, " d"]) -> Float[Array, " d"]:
        """The latent of one observation: an inversion undoes itself."""
        return self._inverted(self.rotation.T @ x)

    def _inverted(self, z: Float[Array, " d"]) -> Float[Array, " d"]:
        away = z - self.pole
        return self.pole + (jnp.sum(self.pole**2) - 1) * away / jnp.sum(away**2)


class Flow(AbstractMixing):
    """Layers of rotation and affine coupling: smooth, with an inverse, for any latent.

    With (u, v) the halves of Q z, a layer returns (u, v ⊙ exp(tanh(A u) / 2) + tanh(B u)).

    Args:
        seed: of Q, A and B.
        d: latents, at least 2.
        layers: how many.

    Example:
        >>> mixing = Flow(0, 4)
        >>> z = jnp.arange(4.0)
        >>> bool(jnp.allclose(mixing.inverse(mixing(z)), z, atol=1e-4))
        True

    References:
        dinh2017
    """

    rotations: Float[Array, "layers d d"]
    stretch: Float[Array, "layers v u"]
    shift: Float[Array, "layers v u"]
    injective: ClassVar[bool] = True

    def __init__(self, seed: int, d: int, layers: int = 4) -> None:
        if d < 2 or layers < 1:
            raise BadInput(f"d={d}, layers={layers}; a flow needs d from 2 and layers from 1")
        rng = np.random.default_rng([seed, d, layers])
        u = d // 2
        self.rotations = jnp.asarray(rotations(seed, layers, d), float)
        size = 2 / np.sqrt(u)
        self.stretch = jnp.asarray(size * rng.normal(size=(layers, d - u, u)), float)
        self.shift = jnp.asarray(size * rng.normal(size=(layers, d - u, u)), float)

    def __call__(self, z: Float[Array, " d"]) -> Float[Array, " d"]:
        """The observation of one latent."""
        for turn, stretch, shift in zip(self.rotations, self.stretch, self.shift, strict=True):
            u, v = jnp.split(turn @ z, [stretch.shape[1]])
            v = v * jnp.exp(jnp.tanh(stretch @ u) / 2) + jnp.tanh(shift @ u)
            z = jnp.concatenate([u, v])
        return z

    def inverse(self, x: Float[Array, " d"]) -> Float[Array, " d"]:
        """The latent of one observation."""
        layers = list(zip(self.rotations, self.stretch, self.shift, strict=True))
        for turn, stretch, shift in reversed(layers):
            u, v = jnp.split(x, [stretch.shape[1]])
            v = (v - jnp.tanh(shift @ u)) * jnp.exp(-jnp.tanh(stretch @ u) / 2)
            x = turn.T @ jnp.concatenate([u, v])
        return x


class Folded(AbstractMixing):
    """x = f(at + |z - at|): latents mirrored at a point look the same; for controls.

    Args:
        mixing: f.
        at: where the fold is; 0 on a sphere, the middle of a box.
        count: leading coordinates that are folded, all where it is left out.

    Example:
        >>> folded = Folded(Identity())
        >>> folded(jnp.array([-1.0, 2.0])).tolist()
        [1.0, 2.0]
    """

    mixing: AbstractMixing
    at: Float[Array, ""]
    count: int | None = eqx.field(static=True)
    injective: ClassVar[bool] = False

    def __init__(self, mixing: AbstractMixing, at: float = 0.0, count: int | None = None) -> None:
        self.mixing = mixing
        self.at = jnp.asarray(at, float)
        self.count = count

    def __call__(self, z: Float[Array, " d"]) -> Float[Array, " m"]:
        """The observation of one latent."""
        head = self.at + jnp.abs(z[: self.count] - self.at)
        return self.mixing(z.at[: self.count].set(head))

    def twin(self, z: Float[Array, " d"]) -> Float[Array, " d"]:
        """Another latent that looks the same."""
        return z.at[: self.count].set(2 * self.at - z[: self.count])


def rotations(seed: int, count: int, d: int) -> Floats:
    """Orthogonal matrices (count, d, d), uniform over the group."""
    drawn = np.random.default_rng([seed, d]).normal(size=(count, d, d))
    q, r = np.linalg.qr(drawn)
    found: Floats = q * np.sign(np.diagonal(r, axis1=1, axis2=2))[:, None, :]
    return found
