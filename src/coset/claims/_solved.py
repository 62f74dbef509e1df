"""Cells where nothing is trained by steps: what a solver finds, seed by seed."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
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


class BySeed(ABC):
    """A cell whose seeds are answered one after another, too fast to need checkpoints."""

    @abstractmethod
    def answers(self, seed: int) -> Mapping[str, Answer]:
        """Of one seed, by metric."""

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
            found.append(self.answers(seed))
            if progress:
                progress(done + 1, len(seeds))
        return Run(
            cell=cell_fingerprint(self, seeds),
            seeds=tuple(seeds),
            scores={name: _scores([one[name] for one in found]) for name in found[0]},
            diverged=(False,) * len(seeds),
            seconds=time.perf_counter() - began,
        )


@dataclass(frozen=True)
class Solved(BySeed):
    """What a function of the seed answers, by metric.

    Args:
        solve: seed → metric → answer; data and starts are drawn from the seed.
    """

    solve: Callable[[int], Mapping[str, Answer]]

    def answers(self, seed: int) -> Mapping[str, Answer]:
        """Of one seed, by metric."""
        return self.solve(seed)


def _scores(answers: Sequence[Answer]) -> Scores:
    return Scores(
        trained=tuple(answer.score for answer in answers),
        untrained=tuple(a.untrained for a in answers if a.untrained is not None),
        raw=tuple(a.raw for a in answers if a.raw is not None),
    )
