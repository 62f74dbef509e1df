"""Cells where nothing is trained by steps: what a solver finds, seed by seed."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .._claim import Progress, Run, Scores
from .._run import cell_fingerprint


@dataclass(frozen=True)
class Answer:
    """One score of one seed, and what needs no solver reaches."""

    score: float
    untrained: float | None = None
    """Of parameters drawn at random."""
    raw: float | None = None
    """Of the observation itself."""


@dataclass(frozen=True)
class Solved:
    """What a function of the seed answers, by metric.

    Args:
        solve: seed → metric → answer; data and starts are drawn from the seed.
    """

    solve: Callable[[int], Mapping[str, Answer]]

    def run(
        self,
        seeds: Sequence[int],
        *,
        folder: Path | None = None,
        progress: Progress | None = None,
    ) -> Run:
        """The record of these seeds; too short to need checkpoints."""
        began = time.perf_counter()
        found = []
        for done, seed in enumerate(seeds):
            found.append(self.solve(seed))
            if progress:
                progress(done + 1, len(seeds))
        return Run(
            cell=cell_fingerprint(self, seeds),
            seeds=tuple(seeds),
            scores={name: _scores([one[name] for one in found]) for name in found[0]},
            diverged=(False,) * len(seeds),
            seconds=time.perf_counter() - began,
        )


def _scores(answers: Sequence[Answer]) -> Scores:
    return Scores(
        trained=tuple(answer.score for answer in answers),
        untrained=tuple(a.untrained for a in answers if a.untrained is not None),
        raw=tuple(a.raw for a in answers if a.raw is not None),
    )
