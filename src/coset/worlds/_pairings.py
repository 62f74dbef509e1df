"""Positives around a latent: the conditional laws of spheres, boxes and unbounded spaces."""

from __future__ import annotations

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Float, PRNGKeyArray

from .._assumptions import PAIRED, VMF, l_alpha
from .._core import Assumption, BadInput
from ._noises import AbstractNoise
from ._pairing import AbstractPairing
from ._vmf import around, log_normaliser, polar_angles


class VonMisesFisher(AbstractPairing):
    """p(z̃|z) = exp(kappa zᵀz̃) / Z on the unit sphere.

    Args:
        kappa: concentration, at least 0.
        d: coordinates.

    Example:
        >>> import jax
        >>> z = jnp.array([1.0, 0.0, 0.0])
        >>> drawn = VonMisesFisher(1e4, 3).sample(jax.random.key(0), z)
        >>> bool(drawn[0] > 0.99)
        True

    References:
        mardia2000, zimmermann2021
    """

    kappa: Float[Array, ""]
    angles: Float[Array, " nodes"]
    log_peak: Float[Array, ""]
    d: int = eqx.field(static=True)

    def __init__(self, kappa: float, d: int) -> None:
        if not kappa >= 0:
            raise BadInput(f"kappa={kappa}; a concentration is at least 0")
        if d < 2:
            raise BadInput(f"d={d}; a sphere needs at least 2 coordinates")
        self.kappa = jnp.asarray(kappa, float)
        self.angles = jnp.asarray(polar_angles(float(kappa), d), float)
        self.log_peak = jnp.asarray(kappa - log_normaliser(float(kappa), d), float)
        self.d = d

    def sample(self, key: PRNGKeyArray, z: Float[Array, " d"]) -> Float[Array, " d"]:
        """One draw around z."""
        return around(key, z, self.angles)

    def log_density(self, drawn: Float[Array, " d"], z: Float[Array, " d"]) -> Float[Array, ""]:
        """Normalised; written with |z̃ - z|² = 2 (1 - zᵀz̃), which keeps digits at large kappa."""
        return self.log_peak - self.kappa * jnp.sum((drawn - z) ** 2) / 2

    @property
    def satisfies(self) -> frozenset[Assumption]:
        """Positives, and their law."""
        return frozenset({PAIRED, VMF})


class Projected(AbstractPairing):
    """z̃ = (z + noise) / |z + noise|.

    Args:
        noise: law of each coordinate.

    Example:
        >>> import jax
        >>> from coset.worlds import Laplace
        >>> drawn = Projected(Laplace(0.05)).sample(jax.random.key(0), jnp.array([1.0, 0.0]))
        >>> round(float(jnp.linalg.norm(drawn)), 5)
        1.0
    """

    noise: AbstractNoise

    def sample(self, key: PRNGKeyArray, z: Float[Array, " d"]) -> Float[Array, " d"]:
        """One draw around z."""
        moved = z + self.noise.sample(key, z.shape)
        return moved / jnp.linalg.norm(moved)

    @property
    def satisfies(self) -> frozenset[Assumption]:
        """Positives."""
        return frozenset({PAIRED})


class Truncated(AbstractPairing):
    """Each coordinate of z̃ follows the noise around z, given that it stays in a box.

    Args:
        noise: law of each coordinate.
        low: lower ends of the box, one for all or (d,).
        high: upper ends.

    Example:
        >>> import jax
        >>> from coset.worlds import Normal
        >>> drawn = Truncated(Normal(5.0)).sample(jax.random.key(0), jnp.array([0.0, 1.0]))
        >>> bool(((drawn >= 0) & (drawn <= 1)).all())
        True

    References:
        zimmermann2021
    """

    noise: AbstractNoise
    low: Float[Array, "..."]
    high: Float[Array, "..."]

    def __init__(self, noise: AbstractNoise, low: ArrayLike = 0.0, high: ArrayLike = 1.0) -> None:
        self.noise = noise
        self.low = jnp.asarray(low, float)
        self.high = jnp.asarray(high, float)

    def sample(self, key: PRNGKeyArray, z: Float[Array, " d"]) -> Float[Array, " d"]:
        """One draw around z."""
        return self.noise.truncated(key, z, self.low, self.high)

    def log_density(self, drawn: Float[Array, " d"], z: Float[Array, " d"]) -> Float[Array, ""]:
        """Normalised, inside the box."""
        inside = self.noise.log_inside(z, self.low, self.high)
        return jnp.sum(self.noise.log_density(drawn - z) - inside)

    @property
    def satisfies(self) -> frozenset[Assumption]:
        """Positives, and their law."""
        return frozenset({PAIRED}) | _law_of(self.noise)


class Additive(AbstractPairing):
    """z̃ = z + noise.

    Args:
        noise: law of each coordinate.

    Example:
        >>> from coset.worlds import Normal
        >>> round(float(Additive(Normal(1.0)).log_density(jnp.zeros(2), jnp.zeros(2))), 4)
        -1.8379
    """

    noise: AbstractNoise

    def sample(self, key: PRNGKeyArray, z: Float[Array, " d"]) -> Float[Array, " d"]:
        """One draw around z."""
        return z + self.noise.sample(key, z.shape)

    def log_density(self, drawn: Float[Array, " d"], z: Float[Array, " d"]) -> Float[Array, ""]:
        """Normalised."""
        return jnp.sum(self.noise.log_density(drawn - z))

    @property
    def satisfies(self) -> frozenset[Assumption]:
        """Positives, and their law."""
        return frozenset({PAIRED}) | _law_of(self.noise)


def _law_of(noise: AbstractNoise) -> frozenset[Assumption]:
    return frozenset() if noise.power is None else frozenset({l_alpha(noise.power)})
