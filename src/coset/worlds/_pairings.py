"""What a positive's latent is, given a latent."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Float, PRNGKeyArray

from .._assumptions import ANISOTROPIC, CONTENT_SHARED, PAIRED, STYLE_CHANGES, VMF, l_alpha
from .._core import Assumption, BadInput
from ._noises import AbstractNoise
from ._normal import standard_normal
from ._spaces import AbstractSpace
from ._vmf import around, log_normaliser, polar_angles

SHELL = 0.1
"""A noisy latent is kept where its length is within this of 1."""


class AbstractPairing(eqx.Module):
    """A conditional law: one latent in, the latent of its positive out."""

    @abstractmethod
    def sample(self, key: PRNGKeyArray, z: Float[Array, " d"]) -> Float[Array, " d"] | None:
        """One draw; None where there are no positives."""

    @property
    @abstractmethod
    def satisfies(self) -> frozenset[Assumption]:
        """What a theorem may ask of it."""


class VonMisesFisher(AbstractPairing):
    """p(z̃|z) = exp(kappa zᵀz̃) / Z on the unit sphere.

    Args:
        kappa: concentration, at least 0.
        d: coordinates.

    Example:
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


class Anisotropic(AbstractPairing):
    """z̃ = w / |w| with w ~ N(z, diag(precision)⁻¹) given that | |w| - 1 | < 0.1.

    Args:
        precision: (d,), above 0.

    Example:
        >>> drawn = Anisotropic([5.0, 25.0]).sample(jax.random.key(0), jnp.array([1.0, 0.0]))
        >>> round(float(jnp.linalg.norm(drawn)), 5)
        1.0

    References:
        rusak2024
    """

    precision: Float[Array, " d"]

    def __init__(self, precision: ArrayLike) -> None:
        self.precision = jnp.asarray(precision, float)
        if self.precision.ndim != 1 or not (np.asarray(precision) > 0).all():
            raise BadInput(f"precision={precision}; one number above 0 for each latent is needed")

    def sample(self, key: PRNGKeyArray, z: Float[Array, " d"]) -> Float[Array, " d"]:
        """One draw around z."""
        spread = jax.lax.rsqrt(self.precision)

        def propose(key: PRNGKeyArray) -> tuple[PRNGKeyArray, Array]:
            key, now = jax.random.split(key)
            return key, z + spread * standard_normal(now, z.shape)

        def refused(state: tuple[PRNGKeyArray, Array]) -> Array:
            return jnp.abs(jnp.linalg.norm(state[1]) - 1) >= SHELL

        _, w = jax.lax.while_loop(refused, lambda state: propose(state[0]), propose(key))
        return w / jnp.linalg.norm(w)

    @property
    def satisfies(self) -> frozenset[Assumption]:
        """Positives, and their law."""
        return frozenset({PAIRED, ANISOTROPIC})


class StyleChange(AbstractPairing):
    """Content is copied; each style coordinate changes on its own, with some probability.

    z̃ = z + (0, m ⊙ e), e ~ N(0, covariance), m_k ~ Bernoulli(probability): the increment is
    drawn whole, then masked.

    Args:
        n_content: leading coordinates that are content.
        covariance: (n_style, n_style) of the increment.
        probability: that a style coordinate changes.

    Example:
        >>> pairing = StyleChange(1, np.eye(2), 1.0)
        >>> drawn = pairing.sample(jax.random.key(0), jnp.zeros(3))
        >>> (drawn == 0).tolist()
        [True, False, False]

    References:
        vonkuegelgen2021
    """

    n_content: int = eqx.field(static=True)
    spread: Float[Array, "s s"]
    probability: Float[Array, ""]

    def __init__(self, n_content: int, covariance: ArrayLike, probability: float) -> None:
        if not 0 <= probability <= 1:
            raise BadInput(f"probability={probability}; it lies between 0 and 1")
        self.n_content = n_content
        self.spread = factor(covariance)
        self.probability = jnp.asarray(probability, float)

    def sample(self, key: PRNGKeyArray, z: Float[Array, " d"]) -> Float[Array, " d"]:
        """One draw around z."""
        k_which, k_what = jax.random.split(key)
        size = self.spread.shape[0]
        changes = jax.random.bernoulli(k_which, self.probability, (size,))
        increment = self.spread @ standard_normal(k_what, (size,))
        return z.at[self.n_content :].add(jnp.where(changes, increment, 0.0))

    @property
    def satisfies(self) -> frozenset[Assumption]:
        """Positives that share content; style changes unless it never does."""
        changing = {STYLE_CHANGES} if np.all(np.asarray(self.probability) > 0) else set()
        return frozenset({PAIRED, CONTENT_SHARED} | changing)


