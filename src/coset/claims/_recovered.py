"""Codes that a rule makes of observations, without training: counter-examples and inverses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from .._core import Floats
from .._lab import AbstractWorld
from .._run import Measure, View
from ..metrics import cka
from ._solved import Answer, BySeed

Rule = Callable[[Any, Floats], Floats]
"""World and observations (n, ...) → codes (n, k); a counter-example may look at the world."""


@dataclass(frozen=True)
class Dependence:
    """Largest alignment of Gaussian kernels of a code with all codes before it: debiased, so that
    independent codes score 0 on average.

    Args:
        rows: of which all pairs are compared.
    """

    rows: int = 1500
    name: str = "dependence"

    def __call__(self, view: View) -> float:
        """The score of one seed."""
        codes = view.codes[: self.rows]
        columns = range(1, codes.shape[1])
        return max(cka(codes[:, k : k + 1], codes[:, :k], kernel="rbf").value for k in columns)


@dataclass(frozen=True)
class Recovered(BySeed):
    """What a rule makes of a world's observations, scored against its latents.

    Args:
        world: seed → world.
        rule: observations → codes.
        measures: of them.
        floors: measures that the observation itself is shown for.
        rows: drawn for each seed.
    """

    world: Callable[[int], AbstractWorld]
    rule: Rule
    measures: tuple[Measure, ...]
    floors: tuple[str, ...] = ("dependence",)
    rows: int = 4096

    def answers(self, seed: int) -> Mapping[str, Answer]:
        """Of the codes, and of the observation where it is a floor."""
        world = self.world(seed)
        drawn = world.sample(jax.random.key(seed), self.rows)
        latent, x = (np.asarray(part, dtype=float) for part in (drawn.latent, drawn.batch.x))
        made = View(latent, self.rule(world, x), world)
        raw = View(latent, x, world)
        return {
            measure.name: Answer(
                measure(made), raw=measure(raw) if measure.name in self.floors else None
            )
            for measure in self.measures
        }
