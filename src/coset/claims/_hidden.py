"""Latents whose variances follow a state that nobody names."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .._claim import Progress, Run, Scores
from .._core import Floats
from .._run import cell_fingerprint
from ..metrics import mcc
from ..solvers import diagonalise, fit_hidden_markov
from ..worlds import Regimes


@dataclass(frozen=True)
class HiddenEnvironments:
    """Unmix sequences without their states; score held-out latents.

    Scores: `mcc_pearson`, beside one whitening of all rows, which no state enters (untrained), and
    the observations; `mcc_labelled`, where the states are given; and `unlike`, by how much the
    first falls short of the second.

    Args:
        regimes: generator → what draws.
        sequences: as many to fit, and to score.
        steps: of each.
    """

    regimes: Callable[[np.random.Generator], Regimes]
    sequences: int = 50
    steps: int = 200

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
            found.append(self._scores(seed))
            if progress:
                progress(done + 1, len(seeds))
        hidden, labelled, white, raw = zip(*found, strict=True)
        return Run(
            cell=cell_fingerprint(self, seeds),
            seeds=tuple(seeds),
            scores={
                "mcc_pearson": Scores(hidden, white, raw),
                "mcc_labelled": Scores(labelled, white, raw),
                "unlike": Scores(tuple(np.subtract(labelled, hidden).tolist())),
            },
            diverged=(False,) * len(seeds),
            seconds=time.perf_counter() - began,
        )

    def _scores(self, seed: int) -> tuple[float, float, float, float]:
        regimes = self.regimes(np.random.default_rng([seed, 0]))
        drawn = regimes.sample(np.random.default_rng([seed, 1]), 2 * self.sequences, self.steps)
        rows, states = drawn.observations[: self.sequences], drawn.states[: self.sequences]
        count = len(regimes.variances)
        model = fit_hidden_markov(rows, count, shared=regimes.stay == 1, seed=seed)
        weights = model.states(rows).sum((0, 1))
        flat, labels = rows.reshape(-1, rows.shape[2]), states.ravel()
        named = np.stack([np.cov(flat[labels == one].T) for one in np.unique(labels)])
        maps = (
            diagonalise(model.covariances, weights).unmixing,
            diagonalise(named, np.unique(labels, return_counts=True)[1]).unmixing,
            diagonalise(np.cov(flat.T)[None]).unmixing,
            np.eye(rows.shape[2]),
        )
        later = drawn.observations[self.sequences :].reshape(flat.shape)
        wanted: Floats = drawn.latents[self.sequences :].reshape(flat.shape)
        first, second, third, last = (float(mcc(wanted, later @ one.T)) for one in maps)
        return first, second, third, last
