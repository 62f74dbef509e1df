"""Worlds with positives around their latents: on spheres, in boxes, without bounds."""

from __future__ import annotations

import numpy as np
from jaxtyping import ArrayLike

from ._anisotropic import Anisotropic
from ._latents import AbstractLatents, Noisy, Uniform
from ._leaky import LeakyMlp
from ._mixing import AbstractMixing
from ._noises import GeneralisedNormal, Normal
from ._pairing import AbstractPairing
from ._pairings import Additive, Truncated, VonMisesFisher
from ._spaces import Box, Sphere, Unbounded
from ._world import World


def sphere(
    seed: int,
    *,
    d: int = 10,
    kappa: float = 10.0,
    layers: int = 3,
    marginal: AbstractLatents | None = None,
    pairing: AbstractPairing | None = None,
    mixing: AbstractMixing | None = None,
) -> World:
    """Uniform latents on a sphere, von Mises-Fisher positives.

    Args:
        seed: of the mixing.
        d: latents.
        kappa: concentration of positives.
        layers: of the mixing.
        marginal: in place of the uniform law.
        pairing: in place of von Mises-Fisher.
        mixing: in place of the leaky network.

    Example:
        >>> sorted(assumption.name for assumption in sphere(0, d=3).satisfies)
        ['injective-mixing', 'paired', 'sphere', 'uniform-marginal', 'vmf-conditional']

    References:
        zimmermann2021
    """
    return World(
        Uniform(Sphere(d)) if marginal is None else marginal,
        VonMisesFisher(kappa, d) if pairing is None else pairing,
        LeakyMlp(seed, d, layers) if mixing is None else mixing,
    )


def box(
    seed: int,
    *,
    d: int = 10,
    alpha: float = 1.0,
    scale: float = 0.05,
    layers: int = 3,
    marginal: AbstractLatents | None = None,
    pairing: AbstractPairing | None = None,
    mixing: AbstractMixing | None = None,
) -> World:
    """Uniform latents in a unit box, positives of density exp(-Σ|z̃ - z|^alpha / scale^alpha).

    Args:
        seed: of the mixing.
        d: latents.
        alpha: 1 is Laplace, 2 normal (of standard deviation scale / √2).
        scale: of the distance to a positive.
        layers: of the mixing.
        marginal: in place of the uniform law.
        pairing: in place of the generalised normal.
        mixing: in place of the leaky network.

    Example:
        >>> "l3-conditional" in {assumption.name for assumption in box(0, d=3, alpha=3).satisfies}
        True

    References:
        zimmermann2021
    """
    return World(
        Uniform(Box(d)) if marginal is None else marginal,
        Truncated(GeneralisedNormal(scale, alpha)) if pairing is None else pairing,
        LeakyMlp(seed, d, layers) if mixing is None else mixing,
    )


def unbounded(
    seed: int,
    *,
    d: int = 10,
    scale: float = 1.0,
    layers: int = 3,
    marginal: AbstractLatents | None = None,
    pairing: AbstractPairing | None = None,
    mixing: AbstractMixing | None = None,
) -> World:
    """Standard normal latents without bounds, normal positives.

    Args:
        seed: of the mixing.
        d: latents.
        scale: standard deviation of the distance to a positive, in each coordinate.
        layers: of the mixing.
        marginal: in place of the normal law.
        pairing: in place of the normal law of positives.
        mixing: in place of the leaky network.

    Example:
        >>> sorted(assumption.name for assumption in unbounded(0, d=3).satisfies)
        ['injective-mixing', 'l2-conditional', 'paired', 'unbounded']

    References:
        zimmermann2021
    """
    return World(
        Noisy(Unbounded(d), Normal(1.0)) if marginal is None else marginal,
        Additive(Normal(scale)) if pairing is None else pairing,
        LeakyMlp(seed, d, layers) if mixing is None else mixing,
    )


def anisotropic(
    seed: int,
    *,
    d: int = 10,
    precision: ArrayLike | None = None,
    layers: int = 3,
    mixing: AbstractMixing | None = None,
) -> World:
    """Uniform latents on a sphere, positives that deviate more in some directions than in others.

    Args:
        seed: of the mixing.
        d: latents.
        precision: (d,) of the deviations, even from 5 to 25 where it is left out.
        layers: of the mixing.
        mixing: in place of the leaky network.

    Example:
        >>> anisotropic(0, d=3).pairing.precision.tolist()
        [5.0, 15.0, 25.0]

    References:
        rusak2024
    """
    chosen = np.linspace(5.0, 25.0, d) if precision is None else precision
    return World(
        Uniform(Sphere(d)),
        Anisotropic(chosen),
        LeakyMlp(seed, d, layers) if mixing is None else mixing,
    )
