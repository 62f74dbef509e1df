"""Controls of a linear system recovered from its trajectories, by one learner or another."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.stats import ortho_group

from .._claim import Progress, Run, Scores
from .._core import Floats
from .._run import cell_fingerprint
from ..metrics import mcc
from ..solvers import IdentifiedSystem, NoisySystem
from ..worlds import LinearSystem, Trajectories

BATCH = 64
"""Rows that the publication scores at a time, of those that were trained on."""
BATCHES = 100
LAGS = 5
"""Markov parameters that are compared."""


@dataclass(frozen=True, eq=False)
class Seen:
    """What a learner gets of a system."""

    observations: Floats
    """(environments, steps + 1, d)."""
    means: Floats
    """(environments, k), of the controls: for learners that are told their laws."""
    variances: Floats


class Learned(Protocol):
    """What a learner hands back."""

    def controls(self, trajectories: Floats) -> Floats:
        """(environments, steps, k), from observations (environments, steps + 1, d)."""
        ...


Learner = Callable[[Sequence[Seen], Sequence[int]], Sequence[Learned]]
"""All seeds at once, and the seeds."""


@dataclass(frozen=True)
class Systems:
    """Learn from the first half of trajectories; score the controls of the second half.

    Scores: `mcc_pearson`, held out and pooled over environments, beside a random orthogonal map of
    (y_t, y_{t+1}) and those observations; `mcc_batches`, the mean over batches of 64 rows that were
    learned from, as published; and of learners that identify the system `markov`, the relative
    error of C Aᵏ B, k < 5, after the best matching and scaling of the controls, and `spectrum`, the
    largest error of an eigenvalue of A. Where observations have noise, `short_of_told`: by how much
    the first falls short of a smoother that knows the system.

    Args:
        system: generator → system.
        learner: what recovers controls.
        steps: of each half, in every environment.
    """

    system: Callable[[np.random.Generator], LinearSystem]
    learner: Learner
    steps: int = 12_000

    def run(
        self,
        seeds: Sequence[int],
        *,
        folder: Path | None = None,
        progress: Progress | None = None,
    ) -> Run:
        """The record of these seeds; too short to need checkpoints."""
        began = time.perf_counter()
        truths = [self.system(np.random.default_rng([seed, 0])) for seed in seeds]
        drawn = [
            truth.simulate(np.random.default_rng([seed, 1]), 2 * self.steps)
            for truth, seed in zip(truths, seeds, strict=True)
        ]
        seen = [
            Seen(one.observations[:, : self.steps + 1], truth.means, truth.variances)
            for one, truth in zip(drawn, truths, strict=True)
        ]
        learned = self.learner(seen, seeds)
        found: dict[str, list[tuple[float, ...]]] = {}
        for seed, truth, trajectory, one in zip(seeds, truths, drawn, learned, strict=True):
            scores = self._observed(seed, truth, trajectory, one)
            if isinstance(system := getattr(one, "system", None), IdentifiedSystem):
                scores |= identified(truth, system)
            for name, values in scores.items():
                found.setdefault(name, []).append(values)
            if progress:
                progress(len(found["mcc_pearson"]), len(seeds))
        systems = [getattr(one, "system", None) for one in learned]
        return Run(
            cell=cell_fingerprint(self, seeds),
            seeds=tuple(seeds),
            scores={name: Scores(*zip(*values, strict=True)) for name, values in found.items()},
            diverged=(False,) * len(seeds),
            seconds=time.perf_counter() - began,
            notes=tuple(
                f"seed {seed}: largest standard error of a leak {system.errors.max():.4f}"
                for seed, system in zip(seeds, systems, strict=True)
                if system is not None
            ),
        )

    def _observed(
        self, seed: int, truth: LinearSystem, trajectory: Trajectories, learned: Learned
    ) -> dict[str, tuple[float, ...]]:
        """Scores of codes: learned, of a random map, of the observations."""
        earlier = trajectory.observations[:, : self.steps + 1]
        later = trajectory.observations[:, self.steps :]
        known, wanted = trajectory.controls[:, : self.steps], trajectory.controls[:, self.steps :]
        rng = np.random.default_rng([seed, 2])
        random = RandomMap.of(rng, later.shape[2], wanted.shape[2])
        maps = (learned.controls, random.controls, pair)
        found = {
            "mcc_pearson": tuple(pooled_mcc(wanted, view(later)) for view in maps),
            "mcc_batches": tuple(batch_mcc(known, view(earlier), rng) for view in maps),
        }
        if truth.noise:
            best = pooled_mcc(wanted, told(truth).controls(later))
            found["short_of_told"] = tuple(best - score for score in found["mcc_pearson"])
        return found


def identified(truth: LinearSystem, system: IdentifiedSystem) -> dict[str, tuple[float, ...]]:
    """Errors of what the observations determine, and of the same without environments."""
    errors = (markov_error(truth, one) for one in (system, whitened(system)))
    return {"markov": tuple(errors), "spectrum": (spectrum_error(truth, system),)}


def told(truth: LinearSystem) -> NoisySystem:
    """The smoother that knows the system."""
    mixing = truth.output @ truth.input
    back = np.asarray(np.linalg.inv(mixing), dtype=np.float64)
    return NoisySystem(
        IdentifiedSystem(
            truth.output @ truth.transition @ np.linalg.inv(truth.output), mixing,
            back, np.arange(len(truth.means), dtype=float), truth.means,
            truth.variances, np.zeros_like(mixing), 0,
        ),
        np.full(len(mixing), truth.noise), 0, converged=True,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class RandomMap:
    """Orthonormal rows, drawn at random, of a pair of observations."""

    rows: Floats

    @classmethod
    def of(cls, rng: np.random.Generator, d: int, k: int) -> RandomMap:
        """For `d` observed columns and `k` controls."""
        return cls(ortho_group.rvs(2 * d, random_state=rng)[:k])

    def controls(self, trajectories: Floats) -> Floats:
        """(environments, steps, k)."""
        return pair(trajectories) @ self.rows.T


def pair(trajectories: Floats) -> Floats:
    """(environments, steps, 2 d): y_t and y_{t+1}."""
    return np.concatenate([trajectories[:, :-1], trajectories[:, 1:]], axis=2)


def pooled_mcc(wanted: Floats, found: Floats) -> float:
    """Of all environments together; 0 where codes are lost."""
    flat = found.reshape(-1, found.shape[2])
    if not np.isfinite(flat).all() or not np.ptp(flat, axis=0).all():
        return 0.0
    return float(mcc(wanted.reshape(-1, wanted.shape[2]), flat))


def batch_mcc(wanted: Floats, found: Floats, rng: np.random.Generator) -> float:
    """Mean over some batches of rows from all environments."""
    rows, codes = (part.reshape(-1, part.shape[2]) for part in (wanted, found))
    chosen = rng.choice(len(rows), (BATCHES, BATCH))
    return float(np.mean([pooled_mcc(rows[None, i], codes[None, i]) for i in chosen]))


def markov_error(truth: LinearSystem, found: IdentifiedSystem) -> float:
    """‖found D - true‖ / ‖true‖ of the first Markov parameters, D the best scaled permutation."""
    wanted = truth.markov(LAGS).reshape(-1, truth.means.shape[1])
    given = found.markov(LAGS).reshape(len(wanted), -1)
    sizes = np.linalg.norm(wanted, axis=0), np.linalg.norm(given, axis=0)
    alike = wanted.T @ given / np.outer(*sizes)
    rows, columns = linear_sum_assignment(-np.abs(alike))
    scales = alike[rows, columns] * sizes[0][rows] / sizes[1][columns]
    return float(
        np.linalg.norm(given[:, columns] * scales - wanted[:, rows]) / np.linalg.norm(wanted)
    )


def spectrum_error(truth: LinearSystem, found: IdentifiedSystem) -> float:
    """Largest distance of matched eigenvalues of A, which no change of basis moves."""
    wanted, given = (np.linalg.eigvals(one.transition) for one in (truth, found))
    apart = np.abs(wanted[:, None] - given)
    return float(apart[linear_sum_assignment(apart)].max())


def whitened(found: IdentifiedSystem) -> IdentifiedSystem:
    """The same with a mixing from one pooled covariance: what no environment tells apart."""
    left, sizes, _ = np.linalg.svd(found.mixing, full_matrices=False)
    return IdentifiedSystem(
        found.transition, left * sizes, (left / sizes).T, found.labels, found.means,
        found.variances, found.errors, found.sweeps,
    )  # fmt: skip
