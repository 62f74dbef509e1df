"""Positives that deviate more in some directions than in others."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Bool, Float, PRNGKeyArray

from .._assumptions import ANISOTROPIC, PAIRED
from .._core import Assumption, BadInput, Floats
from ._normal import standard_normal
from ._pairing import AbstractPairing

SHELL = 0.1
"""A noisy latent is kept where its length is within this of 1."""
OUTER = (1 + SHELL) ** 2
CANDIDATES = 4
"""Proposals in one turn of the loop: fewer turns, and the keys of a turn cost less."""
TILTS = np.linspace(0.0, 12.0, 13)


class Anisotropic(AbstractPairing):
    """z̃ = w / |w| with w ~ N(z, diag(precision)⁻¹) given that | |w| - 1 | < 0.1.

    Noise makes w too long more often than not, so proposals follow exp(-tilt |w|² / 2) times
    that normal law, itself normal, and a further chance of exp(tilt (|w|² - 1.1²) / 2) of being
    kept takes the tilt out again: the law is the same, with about 1.7 times fewer proposals.

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
    tilt: Float[Array, ""]

    def __init__(self, precision: ArrayLike) -> None:
        given = np.asarray(precision, dtype=float)
        if given.ndim != 1 or not (given > 0).all():
            raise BadInput(f"precision={precision}; one number above 0 for each latent is needed")
        self.precision = jnp.asarray(given, float)
        self.tilt = jnp.asarray(_best_tilt(given), float)

    def sample(self, key: PRNGKeyArray, z: Float[Array, " d"]) -> Float[Array, " d"]:
        """One draw around z."""
        tilted = self.precision + self.tilt
        centre, spread = self.precision * z / tilted, jax.lax.rsqrt(tilted)

        def propose(key: PRNGKeyArray) -> tuple[PRNGKeyArray, Array, Array]:
            key, k_where, k_keep = jax.random.split(key, 3)
            w = centre + spread * standard_normal(k_where, (CANDIDATES, z.shape[0]))
            size = jnp.sum(w**2, axis=1)
            keep = _in_shell(size) & (
                jnp.log(jax.random.uniform(k_keep, (CANDIDATES,))) < self.tilt * (size - OUTER) / 2
            )
            return key, w[jnp.argmax(keep)], keep.any()

        def refused(state: tuple[PRNGKeyArray, Array, Array]) -> Bool[Array, ""]:
            return ~state[2]

        _, w, _ = jax.lax.while_loop(refused, lambda state: propose(state[0]), propose(key))
        return w / jnp.linalg.norm(w)

    @property
    def satisfies(self) -> frozenset[Assumption]:
        """Positives, and their law."""
        return frozenset({PAIRED, ANISOTROPIC})


def _in_shell(size: Array) -> Array:
    return (size > (1 - SHELL) ** 2) & (size < OUTER)


def _best_tilt(precision: Floats) -> float:
    """The tilt that keeps most of 2000 proposals; whichever it is, the law is the same."""
    rng = np.random.default_rng(0)
    z, noise = rng.normal(size=(2, 2000, len(precision)))
    z /= np.linalg.norm(z, axis=1, keepdims=True)

    def kept(tilt: float) -> float:
        tilted = precision + tilt
        size = ((precision / tilted * z + noise / np.sqrt(tilted)) ** 2).sum(axis=1)
        chance = np.where(_in_shell(size), np.exp(tilt * (size - OUTER) / 2), 0.0)
        return float(chance.mean())

    return float(max(TILTS, key=kept))
