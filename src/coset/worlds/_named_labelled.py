"""Worlds whose latents have labels instead of positives."""

from __future__ import annotations

import numpy as np

from .._core import BadInput, Floats
from ._latents import Clusters
from ._leaky import LeakyMlp
from ._mixing import AbstractMixing
from ._noises import Laplace, Normal
from ._pairing import AbstractPairing
from ._pairings import Projected, VonMisesFisher
from ._pairings_of_blocks import Unpaired
from ._world import World

LAWS = ("vmf", "laplace", "normal")


def clusters(
    seed: int,
    *,
    d: int = 5,
    classes: int = 100,
    kappa: float = 10.0,
    instances: int | None = None,
    law: str = "vmf",
    scale: float = 1.0,
    layers: int = 4,
    mixing: AbstractMixing | None = None,
) -> World:
    """Latents on a sphere gather around the centre of their label.

    Args:
        seed: of the centres, which are uniform on the sphere, and of the mixing.
        d: latents.
        classes: number of centres.
        kappa: concentration around a centre, under "vmf".
        instances: number of labels, dealt to the centres in turn; as many as centres if left out.
        law: "vmf", or noise that is projected back: "laplace", "normal".
        scale: of that noise, in each coordinate.
        layers: of the mixing.
        mixing: in place of the leaky network.

    Example:
        >>> import jax
        >>> draw = clusters(0, classes=10).sample(jax.random.key(0), 4)
        >>> draw.batch.auxiliary.shape, draw.batch.positive is None
        ((4,), True)

    References:
        reizinger2024_cross_entropy
    """
    return World(
        Clusters(_directions(seed, classes, d), _around(law, kappa, scale, d), instances),
        Unpaired(),
        LeakyMlp(seed, d, layers) if mixing is None else mixing,
    )


def _around(law: str, kappa: float, scale: float, d: int) -> AbstractPairing:
    if law == "vmf":
        return VonMisesFisher(kappa, d)
    if law not in LAWS:
        raise BadInput(f"law={law!r}; clusters follow one of {', '.join(LAWS)}")
    return Projected(Laplace(scale) if law == "laplace" else Normal(scale))


def _directions(seed: int, count: int, d: int) -> Floats:
    drawn = np.random.default_rng([seed, 3]).normal(size=(count, d))
    found: Floats = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return found
