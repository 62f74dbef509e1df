"""Latents whose law is another in each segment."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Float, PRNGKeyArray

from .._assumptions import (
    CONDITIONALLY_INDEPENDENT,
    EXPONENTIAL_FAMILY,
    LABELLED,
    MODULATED,
    VARIABLE,
)
from .._core import Assumption, BadInput, Floats
from ._latents import AbstractLatents, Labelled
from ._noises import AbstractNoise
from ._space import AbstractSpace
from ._spaces import Unbounded

SMALLEST = 1e-4
"""Singular values below this share of the largest count as zero."""


class Segments(AbstractLatents):
    """A segment u is drawn uniformly; z_i = means[u, i] + scales[u, i] · noise_i.

    A law that goes with |noise|^p has, without means, one statistic |z_i|^p with the weight
    -scales[u, i]^-p; a normal one with means has z_i and z_i², with weights means / scales² and
    -1 / (2 scales²). Labels modulate where the weights, less those of the first segment, have as
    many independent columns as there are statistics.

    Args:
        scales: (segments, d), above 0.
        noise: law of each coordinate in a segment of scale 1.
        means: (segments, d), 0 where it is left out.

    Example:
        >>> from coset.worlds import Laplace
        >>> latents = Segments([[1.0, 1.0], [1e-3, 1e-3]], Laplace(1.0))
        >>> z, label = latents.sample(jax.random.key(0))
        >>> bool(jnp.abs(z).max() < 0.1) == bool(label == 1)
        True

    References:
        hyvarinen2016, khemakhem2020
    """

    space: AbstractSpace
    scales: Float[Array, "segments d"]
    means: Float[Array, "segments d"]
    noise: AbstractNoise

    def __init__(
        self, scales: ArrayLike, noise: AbstractNoise, means: ArrayLike | None = None
    ) -> None:
        self.scales = jnp.asarray(scales, float)
        if self.scales.ndim != 2 or not self.scales.size or not bool((self.scales > 0).all()):
            raise BadInput(
                f"scales of shape {self.scales.shape}, the least {np.min(scales, initial=np.inf)}; "
                f"(segments, d) is needed, all above 0"
            )
        self.means = jnp.broadcast_to(
            jnp.zeros(()) if means is None else jnp.asarray(means, float), self.scales.shape
        )
        self.noise = noise
        self.space = Unbounded(self.scales.shape[1])

    def sample(self, key: PRNGKeyArray) -> Labelled:
        """One latent and its segment."""
        k_which, k_what = jax.random.split(key)
        label = jax.random.randint(k_which, (), 0, self.scales.shape[0])
        noise = self.noise.sample(k_what, (self.space.dim,))
        return self.means[label] + self.scales[label] * noise, label

    @property
    def satisfies(self) -> frozenset[Assumption]:
        """Independent given the segment; more where the weights of statistics say so."""
        met = {LABELLED, CONDITIONALLY_INDEPENDENT}
        weights = self._weights()
        if weights is not None:
            met.add(EXPONENTIAL_FAMILY)
            differences = weights[..., 1:, :] - weights[..., :1, :]
            sizes = np.linalg.norm(differences, axis=-2, keepdims=True)
            directions = differences / np.where(sizes > 0, sizes, 1.0)
            ranks = np.linalg.matrix_rank(directions, rtol=SMALLEST)
            if (ranks == weights.shape[-1]).all():
                met |= {MODULATED, VARIABLE} if self._shifted() else {MODULATED}
        return self.space.satisfies | met

    def _shifted(self) -> bool:
        return bool(np.any(np.asarray(self.means) != 0))

    def _weights(self) -> Floats | None:
        """Of the statistics in each segment; None where there are none of a fixed form."""
        power = self.noise.power
        scales, means = np.asarray(self.scales, float), np.asarray(self.means, float)
        if power is None or (self._shifted() and power != 2):
            return None
        if not self._shifted():
            return scales**-power
        return np.concatenate([means / scales**2, -0.5 * scales**-2], axis=-1)
