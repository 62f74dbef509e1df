"""Codes that a rule makes of observations, without training: counter-examples and inverses."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import numpy as np

from .._claim import Progress, Run, Scores
from .._core import Floats
from .._lab import AbstractWorld
from .._run import Measure, View, cell_fingerprint
from ..metrics import cka

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
class Recovered:
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

    def run(
        self,
        seeds: Sequence[int],
        *,
        folder: Path | None = None,
        progress: Progress | None = None,
    ) -> Run:
        """The record of these seeds; too short to need checkpoints."""
        began = time.perf_counter()
        found: list[dict[str, tuple[float, float]]] = []
        for done, seed in enumerate(seeds):
            found.append(self._scores(seed))
            if progress:
                progress(done + 1, len(seeds))
        return Run(
            cell=cell_fingerprint(self, seeds),
            seeds=tuple(seeds),
            scores={
                measure.name: Scores(
                    trained=tuple(one[measure.name][0] for one in found),
                    raw=tuple(one[measure.name][1] for one in found if measure.name in self.floors),
                )
                for measure in self.measures
            },
            diverged=(False,) * len(seeds),
            seconds=time.perf_counter() - began,
        )

    def _scores(self, seed: int) -> dict[str, tuple[float, float]]:
        """Of the codes, and of the observation where it is a floor."""
        world = self.world(seed)
        drawn = world.sample(jax.random.key(seed), self.rows)
        latent, x = (np.asarray(part, dtype=float) for part in (drawn.latent, drawn.batch.x))
        made = View(latent, self.rule(world, x), world)
        raw = View(latent, x, world)
        return {
            measure.name: (measure(made), measure(raw) if measure.name in self.floors else np.nan)
            for measure in self.measures
        }
