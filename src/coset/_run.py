"""An encoder trained on a world and scored against its latents → a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import jax
import numpy as np
from jaxtyping import PRNGKeyArray

from ._claim import Curve, Picture, Progress, Run, Scores
from ._core import Assumption, Floats
from ._fingerprint import code_fingerprint, fingerprint
from ._fit import Fitted, codes, draw, fit, readout
from ._lab import AbstractEncoder, AbstractObjective, AbstractWorld, one_of, stacked
from ._recipe import Recipe
from .encoders import Raw

SCORED = 8192
"""Held-out rows that a run is scored on."""
SHOWN = 500
"""Of them in a picture."""


@dataclass(frozen=True, eq=False)
class View:
    """What a measure may look at: held-out latents and codes of one seed.

    What trained them is None on a learning curve, which sees latents and codes alone.
    """

    latent: Floats
    codes: Floats
    world: Any = None
    objective: Any = None
    """As trained (or as initialised, for the untrained encoder); None for the raw observation."""
    encoder: Any = None
    """That of the codes, with the parameters that they are of."""
    batch: Any = None
    """What a learner may see of the held-out rows."""


class Measure(Protocol):
    """A metric by name."""

    @property
    def name(self) -> str:
        """As in tables."""
        ...

    def __call__(self, view: View) -> float:
        """The score of one seed."""
        ...


@dataclass(frozen=True)
class Trial:
    """Train an encoder on a world; score it beside itself untrained, and the raw observation.

    Args:
        world: seed → world.
        encoder: (key, columns of an observation) → encoder.
        objective: key → objective.
        recipe: how it is minimised.
        measures: the first one's curve is kept.
        breaking: assumptions broken on purpose.
        picture: keep some latents and codes of the first seed.
    """

    world: Callable[[int], AbstractWorld]
    encoder: Callable[[PRNGKeyArray, int], AbstractEncoder]
    objective: Callable[[PRNGKeyArray], AbstractObjective]
    recipe: Recipe
    measures: tuple[Measure, ...]
    breaking: frozenset[Assumption] = frozenset()
    picture: bool = True

    def run(
        self,
        seeds: Sequence[int],
        *,
        folder: Path | None = None,
        progress: Progress | None = None,
    ) -> Run:
        """The record of these seeds: worlds, encoders and draws have keys of their own."""
        made = [self._start(seed) for seed in seeds]
        world, encoder, objective = (stacked(members) for members in zip(*made, strict=True))
        keys = jax.numpy.stack([_keys(seed)[2] for seed in seeds])
        fitted = fit(
            world, encoder, objective, self.recipe,
            keys=keys, watch=self._watch, breaking=self.breaking, folder=folder, progress=progress,
        )  # fmt: skip
        held_out = draw(world, jax.numpy.stack([_keys(seed)[3] for seed in seeds]), SCORED)
        latents = np.asarray(held_out.latent, dtype=float)
        x = held_out.batch.x
        found = {
            "trained": (readout(fitted.encoder, fitted.objective), fitted.objective),
            "untrained": (readout(encoder, objective), objective),
            "raw": (Raw(), None),
        }
        views = {
            name: [
                View(z, c, *(one_of(part, k) for part in (world, owner, coder, held_out.batch)))
                for k, (z, c) in enumerate(zip(latents, codes(coder, x), strict=True))
            ]
            for name, (coder, owner) in found.items()
        }
        return Run(
            cell=cell_fingerprint(self, seeds),
            seeds=tuple(seeds),
            scores={measure.name: _scores(measure, views) for measure in self.measures},
            curves=self._curves(fitted),
            pictures=_pictures(views["trained"][0]) if self.picture else (),
            diverged=fitted.diverged,
            seconds=fitted.seconds,
            compile_seconds=fitted.compile_seconds,
        )

    def _start(self, seed: int) -> tuple[AbstractWorld, AbstractEncoder, AbstractObjective]:
        k_encoder, k_objective, _, k_shape = _keys(seed)
        world = self.world(seed)
        shape = jax.eval_shape(lambda key: world.sample(key, 2), k_shape).batch.x.shape
        columns = int(np.prod(shape[1:]))
        return world, self.encoder(k_encoder, columns), self.objective(k_objective)

    def _watch(self, latents: Floats, found: Floats) -> list[float]:
        views = (View(z, c) for z, c in zip(latents, found, strict=True))
        return [_try(self.measures[0], view) for view in views]

    def _curves(self, fitted: Fitted) -> tuple[Curve, ...]:
        at = tuple(float(point.step) for point in fitted.curve)
        scores = tuple(point.score for point in fitted.curve)
        values = tuple(point.objective for point in fitted.curve)
        return (
            Curve(self.measures[0].name, "steps", at, scores),
            Curve("objective", "steps", at, values),
        )


def cell_fingerprint(cell: Any, seeds: Sequence[int]) -> str:
    """Of a cell, its seeds and the code that runs it."""
    return fingerprint((cell, tuple(seeds), code_fingerprint()))


def _keys(seed: int) -> PRNGKeyArray:
    """Keys of the encoder, the objective, training, and held-out draws."""
    return jax.random.split(jax.random.key(seed), 4)


def _scores(measure: Measure, views: dict[str, list[View]]) -> Scores:
    found = {}
    for name, seeds in views.items():
        values = tuple(_try(measure, view) for view in seeds)
        found[name] = values if name == "trained" or np.isfinite(values).all() else ()
    return Scores(**found)


def _try(measure: Measure, view: View) -> float:
    """NaN where codes are lost: not finite, or the same for every row."""
    if not np.isfinite(view.codes).all() or not np.ptp(view.codes, axis=0).any():
        return float("nan")
    return measure(view)


def _pictures(view: View) -> tuple[Picture, ...]:
    """The absolute correlation of every latent with every code, and the best-matched pairs."""
    latent, found = view.latent, view.codes
    with np.errstate(all="ignore"):  # a constant code, or one that is lost, correlates with nothing
        both = np.nan_to_num(np.corrcoef(latent, found, rowvar=False))
    matrix = both[: latent.shape[1], latent.shape[1] :]
    best = np.argsort(-np.abs(matrix).max(1))[:3]
    scatters = tuple(
        Picture(
            name=f"latent {i}, code {j}",
            kind="scatter",
            data={
                "x": np.round(latent[:SHOWN, i], 4).tolist(),
                "y": np.round(found[:SHOWN, j], 4).tolist(),
                "xlabel": f"latent {i}",
                "ylabel": f"code {j}",
            },
        )
        for i in best.tolist()
        for j in [int(np.abs(matrix[i]).argmax())]
    )
    heat = Picture(
        name="correlation of latents with codes",
        kind="matrix",
        data={
            "values": np.round(matrix, 3).tolist(),
            "rows": [f"latent {i}" for i in range(matrix.shape[0])],
            "columns": [f"code {j}" for j in range(matrix.shape[1])],
        },
    )
    return (heat, *scatters)
