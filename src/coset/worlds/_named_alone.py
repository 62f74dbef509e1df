"""Worlds without positives, labels or times: nothing but independent latents and how they look."""

from __future__ import annotations

from ._conformal import Inversion
from ._latents import AbstractLatents, Noisy, Uniform
from ._linear import Composed, Linear, sheared
from ._mixing import AbstractMixing
from ._noises import Normal
from ._pairings_of_blocks import Unpaired
from ._smooth import SmoothMlp
from ._spaces import Box, Unbounded
from ._world import World


def conformal(
    seed: int,
    *,
    d: int = 3,
    contrast: float = 0.0,
    marginal: AbstractLatents | None = None,
    mixing: AbstractMixing | None = None,
) -> World:
    """Uniform latents in a box around 0, seen through a Möbius transformation and a shear.

    Without the shear, the columns of the mixing's Jacobian are orthogonal everywhere.

    Args:
        seed: of the mixing.
        d: latents.
        contrast: of the shear L: Σ_k log|L_:k| - log|det L|, 0 for none.
        marginal: in place of the uniform law on [-1/2, 1/2]^d.
        mixing: in place of the transformation.

    Example:
        >>> sorted(assumption.name for assumption in conformal(0).satisfies)
        ['convex-body', 'injective-mixing', 'orthogonal-columns', 'uniform-marginal']

    References:
        reizinger2022
    """
    return World(
        Uniform(Box(d, -0.5, 0.5)) if marginal is None else marginal,
        Unpaired(),
        _seen(seed, d, contrast) if mixing is None else mixing,
    )


def smooth(
    seed: int,
    *,
    d: int = 3,
    layers: int = 3,
    triangular: bool = False,
    marginal: AbstractLatents | None = None,
    mixing: AbstractMixing | None = None,
) -> World:
    """Standard normal latents, seen through a smooth network of orthogonal matrices.

    Args:
        seed: of the mixing.
        d: latents.
        layers: of the mixing.
        triangular: triangular matrices in place of orthogonal ones.
        marginal: in place of the normal law.
        mixing: in place of the network.

    Example:
        >>> sorted(assumption.name for assumption in smooth(0).satisfies)
        ['injective-mixing', 'unbounded']

    References:
        reizinger2022
    """
    return World(
        Noisy(Unbounded(d), Normal(1.0)) if marginal is None else marginal,
        Unpaired(),
        SmoothMlp(seed, d, layers, triangular=triangular) if mixing is None else mixing,
    )


def _seen(seed: int, d: int, contrast: float) -> AbstractMixing:
    inversion = Inversion(seed, d)
    return Composed(inversion, Linear(sheared(seed, d, contrast))) if contrast else inversion