class Resampled(AbstractPairing):
    """Chosen latents are drawn anew, the others copied.

    Args:
        indices: of the latents that change.
        law: of the new values: a noise for each on its own, or a space for all, uniform.

    Example:
        >>> from coset.worlds import Normal
        >>> drawn = Resampled((1,), Normal(1.0)).sample(jax.random.key(0), jnp.zeros(3))
        >>> (drawn == 0).tolist()
        [True, False, True]
    """

    indices: tuple[int, ...] = eqx.field(static=True)
    law: AbstractNoise | AbstractSpace

    def __init__(self, indices: Sequence[int], law: AbstractNoise | AbstractSpace) -> None:
        self.indices = tuple(int(index) for index in indices)
        self.law = law
        if isinstance(law, AbstractSpace) and law.dim != len(self.indices):
            raise BadInput(
                f"{len(self.indices)} indices and a space of {law.dim} coordinates; they must "
                f"be as many"
            )

    def sample(self, key: PRNGKeyArray, z: Float[Array, " d"]) -> Float[Array, " d"]:
        """One draw around z."""
        if isinstance(self.law, AbstractSpace):
            fresh = self.law.uniform(key)
        else:
            fresh = self.law.sample(key, (len(self.indices),))
        return z.at[np.array(self.indices)].set(fresh)

    @property
    def satisfies(self) -> frozenset[Assumption]:
        """Positives that share the other latents."""
        return frozenset({PAIRED, CONTENT_SHARED, STYLE_CHANGES})


class Blockwise(AbstractPairing):
    """A pairing for each block of coordinates, as products of spaces need.

    Args:
        pairings: one for each block.
        sizes: coordinates of each block.

    Example:
        >>> pairing = Blockwise([VonMisesFisher(5.0, 2), VonMisesFisher(50.0, 2)], [2, 2])
        >>> pairing.sample(jax.random.key(0), jnp.array([1.0, 0.0, 0.0, 1.0])).shape
        (4,)
    """

    pairings: tuple[AbstractPairing, ...]
    sizes: tuple[int, ...] = eqx.field(static=True)

    def __init__(self, pairings: Sequence[AbstractPairing], sizes: Sequence[int]) -> None:
        self.pairings = tuple(pairings)
        self.sizes = tuple(int(size) for size in sizes)
        if len(self.pairings) != len(self.sizes):
            raise BadInput(
                f"{len(self.pairings)} pairings and {len(self.sizes)} sizes; give one size each"
            )

    def sample(self, key: PRNGKeyArray, z: Float[Array, " d"]) -> Float[Array, " d"]:
        """One draw around z."""
        keys = jax.random.split(key, len(self.pairings))
        parts = jnp.split(z, np.cumsum(self.sizes)[:-1].tolist())
        blocks = zip(self.pairings, keys, parts, strict=True)
        return jnp.concatenate([draw_near(pairing, k, part) for pairing, k, part in blocks])

    @property
    def satisfies(self) -> frozenset[Assumption]:
        """Positives; a law of one block is not the law of all."""
        return frozenset({PAIRED})


class Unpaired(AbstractPairing):
    """No positives: what a learner gets is labels, or nothing.

    Example:
        >>> Unpaired().sample(jax.random.key(0), jnp.zeros(3)) is None
        True
    """

    def sample(self, key: PRNGKeyArray, z: Float[Array, " d"]) -> Float[Array, " d"] | None:
        """None."""
        return None

    @property
    def satisfies(self) -> frozenset[Assumption]:
        """Nothing."""
        return frozenset()


def draw_near(
    pairing: AbstractPairing, key: PRNGKeyArray, z: Float[Array, " d"]
) -> Float[Array, " d"]:
    """One draw of a pairing that must have one."""
    near = pairing.sample(key, z)
    if near is None:
        raise BadInput(
            f"{type(pairing).__name__} draws no positive, and a law around a point is "
            f"needed here: give a pairing such as VonMisesFisher(kappa, d)"
        )
    return near


def factor(covariance: ArrayLike) -> Float[Array, "k k"]:
    """The Cholesky factor, worked out in float64."""
    matrix = np.asarray(covariance, dtype=float)
    try:
        return jnp.asarray(np.linalg.cholesky(matrix), float)
    except np.linalg.LinAlgError as error:
        raise BadInput(
            f"a covariance of shape {matrix.shape} is not positive definite; give a symmetric "
            f"one with eigenvalues above 0"
        ) from error


def _law_of(noise: AbstractNoise) -> frozenset[Assumption]:
    return frozenset() if noise.power is None else frozenset({l_alpha(noise.power)})
