"""Worlds in time: segments of different laws, and latents that depend on their past."""

from __future__ import annotations

import numpy as np

from .._core import BadInput
from ._autoregressive import Autoregressive, Stationary
from ._leaky import LeakyMlp
from ._mixing import AbstractMixing
from ._noises import AbstractNoise, Laplace, Normal
from ._pairings_of_blocks import Unpaired
from ._segments import Segments
from ._world import World

LAWS = ("laplace", "normal")


def segments(
    seed: int,
    *,
    d: int = 5,
    segments: int = 40,
    law: str = "laplace",
    scales: tuple[float, float] = (0.1, 1.0),
    means: float = 0.0,
    layers: int = 3,
    mixing: AbstractMixing | None = None,
) -> World:
    """Latents whose spread, and mean if wanted, changes from segment to segment.

    Args:
        seed: of the scales and means of the segments, and of the mixing.
        d: latents.
        segments: how many; the label of an observation is its segment.
        law: of a latent within a segment, "laplace" or "normal".
        scales: between which standard deviations are uniform; two equal ones change nothing.
        means: they are uniform from minus this to this.
        layers: of the mixing.
        mixing: in place of the leaky network.

    Example:
        >>> import jax
        >>> draw = segments(0, d=3, segments=8).sample(jax.random.key(0), 4)
        >>> draw.batch.auxiliary.shape, draw.batch.positive is None
        ((4,), True)

    References:
        hyvarinen2016, khemakhem2020
    """
    of_scales, of_means = (np.random.default_rng([seed, part]) for part in (4, 5))
    low, high = scales
    return World(
        Segments(
            of_scales.uniform(low, high, (segments, d)),
            _of_variance_1(law),
            of_means.uniform(-means, means, (segments, d)),
        ),
        Unpaired(),
        LeakyMlp(seed, d, layers) if mixing is None else mixing,
    )


def autoregressive(
    seed: int,
    *,
    d: int = 5,
    coefficient: float = 0.7,
    law: str = "laplace",
    layers: int = 3,
    mixing: AbstractMixing | None = None,
) -> World:
    """Latents of variance 1 that each depend on their past; a positive is the next moment.

    Args:
        seed: of the mixing.
        d: latents.
        coefficient: of the past.
        law: of what a moment adds, "laplace" or "normal".
        layers: of the mixing.
        mixing: in place of the leaky network.

    Example:
        >>> import jax
        >>> draw = autoregressive(0, d=3).sample(jax.random.key(0), 4)
        >>> draw.batch.positive.shape
        (4, 3)

    References:
        hyvarinen2017
    """
    innovation = abs(1 - coefficient**2) ** 0.5 or 1.0  # a coefficient from 1 on is refused below
    process = Autoregressive(coefficient, _of_variance_1(law, innovation))
    return World(
        Stationary(d, process),
        process,
        LeakyMlp(seed, d, layers) if mixing is None else mixing,
    )


def _of_variance_1(law: str, scale: float = 1.0) -> AbstractNoise:
    """Or of variance scale²."""
    if law not in LAWS:
        raise BadInput(f"law={law!r}; worlds in time have one of {', '.join(LAWS)}")
    return Laplace(scale * 0.5**0.5) if law == "laplace" else Normal(scale)
