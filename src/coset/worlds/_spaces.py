"""Where latents live."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Float, PRNGKeyArray

from .._assumptions import CONVEX, SPHERE, TORUS, UNBOUNDED
from .._core import Assumption, BadInput
from ._noises import AbstractNoise
from ._normal import standard_normal


class AbstractSpace(eqx.Module):
    """A set of points with a volume, written in `dim` coordinates."""

    @property
    @abstractmethod
    def dim(self) -> int:
        """Number of coordinates."""

    @property
    @abstractmethod
    def satisfies(self) -> frozenset[Assumption]:
        """What a theorem may ask of it."""

    @property
    @abstractmethod
    def middle(self) -> Float[Array, " dim"]:
        """Where laws are centred unless something else is said."""

    @abstractmethod
    def log_volume(self) -> float:
        """Of the surface where it is one; inf where there is no end."""

    @abstractmethod
    def uniform(self, key: PRNGKeyArray) -> Float[Array, " dim"]:
        """One point, uniform."""

    @abstractmethod
    def project(self, z: Float[Array, " dim"]) -> Float[Array, " dim"]:
        """The nearest point of the space."""

    @abstractmethod
    def scatter(
        self, key: PRNGKeyArray, noise: AbstractNoise, centre: Float[Array, " dim"]
    ) -> Float[Array, " dim"]:
        """Centre + noise, kept in the space: projected on surfaces, truncated in bodies."""


class Sphere(AbstractSpace):
    """{z ∈ R^d : |z| = 1}.

    Args:
        d: coordinates, at least 2.

    Example:
        >>> round(Sphere(3).log_volume(), 4) == round(math.log(4 * math.pi), 4)
        True
    """

    d: int = eqx.field(static=True)

    def __init__(self, d: int) -> None:
        self.d = _at_least(d, 2)

    @property
    def dim(self) -> int:
        """Number of coordinates."""
        return self.d

    @property
    def satisfies(self) -> frozenset[Assumption]:
        """A sphere."""
        return frozenset({SPHERE})

    @property
    def middle(self) -> Float[Array, " dim"]:
        """The first unit vector."""
        return jnp.eye(self.d)[0]

    def log_volume(self) -> float:
        """Log of 2 π^(d/2) / Γ(d/2)."""
        return math.log(2) + self.d / 2 * math.log(math.pi) - math.lgamma(self.d / 2)

    def uniform(self, key: PRNGKeyArray) -> Float[Array, " dim"]:
        """A normal vector, scaled to length 1."""
        return self.project(standard_normal(key, (self.d,)))

    def project(self, z: Float[Array, " dim"]) -> Float[Array, " dim"]:
        """Z / |z|."""
        return z / jnp.linalg.norm(z)

    def scatter(
        self, key: PRNGKeyArray, noise: AbstractNoise, centre: Float[Array, " dim"]
    ) -> Float[Array, " dim"]:
        """Centre + noise, projected."""
        return self.project(centre + noise.sample(key, (self.d,)))


class Box(AbstractSpace):
    """{z ∈ R^d : low ≤ z ≤ high}.

    Args:
        d: coordinates.
        low: lower ends, one for all or (d,).
        high: upper ends.

    Example:
        >>> round(Box(3, 0.0, 2.0).log_volume() / math.log(2), 6)
        3.0
    """

    d: int = eqx.field(static=True)
    low: Float[Array, " d"]
    high: Float[Array, " d"]

    def __init__(self, d: int, low: ArrayLike = 0.0, high: ArrayLike = 1.0) -> None:
        self.d = _at_least(d, 1)
        self.low = jnp.broadcast_to(jnp.asarray(low, float), (d,))
        self.high = jnp.broadcast_to(jnp.asarray(high, float), (d,))
        if not (np.asarray(self.low) < np.asarray(self.high)).all():
            raise BadInput(f"low={low}, high={high}; a box needs low below high")

    @property
    def dim(self) -> int:
        """Number of coordinates."""
        return self.d

    @property
    def satisfies(self) -> frozenset[Assumption]:
        """A convex body."""
        return frozenset({CONVEX})

    @property
    def middle(self) -> Float[Array, " dim"]:
        """Half way."""
        return (self.low + self.high) / 2

    def log_volume(self) -> float:
        """Sum of the logarithms of the edges."""
        return float(np.log(np.asarray(self.high, float) - np.asarray(self.low, float)).sum())

    def uniform(self, key: PRNGKeyArray) -> Float[Array, " dim"]:
        """Each coordinate uniform."""
        return self.low + jax.random.uniform(key, (self.d,)) * (self.high - self.low)

    def project(self, z: Float[Array, " dim"]) -> Float[Array, " dim"]:
        """Clipped."""
        return jnp.clip(z, self.low, self.high)

    def scatter(
        self, key: PRNGKeyArray, noise: AbstractNoise, centre: Float[Array, " dim"]
    ) -> Float[Array, " dim"]:
        """Centre + noise, each coordinate truncated."""
        return noise.truncated(key, centre, self.low, self.high)


class Unbounded(AbstractSpace):
    """R^d.

    Args:
        d: coordinates.

    Example:
        >>> Unbounded(3).log_volume()
        inf
    """

    d: int = eqx.field(static=True)

    def __init__(self, d: int) -> None:
        self.d = _at_least(d, 1)

    @property
    def dim(self) -> int:
        """Number of coordinates."""
        return self.d

    @property
    def satisfies(self) -> frozenset[Assumption]:
        """No bounds."""
        return frozenset({UNBOUNDED})

    @property
    def middle(self) -> Float[Array, " dim"]:
        """The origin."""
        return jnp.zeros(self.d)

    def log_volume(self) -> float:
        """Inf."""
        return math.inf

    def uniform(self, key: PRNGKeyArray) -> Float[Array, " dim"]:
        """Refused: there is no such law."""
        raise BadInput("no law is uniform on an unbounded space; use Noisy(space, Normal(1.0))")

    def project(self, z: Float[Array, " dim"]) -> Float[Array, " dim"]:
        """As it is."""
        return z

    def scatter(
        self, key: PRNGKeyArray, noise: AbstractNoise, centre: Float[Array, " dim"]
    ) -> Float[Array, " dim"]:
        """Centre + noise."""
        return centre + noise.sample(key, (self.d,))


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
        self.d = _at_least(d, 1)

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


def _at_least(d: int, least: int) -> int:
    if d < least:
        raise BadInput(f"d={d}; this space needs at least {least}")
    return int(d)
