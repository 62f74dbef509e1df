"""Laws of one coordinate, symmetric around zero."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray
from scipy.special import gammaincc, gammaincinv, gammaln

from .._core import BadInput, Floats
from ._normal import normal_quantile
from ._tables import even_interpolation

NODES = 4096
DEEPEST = 17.5
"""-log of the smallest tail that a float32 uniform number can ask for, with some to spare."""


class AbstractNoise(eqx.Module):
    """A density that is even in x, given by how much of it lies within |x| of zero."""

    @property
    @abstractmethod
    def power(self) -> float | None:
        """The alpha with log density -|x/scale|^alpha + constant; None where seeds differ in it."""

    @abstractmethod
    def log_density(self, x: Float[Array, "..."]) -> Float[Array, "..."]:
        """Of each coordinate, normalised."""

    @abstractmethod
    def mass(self, x: Float[Array, "..."]) -> Float[Array, "..."]:
        """sign(x) · P(|noise| < |x|): odd, from -1 to 1."""

    @abstractmethod
    def quantile(self, mass: Float[Array, "..."]) -> Float[Array, "..."]:
        """The x of a mass: undoes `mass`."""

    def sample(self, key: PRNGKeyArray, shape: tuple[int, ...]) -> Float[Array, "..."]:
        """Independent coordinates."""
        lowest = float(np.nextafter(np.float32(-1), np.float32(0)))
        return self.quantile(jax.random.uniform(key, shape, minval=lowest, maxval=1.0))

    def truncated(
        self, key: PRNGKeyArray, mean: Float[Array, " d"], low: Any, high: Any
    ) -> Float[Array, " d"]:
        """Mean + noise given that it lies in [low, high], each coordinate on its own.

        Args:
            key: of the draw.
            mean: (d,), within [low, high].
            low: lower ends, () or (d,).
            high: upper ends.
        """
        below, above = self.mass(low - mean), self.mass(high - mean)
        share = jax.random.uniform(key, mean.shape)
        drawn = mean + self.quantile(below + share * (above - below))
        return jnp.clip(drawn, low, high)

    def log_inside(self, mean: Float[Array, " d"], low: Any, high: Any) -> Float[Array, " d"]:
        """Log P(low < mean + noise < high): what `truncated` divides its density by."""
        return jnp.log((self.mass(high - mean) - self.mass(low - mean)) / 2)


class Normal(AbstractNoise):
    """Density exp(-x² / (2 scale²)) / (scale √(2π)).

    Args:
        scale: the standard deviation.

    Example:
        >>> Normal(2.0).sample(jax.random.key(0), (3,)).shape
        (3,)
    """

    scale: Float[Array, ""]

    def __init__(self, scale: float) -> None:
        self.scale = _positive(scale, "scale")

    @property
    def power(self) -> float | None:
        """2."""
        return 2.0

    def log_density(self, x: Float[Array, "..."]) -> Float[Array, "..."]:
        """Of each coordinate, normalised."""
        return -0.5 * (x / self.scale) ** 2 - jnp.log(self.scale) - 0.5 * np.log(2 * np.pi).item()

    def mass(self, x: Float[Array, "..."]) -> Float[Array, "..."]:
        """erf(x / (scale √2))."""
        return jax.scipy.special.erf(x / self.scale * 0.5**0.5)

    def quantile(self, mass: Float[Array, "..."]) -> Float[Array, "..."]:
        """The inverse of that: √2 scale erf⁻¹(mass)."""
        return normal_quantile(mass) * self.scale


class Laplace(AbstractNoise):
    """Density exp(-|x| / scale) / (2 scale).

    Args:
        scale: mean of |x|.

    Example:
        >>> round(float(Laplace(1.0).mass(jnp.log(2.0))), 6)
        0.5
    """

    scale: Float[Array, ""]

    def __init__(self, scale: float) -> None:
        self.scale = _positive(scale, "scale")

    @property
    def power(self) -> float | None:
        """1."""
        return 1.0

    def log_density(self, x: Float[Array, "..."]) -> Float[Array, "..."]:
        """Of each coordinate, normalised."""
        return -jnp.abs(x) / self.scale - jnp.log(2 * self.scale)

    def mass(self, x: Float[Array, "..."]) -> Float[Array, "..."]:
        """sign(x) (1 - exp(-|x| / scale))."""
        return jnp.sign(x) * (1 - jnp.exp(-jnp.abs(x) / self.scale))

    def quantile(self, mass: Float[Array, "..."]) -> Float[Array, "..."]:
        """The inverse of that."""
        return -jnp.sign(mass) * jnp.log(1 - jnp.abs(mass)) * self.scale


class GeneralisedNormal(AbstractNoise):
    """Density exp(-(|x| / scale)^alpha) · alpha / (2 scale Γ(1/alpha)).

    Quantiles come from a table that is even in the logarithm of the tail, and that logarithm
    from one that is even in √|x|, so that laws of any alpha share one compiled
    graph. Errors of the distribution function are below 1e-5.

    Args:
        scale: of |x|; alpha = 2 has a standard deviation of scale / √2, unlike `Normal`.
        alpha: 1 is Laplace, 2 normal, larger ones flatter.

    Example:
        >>> GeneralisedNormal(0.05, 3.0).sample(jax.random.key(0), (3,)).shape
        (3,)
    """

    scale: Float[Array, ""]
    alpha: Float[Array, ""]
    log_peak: Float[Array, ""]
    quantiles: Float[Array, " nodes"]
    depths: Float[Array, " nodes"]

    def __init__(self, scale: float, alpha: float) -> None:
        self.scale = _positive(scale, "scale")
        self.alpha = _positive(alpha, "alpha")
        peak = np.log(alpha) - np.log(2 * scale) - gammaln(1 / alpha)
        self.log_peak = jnp.asarray(peak, float)
        quantiles, depths = _unit_tables(float(alpha))
        self.quantiles = jnp.asarray(quantiles, float)
        self.depths = jnp.asarray(depths, float)

    @property
    def power(self) -> float | None:
        """Alpha."""
        found = np.unique(np.asarray(self.alpha))
        return float(found[0]) if len(found) == 1 else None

    def log_density(self, x: Float[Array, "..."]) -> Float[Array, "..."]:
        """Of each coordinate, normalised."""
        return self.log_peak - (jnp.abs(x) / self.scale) ** self.alpha

    def mass(self, x: Float[Array, "..."]) -> Float[Array, "..."]:
        """sign(x) · P(1/alpha, (|x| / scale)^alpha), P the regularised incomplete gamma."""
        place = jnp.sqrt(jnp.abs(x) / (self.scale * self.quantiles[-1]))
        return jnp.sign(x) * (1 - jnp.exp(-even_interpolation(place, 0.0, 1.0, self.depths)))

    def quantile(self, mass: Float[Array, "..."]) -> Float[Array, "..."]:
        """The inverse of that."""
        depth = -jnp.log(1 - jnp.abs(mass))
        return jnp.sign(mass) * self.scale * even_interpolation(depth, 0.0, DEEPEST, self.quantiles)


def _unit_tables(alpha: float) -> tuple[Floats, Floats]:
    """|x| / scale at even depths -log P(|noise| > |x|), and depths at even √|x|."""
    depths = np.linspace(0.0, DEEPEST, NODES)
    quantiles = gammaincinv(1 / alpha, -np.expm1(-depths)) ** (1 / alpha)
    x = np.linspace(0.0, 1.0, NODES) ** 2 * quantiles[-1]
    return quantiles, -np.log(gammaincc(1 / alpha, x**alpha))


def _positive(value: float, name: str) -> Float[Array, ""]:
    if not np.all(np.asarray(value) > 0):
        raise BadInput(f"{name}={value}; a law needs a {name} above 0")
    return jnp.asarray(value, float)
