"""Structures found in data from many environments, against those that the data were drawn from."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from .._claim import Curve, Progress, Run, Scores
from .._core import Floats
from .._run import cell_fingerprint
from ..solvers import STRUCTURES, definetti_graph, definetti_pair, pairwise_lingam
from ._environments import Pairs, Switches

PAIRS = ("accuracy", "orientation", "decided", "accuracy_pooled", "guess", "guess_orientation")
GRAPHS = ("shd", "decided", "guess")


@dataclass(frozen=True)
class PairDiscovery:
    """Finds the structure of two variables, again and again; a seed is a block of repetitions.

    Scores, each by the number of environments (`accuracy_500`): `accuracy`, the share of
    structures found; `orientation`, that among pairs with an edge; `decided`, the share on which
    the tests agree, without the largest p-value; `accuracy_pooled`, of a linear model that sees no
    environments. Untrained is a structure drawn at random.

    Args:
        world: what draws.
        environments: the numbers of them.
        repetitions: of each seed.
        level: of the tests.
    """

    world: Pairs
    environments: tuple[int, ...]
    repetitions: int
    level: float = 0.05

    def run(
        self,
        seeds: Sequence[int],
        *,
        folder: Path | None = None,
        progress: Progress | None = None,
    ) -> Run:
        """The record of these seeds; too short to need checkpoints."""
        began = time.perf_counter()
        found = _blocks(self._once, seeds, self.environments, self.repetitions, progress)
        with_edge = found[..., -1]
        scores, notes = {}, []
        for k, count in enumerate(self.environments):
            mean = {name: found[k, :, :, i].mean(1) for i, name in enumerate(PAIRS)}
            edges = with_edge[k].mean(1)
            for name in ("orientation", "guess_orientation"):
                mean[name] = mean[name] / np.where(edges > 0, edges, np.nan)
            scores[f"accuracy_{count}"] = Scores(_plain(mean["accuracy"]), _plain(mean["guess"]))
            scores[f"orientation_{count}"] = Scores(
                _plain(mean["orientation"]), _plain(mean["guess_orientation"])
            )
            for name in ("decided", "accuracy_pooled"):
                scores[f"{name}_{count}"] = Scores(_plain(mean[name]))
            notes.append(_wilson(count, found[k, :, :, 0]))
        at = tuple(float(count) for count in self.environments)
        curves = tuple(
            Curve(name, "environments", at, tuple(map(_plain, found[..., i].mean(2))))
            for i, name in enumerate(PAIRS)
            if name in ("accuracy", "decided", "accuracy_pooled")
        )
        return Run(
            cell=cell_fingerprint(self, seeds),
            seeds=tuple(seeds),
            scores=scores,
            curves=curves,
            diverged=(False,) * len(seeds),
            seconds=time.perf_counter() - began,
            notes=tuple(notes),
        )

    def _once(self, rng: np.random.Generator, environments: int) -> list[float]:
        """Of one pair: what `PAIRS` names, and whether there is an edge."""
        structure, x, y = self.world.sample(rng, environments)
        guess = STRUCTURES[rng.integers(3)]
        answer = definetti_pair(x, y, level=self.level)
        pooled = pairwise_lingam(x, y, level=self.level)
        edge = structure != "none"
        right, lucky = answer.structure == structure, guess == structure
        return [
            right, right and edge, answer.decided, pooled.structure == structure,
            lucky, lucky and edge, edge,
        ]  # fmt: skip


@dataclass(frozen=True)
class GraphDiscovery:
    """Finds the graph of binary variables, again and again; a seed is a block of repetitions.

    Scores, each by the number of environments (`shd_10000`): `shd`, the number of edges that are
    in one graph only over the number of edges in both; `decided`, the share in which every level
    passes its tests. Untrained is a graph drawn from the law of the true ones.

    Args:
        world: what draws.
        environments: the numbers of them.
        repetitions: of each seed.
        level: of the tests.
    """

    world: Switches
    environments: tuple[int, ...]
    repetitions: int
    level: float = 0.05

    def run(
        self,
        seeds: Sequence[int],
        *,
        folder: Path | None = None,
        progress: Progress | None = None,
    ) -> Run:
        """The record of these seeds; too short to need checkpoints."""
        began = time.perf_counter()
        found = _blocks(self._once, seeds, self.environments, self.repetitions, progress).mean(2)
        scores = {}
        for count, (shd, decided, guess) in zip(
            self.environments, found.transpose(0, 2, 1), strict=True
        ):
            scores[f"shd_{count}"] = Scores(_plain(shd), _plain(guess))
            scores[f"decided_{count}"] = Scores(_plain(decided))
        at = tuple(float(count) for count in self.environments)
        return Run(
            cell=cell_fingerprint(self, seeds),
            seeds=tuple(seeds),
            scores=scores,
            curves=(Curve("shd", "environments", at, tuple(map(_plain, found[..., 0]))),),
            diverged=(False,) * len(seeds),
            seconds=time.perf_counter() - began,
        )

    def _once(self, rng: np.random.Generator, environments: int) -> list[float]:
        """Of one graph: what `GRAPHS` names."""
        edges, values = self.world.sample(rng, environments)
        answer = definetti_graph(values, level=self.level)
        guess = self.world.graph(rng)
        return [_distance(answer.edges, edges), answer.decided, _distance(guess, edges)]


def _blocks(
    once: Callable[[np.random.Generator, int], list[float]],
    seeds: Sequence[int],
    environments: Sequence[int],
    repetitions: int,
    progress: Progress | None,
) -> Floats:
    """(environments, seeds, repetitions, what one repetition says)."""
    found = []
    for done, count in enumerate(environments):
        generators = [np.random.default_rng([seed, count]) for seed in seeds]
        found.append([[once(rng, count) for _ in range(repetitions)] for rng in generators])
        if progress:
            progress(done + 1, len(environments))
    return np.asarray(found, dtype=float)


def _distance(found: NDArray[np.bool_], true: NDArray[np.bool_]) -> float:
    return float((found ^ true).sum() / (found.sum() + true.sum()))


def _wilson(count: int, right: Floats) -> str:
    """Of all repetitions of all seeds."""
    hits = int(right.sum())
    between = binomtest(hits, right.size).proportion_ci(method="wilson")
    return (
        f"{count} environments: {hits} of {right.size} structures, Wilson interval "
        f"{between.low:.2f} to {between.high:.2f}"
    )


def _plain(values: Floats) -> tuple[float, ...]:
    return tuple(float(value) for value in values)
