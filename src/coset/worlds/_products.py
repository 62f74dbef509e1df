"""Spaces made of others: circles side by side, and any product."""

from __future__ import annotations

import math
from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from .._assumptions import SPHERE, TORUS
from .._core import Assumption, BadInput
from ._noises import AbstractNoise
from ._space import AbstractSpace, at_least


class Torus(AbstractSpace):
    """d circles, written as cos and sin of each angle, one pair after the other.

    Args:
        d: circles; the coordinates are 2 d.

    Example:
        >>> Torus(3).dim
        6
    """

    d: int = eqx.field(static=True)

    def __init__(self, d: int) -> None:
        self.d = at_least(d, 1)

    @property
    def dim(self) -> int:
        """Number of coordinates."""
        return 2 * self.d

    @property
    def satisfies(self) -> frozenset[Assumption]:
        """Circles."""
        return frozenset({TORUS})

    @property
    def middle(self) -> Float[Array, " dim"]:
        """All angles 0."""
        return jnp.tile(jnp.array([1.0, 0.0]), self.d)

    def log_volume(self) -> float:
        """D log 2π."""
        return self.d * math.log(2 * math.pi)

    def uniform(self, key: PRNGKeyArray) -> Float[Array, " dim"]:
        """Every angle uniform."""
        angle = jax.random.uniform(key, (self.d,), maxval=2 * math.pi)
        return jnp.stack([jnp.cos(angle), jnp.sin(angle)], axis=1).reshape(-1)

    def project(self, z: Float[Array, " dim"]) -> Float[Array, " dim"]:
        """Each pair scaled to length 1."""
        pairs = z.reshape(self.d, 2)
        return (pairs / jnp.linalg.norm(pairs, axis=1, keepdims=True)).reshape(-1)

    def scatter(
        self, key: PRNGKeyArray, noise: AbstractNoise, centre: Float[Array, " dim"]
    ) -> Float[Array, " dim"]:
        """Centre + noise, projected."""
        return self.project(centre + noise.sample(key, (2 * self.d,)))


class Product(AbstractSpace):
    """Points of several spaces, one after the other.

    Args:
        spaces: the parts.

    Example:
        >>> from coset.worlds import Box, Sphere
        >>> Product((Box(3), Sphere(2))).dim
        5
    """

    spaces: tuple[AbstractSpace, ...]

    def __init__(self, spaces: Sequence[AbstractSpace]) -> None:
        if not spaces:
            raise BadInput("a product of no spaces was asked for; it needs at least one")
        self.spaces = tuple(spaces)

    @property
    def dim(self) -> int:
        """Number of coordinates."""
        return sum(space.dim for space in self.spaces)

    @property
    def satisfies(self) -> frozenset[Assumption]:
        """What all parts share; spheres side by side are no sphere."""
        shared = frozenset.intersection(*(space.satisfies for space in self.spaces))
        return shared if len(self.spaces) == 1 else shared - {SPHERE}

    @property
    def middle(self) -> Float[Array, " dim"]:
        """Of every part."""
        return jnp.concatenate([space.middle for space in self.spaces])

    def log_volume(self) -> float:
        """Sum over the parts."""
        return sum(space.log_volume() for space in self.spaces)

    def uniform(self, key: PRNGKeyArray) -> Float[Array, " dim"]:
        """Uniform in every part."""
        keys = jax.random.split(key, len(self.spaces))
        parts = [space.uniform(k) for space, k in zip(self.spaces, keys, strict=True)]
        return jnp.concatenate(parts)

    def project(self, z: Float[Array, " dim"]) -> Float[Array, " dim"]:
        """Every part projected."""
        parts = zip(self.spaces, self._cut(z), strict=True)
        return jnp.concatenate([space.project(part) for space, part in parts])

    def scatter(
        self, key: PRNGKeyArray, noise: AbstractNoise, centre: Float[Array, " dim"]
    ) -> Float[Array, " dim"]:
        """Every part in its own way."""
        keys = jax.random.split(key, len(self.spaces))
        parts = zip(self.spaces, keys, self._cut(centre), strict=True)
        return jnp.concatenate([space.scatter(k, noise, part) for space, k, part in parts])

    def _cut(self, z: Float[Array, " dim"]) -> list[Array]:
        ends = np.cumsum([space.dim for space in self.spaces])[:-1].tolist()
        return jnp.split(z, ends)
