"""Worlds by name: functions of a seed."""

from __future__ import annotations

from collections.abc import Callable

from .._lab import AbstractWorld
from ._latents import AbstractLatents, Uniform
from ._leaky import LeakyMlp
from ._mixing import AbstractMixing
from ._noises import GeneralisedNormal
from ._pairings import (
    AbstractPairing,
    Truncated,
    VonMisesFisher,
)
from ._spaces import Box, Sphere
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


WORLDS: dict[str, Callable[..., AbstractWorld]] = {
    "sphere": sphere,
    "box": box,
}
