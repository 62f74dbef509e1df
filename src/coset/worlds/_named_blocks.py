"""Worlds whose latents come in blocks, some kept and some changed by a positive."""

from __future__ import annotations

import numpy as np

from .._core import Floats
from ._changes import FewChanges
from ._latents import ContentStyle, Noisy, Uniform
from ._leaky import LeakyMlp
from ._mixing import AbstractMixing
from ._noises import Normal
from ._pairings import Truncated, VonMisesFisher
from ._pairings_of_blocks import Blockwise, Resampled, StyleChange
from ._products import Product, Torus
from ._spaces import Box, Sphere, Unbounded
from ._world import World


def content_style(
    seed: int,
    *,
    n_content: int = 5,
    n_style: int = 5,
    change: float = 1.0,
    statistical: bool = False,
    causal: bool = False,
    layers: int = 3,
    mixing: AbstractMixing | None = None,
) -> World:
    """Normal latents: content that positives keep, style that they change.

    Content, style and change have a covariance each; the published code uses that of style for
    both blocks, against its paper.

    Args:
        seed: of the mixing, of covariances and of the causal effect.
        n_content: latents that are kept.
        n_style: latents that may change.
        change: probability that a style latent changes.
        statistical: covariances from a Wishart law instead of the identity.
        causal: style depends on content, by a random affine map.
        layers: of the mixing.
        mixing: in place of the leaky network.

    Example:
        >>> import jax
        >>> draw = content_style(0).sample(jax.random.key(0), 4)
        >>> (draw.latent == draw.positive)[0].tolist() == [True] * 5 + [False] * 5
        True

    References:
        vonkuegelgen2021
    """
    shapes = np.random.default_rng([seed, 1])
    of_content, of_style, of_change = (
        _wishart(shapes, size) if statistical else np.eye(size)
        for size in (n_content, n_style, n_style)
    )
    effects = np.random.default_rng([seed, 2])
    effect = (effects.normal(size=n_style), effects.normal(size=(n_style, n_content)))
    return World(
        ContentStyle(n_content, n_style, of_content, of_style, effect if causal else None),
        StyleChange(n_content, of_change, change),
        LeakyMlp(seed, n_content + n_style, layers) if mixing is None else mixing,
        negatives=True,
    )


def resampled(
    seed: int,
    *,
    d: int = 10,
    changes: int = 5,
    layers: int = 3,
    mixing: AbstractMixing | None = None,
) -> World:
    """Uniform latents in a unit box, some of which a positive draws anew.

    Args:
        seed: of the mixing.
        d: latents.
        changes: how many are drawn anew, the last ones.
        layers: of the mixing.
        mixing: in place of the leaky network.

    Example:
        >>> import jax
        >>> draw = resampled(0, d=4, changes=1).sample(jax.random.key(0), 2)
        >>> (draw.latent == draw.positive)[0].tolist()
        [True, True, True, False]

    References:
        vonkuegelgen2021
    """
    return World(
        Uniform(Box(d)),
        Resampled(range(d - changes, d), Box(changes)),
        LeakyMlp(seed, d, layers) if mixing is None else mixing,
    )


def few_changes(
    seed: int,
    *,
    d: int = 5,
    changes: int = 1,
    layers: int = 3,
    mixing: AbstractMixing | None = None,
) -> World:
    """Standard normal latents, a few of which a positive draws anew: others in each pair.

    Args:
        seed: of the mixing.
        d: latents.
        changes: how many are drawn anew.
        layers: of the mixing.
        mixing: in place of the leaky network.

    Example:
        >>> import jax
        >>> draw = few_changes(0, d=4).sample(jax.random.key(0), 3)
        >>> (draw.latent == draw.positive).sum(axis=1).tolist()
        [3, 3, 3]

    References:
        locatello2020
    """
    return World(
        Noisy(Unbounded(d), Normal(1.0)),
        FewChanges(d, changes, Normal(1.0)),
        LeakyMlp(seed, d, layers) if mixing is None else mixing,
    )


def torus(
    seed: int,
    *,
    d: int = 5,
    kappa: float = 10.0,
    layers: int = 3,
    mixing: AbstractMixing | None = None,
) -> World:
    """Uniform angles, von Mises positives on each circle.

    Args:
        seed: of the mixing.
        d: angles; observed columns are twice as many.
        kappa: concentration of positives.
        layers: of the mixing.
        mixing: in place of the leaky network.

    Example:
        >>> import jax
        >>> torus(0, d=2).sample(jax.random.key(0), 3).batch.x.shape
        (3, 4)
    """
    return World(
        Uniform(Torus(d)),
        Blockwise([VonMisesFisher(kappa, 2)] * d, [2] * d),
        LeakyMlp(seed, 2 * d, layers) if mixing is None else mixing,
    )


def product(
    seed: int,
    *,
    d_box: int = 3,
    d_sphere: int = 8,
    scale: float = 0.1,
    kappa: float = 100.0,
    layers: int = 3,
    mixing: AbstractMixing | None = None,
) -> World:
    """Positions in a box and directions on a sphere, like the latents of a rendered scene.

    Args:
        seed: of the mixing.
        d_box: latents in [-1, 1], with normal positives, truncated.
        d_sphere: latents on the sphere, with von Mises-Fisher positives.
        scale: standard deviation of a position's change before truncation.
        kappa: concentration of a direction's change.
        layers: of the mixing.
        mixing: in place of the leaky network.

    Example:
        >>> import jax
        >>> product(0).sample(jax.random.key(0), 3).latent.shape
        (3, 11)

    References:
        zimmermann2021
    """
    return World(
        Uniform(Product([Box(d_box, -1.0, 1.0), Sphere(d_sphere)])),
        Blockwise(
            [Truncated(Normal(scale), -1.0, 1.0), VonMisesFisher(kappa, d_sphere)],
            [d_box, d_sphere],
        ),
        LeakyMlp(seed, d_box + d_sphere, layers) if mixing is None else mixing,
    )


def _wishart(rng: np.random.Generator, size: int) -> Floats:
    """Of as many degrees of freedom as rows, around the identity."""
    root = rng.normal(size=(size, size))
    return root @ root.T
