"""Latents that depend on their own past."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from .._assumptions import AUTOREGRESSIVE, INDEPENDENT, NOT_NORMAL, PAIRED
from .._core import Assumption, BadInput
from ._latents import AbstractLatents, Labelled
from ._noises import AbstractNoise, Laplace, Normal
from ._pairing import AbstractPairing
from ._space import AbstractSpace
from ._spaces import Unbounded
from ._stationary import LaplaceSum


class Autoregressive(AbstractPairing):
    """z̃ = coefficient · z + noise: the positive is the next moment.

    Args:
        coefficient: of the past, not 0 and inside (-1, 1).
        noise: law of what a moment adds to each coordinate, Laplace or normal.

    Example:
        >>> import jax
        >>> drawn = Autoregressive(0.5, Laplace(1e-6)).sample(jax.random.key(0), jnp.ones(2))
        >>> drawn.round(3).tolist()
        [0.5, 0.5]

    References:
        hyvarinen2017
    """

    coefficient: Float[Array, ""]
    noise: AbstractNoise

    def __init__(self, coefficient: float, noise: AbstractNoise) -> None:
        if not 0 < abs(coefficient) < 1:
            raise BadInput(
                f"coefficient={coefficient}; a past that counts and fades needs one inside "
                f"(-1, 1), not 0"
            )
        self.coefficient = jnp.asarray(coefficient, float)
        self.noise = noise

    def sample(self, key: PRNGKeyArray, z: Float[Array, " d"]) -> Float[Array, " d"]:
        """One draw of the next moment."""
        return self.coefficient * z + self.noise.sample(key, z.shape)

    def log_density(self, drawn: Float[Array, " d"], z: Float[Array, " d"]) -> Float[Array, ""]:
        """Normalised."""
        return jnp.sum(self.noise.log_density(drawn - self.coefficient * z))

    @property
    def satisfies(self) -> frozenset[Assumption]:
        """The next moment, and whether its noise is normal."""
        met = {PAIRED, AUTOREGRESSIVE}
        return frozenset(met if isinstance(self.noise, Normal) else met | {NOT_NORMAL})


class Stationary(AbstractLatents):
    """The law that stays the same from moment to moment, coordinates independent.

    Args:
        d: latents.
        process: what moves them on.

    Example:
        >>> import jax
        >>> z, _ = Stationary(3, Autoregressive(0.7, Laplace(1.0))).sample(jax.random.key(0))
        >>> z.shape
        (3,)
    """

    space: AbstractSpace
    law: AbstractNoise

    def __init__(self, d: int, process: Autoregressive) -> None:
        self.space = Unbounded(d)
        coefficient, noise = float(process.coefficient), process.noise
        if isinstance(noise, Laplace):
            self.law = LaplaceSum(coefficient, float(noise.scale))
        elif isinstance(noise, Normal):
            self.law = Normal(float(noise.scale / np.sqrt(1 - coefficient**2)))
        else:
            raise BadInput(
                f"{type(noise).__name__}: the law at rest is known for Laplace and Normal noise; "
                f"give one of them"
            )

    def sample(self, key: PRNGKeyArray) -> Labelled:
        """One latent."""
        return self.law.sample(key, (self.space.dim,)), None

    @property
    def satisfies(self) -> frozenset[Assumption]:
        """The space, and independence."""
        return self.space.satisfies | {INDEPENDENT}
