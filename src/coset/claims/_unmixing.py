"""What nonlinear ICA is held to: statistics of latents, and linear unmixings of codes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._core import Floats
from .._run import View
from ..metrics import mcc
from ..worlds import Orthogonal, World
from ._measures import linear_r2

STARTS = 4
OF_NORMAL = 0.374567
"""E log cosh of a normal number of variance 1."""


@dataclass(frozen=True)
class StatisticsR2:
    """The statistics |z_i|^power of latents from codes by least squares: held out, their mean."""

    power: float = 1.0
    name: str = "r2_statistics"

    def __call__(self, view: View) -> float:
        """The score of one seed."""
        return linear_r2(view.codes, np.abs(view.latent) ** self.power)


@dataclass(frozen=True)
class MatchedStatistics:
    """Mean |correlation| of |z_i|^power with codes after the best matching.

    Args:
        power: of the statistics.
        unmixed: linear ICA of the codes comes first; it sees no latent.
    """

    power: float = 1.0
    unmixed: bool = True

    @property
    def name(self) -> str:
        """As in tables."""
        return "mcc_unmixed" if self.unmixed else "mcc_statistics"

    def __call__(self, view: View) -> float:
        """The score of one seed."""
        codes = linear_ica(view.codes) if self.unmixed else view.codes
        return float(mcc(np.abs(view.latent) ** self.power, codes))


def linear_ica(x: Floats) -> Floats:
    """Components of FastICA: of a few starts, those that are least normal."""
    from sklearn.decomposition import FastICA

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # codes without independent components do not converge
        found: list[Floats] = [
            FastICA(
                whiten="unit-variance", max_iter=300, tol=1e-3, random_state=start
            ).fit_transform(x)
            for start in range(STARTS)
        ]
    return max(found, key=_negentropy)


def _negentropy(y: Floats) -> float:
    """Sum over components of (E log cosh y - E log cosh ν)², ν normal: what FastICA makes large."""
    return float(np.sum((np.log(np.cosh(y)).mean(0) - OF_NORMAL) ** 2))


def components(world: Any, x: Floats) -> Floats:
    """The rule that takes the mixing to be linear: linear ICA of the observation."""
    return linear_ica(x)


def sizes_of_components(world: Any, x: Floats) -> Floats:
    """The same for statistics |z_i|: absolute components."""
    return np.abs(linear_ica(x))


def observed(world: Any, x: Floats) -> Floats:
    """The observation itself."""
    return x


def turned_sizes(world: Any, x: Floats) -> Floats:
    """Statistics |z_i| of rotated latents x, rotated themselves: what a linear map may leave."""
    turn = np.asarray(world.mixing.rotation, float)
    return np.abs(x @ turn) @ turn.T


def turned(seed: int, *, world: Callable[..., World], d: int) -> World:
    """The world whose mixing is a rotation."""
    return world(seed, d=d, mixing=Orthogonal(seed, d))
