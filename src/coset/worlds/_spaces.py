"""Where latents live: on a sphere, in a box, anywhere."""

from __future__ import annotations

import math

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Float, PRNGKeyArray

from .._assumptions import CONVEX, SPHERE, UNBOUNDED
from .._core import Assumption, BadInput
from ._noises import AbstractNoise
from ._normal import standard_normal
from ._space import AbstractSpace, at_least


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
        self.d = at_least(d, 2)

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
        self.d = at_least(d, 1)
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
        self.d = at_least(d, 1)

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
