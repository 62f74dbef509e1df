"""Latents whose variances follow a state that nobody names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from .._core import Floats
from ..metrics import mcc
from ..solvers import diagonalise, fit_hidden_markov
from ..worlds import Regimes
from ._solved import Answer, BySeed


@dataclass(frozen=True)
class HiddenEnvironments(BySeed):
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

    def answers(self, seed: int) -> Mapping[str, Answer]:
        """Of one seed, by metric."""
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
        hidden, labelled, white, raw = (float(mcc(wanted, later @ one.T)) for one in maps)
        return {
            "mcc_pearson": Answer(hidden, white, raw),
            "mcc_labelled": Answer(labelled, white, raw),
            "unlike": Answer(labelled - hidden),
        }
