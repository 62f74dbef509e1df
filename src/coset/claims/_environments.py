"""Data whose law varies between environments: two variables, and several binary ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._core import BadInput, Floats
from ..solvers import STRUCTURES, Structure

SAMPLES = 2
"""Of each environment."""


@dataclass(frozen=True)
class Pairs:
    """A cause and an effect, or two variables that have nothing to do with each other.

    In an environment the noises of cause and effect are Laplace around parameters of their own,
    uniform on (-spread, spread). The cause is its noise; the effect is a·cause + b·noise, a and b
    whole numbers from 1 to 9; where the mechanism is bent, c (a·cause² + (b - 1)·noise²) is added,
    c alike. Which of the two is the cause is drawn too; in a third of all cases there is none.

    A parameter that does not vary is drawn once and holds in every environment; the noise around
    it stays. The bend is a part of the mechanism: half of the environments have it where the
    mechanism varies, otherwise all of them or none.

    Args:
        cause: does the parameter of the cause vary?
        mechanism: does that of the mechanism?
        spread: of the parameters.

    Example:
        >>> structure, x, y = Pairs().sample(np.random.default_rng(0), 100)
        >>> structure, x.shape
        ('none', (100, 2))

    References:
        guo2023, reizinger2025
    """

    cause: bool = True
    mechanism: bool = True
    spread: float = 1.0

    def sample(
        self, rng: np.random.Generator, environments: int
    ) -> tuple[Structure, Floats, Floats]:
        """The structure and both variables, (environments, samples) each."""
        structure = STRUCTURES[rng.integers(3)]
        cause_is_x = structure == "x -> y" or (structure == "none" and rng.random() < 0.5)
        gain, own, bend = rng.integers(1, 10, 3)
        centres = [
            _per_environment(self.spread * centre, varies=varies)
            for centre, varies in zip(
                rng.uniform(-1, 1, (2, environments)),
                (self.cause, self.mechanism),
                strict=True,
            )
        ]
        bent = _per_environment(rng.random(environments) < 0.5, varies=self.mechanism)
        cause, effect = (centre + rng.laplace(size=(environments, SAMPLES)) for centre in centres)
        if structure != "none":
            added = bend * (gain * cause**2 + (own - 1) * effect**2)
            effect = gain * cause + own * effect + bent * added
        return (structure, cause, effect) if cause_is_x else (structure, effect, cause)


@dataclass(frozen=True)
class Switches:
    """Binary variables on a random graph: each is a coin, or a coin xor all of its causes at once.

    The rates of the coins follow Beta(1, 3), anew in each environment. An edge of a random order of
    variables is there with probability 1/2; graphs that leave a variable alone are drawn again.

    Args:
        d: variables.
        varies: do the rates?

    Example:
        >>> edges, values = Switches().sample(np.random.default_rng(0), 100)
        >>> edges.shape, values.shape
        ((3, 3), (100, 2, 3))

    References:
        guo2023
    """

    d: int = 3
    varies: bool = True

    def __post_init__(self) -> None:
        if self.d < 2:
            raise BadInput(f"d={self.d}; a graph needs at least 2 variables")

    def graph(self, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Edges (d, d): does i cause j?"""
        while True:
            order = rng.permutation(self.d)
            drawn = np.triu(rng.random((self.d, self.d)) < 0.5, 1)
            edges = np.zeros_like(drawn)
            edges[np.ix_(order, order)] = drawn
            if (edges.any(0) | edges.any(1)).all():
                return edges

    def sample(
        self, rng: np.random.Generator, environments: int
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """The edges and all variables, (environments, samples, d)."""
        edges = self.graph(rng)
        rates = rng.beta(1, 3, (environments if self.varies else 1, 1, self.d))
        values = rng.random((environments, SAMPLES, self.d)) < rates
        for i in np.argsort(_depths(edges)):
            if edges[:, i].any():
                values[..., i] ^= values[..., edges[:, i]].all(-1)
        return edges, values


def _depths(edges: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Length of the longest path to each variable."""
    depths = np.zeros(len(edges), dtype=np.int64)
    for _ in range(len(edges)):
        depths = np.where(edges, depths[:, None] + 1, 0).max(0)
    return depths


def _per_environment(drawn: NDArray, *, varies: bool) -> NDArray:
    """As drawn, or the first one everywhere."""
    return (drawn if varies else np.broadcast_to(drawn[:1], drawn.shape))[:, None]
