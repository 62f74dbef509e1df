"""Two learners of one world, from starts and draws of their own, compared with each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from .._claim import Curve, Picture, Progress, Run, Scores
from .._core import Assumption, Floats
from .._fit import Fitted, codes, draw, fit
from .._lab import AbstractEncoder, AbstractObjective, AbstractWorld, Batch, one_of, stacked
from .._recipe import Recipe
from .._run import cell_fingerprint
from ..objectives import AbstractLabelHead, Canonical
from ._resemblance import Twin, held_out_cca, resemblance, through

SCORED = 8192
"""Held-out rows that twins are compared on."""
CANDIDATES = 256
"""Held-out candidates that stand for labels, where candidates are observations."""
WEIGHED = 1024
"""Held-out rows that the objective is taken of."""
SHOWN = 500
"""Rows in a picture."""


class BothEncoders(AbstractEncoder):
    """The codes of two encoders, one after the other."""

    a: AbstractEncoder
    b: AbstractEncoder

    def __call__(self, x: Float[Array, "..."]) -> Float[Array, " k"]:
        """Both codes of one observation."""
        return jnp.concatenate([self.a(x), self.b(x)])


class BothObjectives(AbstractObjective):
    """Mean of two objectives, each of its own encoder on its own half of the batch.

    Nothing is shared, and Muon and Adam do not see the size of a gradient: training both is
    training each.
    """

    a: Canonical
    b: Canonical

    @property
    def needs(self) -> frozenset[Assumption]:
        """What either needs: they are alike."""
        return self.a.needs

    def __call__(
        self, encoder: AbstractEncoder, batch: Batch, *, key: PRNGKeyArray
    ) -> Float[Array, ""]:
        """The value of one batch."""
        assert isinstance(encoder, BothEncoders)
        half = len(batch.x) // 2
        k_a, k_b = jax.random.split(key)
        of_a = self.a(encoder.a, jax.tree.map(lambda rows: rows[:half], batch), key=k_a)
        of_b = self.b(encoder.b, jax.tree.map(lambda rows: rows[half:], batch), key=k_b)
        return (of_a + of_b) / 2


@dataclass(frozen=True)
class Twins:
    """Train two learners on a world; score how alike their codes are, beside the same untrained.

    Scores are those of `resemblance`, and `objective`, the mean of both on held-out rows.

    Args:
        world: seed → world, the same for both.
        encoder: (key, columns of an observation) → encoder.
        objective: (key, columns of an observation) → member of the canonical family.
        recipe: how it is minimised; every learner gets batches of that size.
        breaking: assumptions broken on purpose.
    """

    world: Callable[[int], AbstractWorld]
    encoder: Callable[[PRNGKeyArray, int], AbstractEncoder]
    objective: Callable[[PRNGKeyArray, int], Canonical]
    recipe: Recipe
    breaking: frozenset[Assumption] = frozenset()

    def run(
        self,
        seeds: Sequence[int],
        *,
        folder: Path | None = None,
        progress: Progress | None = None,
    ) -> Run:
        """The record of these seeds: starts and training rows differ within a pair."""
        made = [self._start(seed) for seed in seeds]
        world, encoder, objective = (stacked(members) for members in zip(*made, strict=True))
        fitted = fit(
            world, encoder, objective, _doubled(self.recipe),
            keys=_stack(seeds, 0), watch=_watch, breaking=self.breaking, folder=folder,
            progress=progress,
        )  # fmt: skip
        held_out = draw(world, _stack(seeds, 1), SCORED)
        trained = _compared(fitted.encoder, fitted.objective, held_out, len(seeds))
        untrained = _compared(encoder, objective, held_out, len(seeds))
        return Run(
            cell=cell_fingerprint(self, seeds),
            seeds=tuple(seeds),
            scores=_scores(trained, untrained, lost=any(fitted.diverged)),
            curves=_curves(fitted),
            pictures=_pictures(trained[0][0]),
            diverged=fitted.diverged,
            seconds=fitted.seconds,
            compile_seconds=fitted.compile_seconds,
        )

    def _start(self, seed: int) -> tuple[AbstractWorld, BothEncoders, BothObjectives]:
        world = self.world(seed)
        k_a, k_b = jax.random.split(_keys(seed)[2])
        columns = jax.eval_shape(lambda key: world.sample(key, 2), k_a).batch.x.shape[1]
        starts = []
        for key in (k_a, k_b):
            k_encoder, k_objective = jax.random.split(key)
            starts.append((self.encoder(k_encoder, columns), self.objective(k_objective, columns)))
        (f_a, o_a), (f_b, o_b) = starts
        return world, BothEncoders(f_a, f_b), BothObjectives(o_a, o_b)


def _keys(seed: int) -> PRNGKeyArray:
    """Keys of training, held-out draws, and starts."""
    return jax.random.split(jax.random.key(seed), 3)


def _stack(seeds: Sequence[int], role: int) -> PRNGKeyArray:
    return jnp.stack([_keys(seed)[role] for seed in seeds])


def _doubled(recipe: Recipe) -> Recipe:
    return replace(recipe, batch=2 * recipe.batch)


def _watch(latents: Floats, found: Floats) -> list[float]:
    """Mean canonical correlation of the twins of every seed."""
    width = found.shape[2] // 2
    return [
        held_out_cca(both[:, :width], both[:, width:])[0] if np.isfinite(both).all() else np.nan
        for both in found
    ]


Compared = list[tuple[tuple[Twin, Twin], dict[str, float]]]


def _compared(
    encoder: BothEncoders, objective: BothObjectives, held_out: Any, count: int
) -> Compared:
    """Both twins of every seed, and their scores."""
    values = np.asarray(_values(encoder, objective, held_out.batch), dtype=float)
    sides = [
        _twins(f, o, held_out.batch)
        for f, o in ((encoder.a, objective.a), (encoder.b, objective.b))
    ]
    latents = np.asarray(held_out.latent, dtype=float)
    return [
        (pair, {**resemblance(*pair, latents[k]), "objective": float(values[k])})
        for k in range(count)
        for pair in [(sides[0][k], sides[1][k])]
    ]


@eqx.filter_jit
def _values(encoder: BothEncoders, objective: BothObjectives, batch: Batch) -> Array:
    """The objective of every seed on held-out rows, both twins on the same ones."""

    def one(encoder: BothEncoders, objective: BothObjectives, batch: Batch) -> Array:
        twice = jax.tree.map(lambda rows: jnp.concatenate([rows[:WEIGHED]] * 2), batch)
        return objective(encoder, twice, key=jax.random.key(0))

    return eqx.filter_vmap(one)(encoder, objective, batch)


def _twins(encoder: AbstractEncoder, objective: Canonical, batch: Batch) -> list[Twin]:
    """What one side says of held-out rows and of the labels (or candidates), seed by seed."""
    f = codes(encoder, batch.x)
    if isinstance(objective.g, AbstractLabelHead):
        heads = [one_of(objective.g, k) for k in range(len(f))]
        return [
            Twin(f[k], np.asarray(head.rows, dtype=float), _plain(head.offsets))
            for k, head in enumerate(heads)
        ]
    assert batch.positive is not None
    chosen = encoder if objective.g is None else objective.g
    g = codes(chosen, batch.positive[:, :CANDIDATES])
    return [Twin(*both) for both in zip(f, g, strict=True)]


def _plain(offsets: Array | None) -> Floats | None:
    return None if offsets is None else np.asarray(offsets, dtype=float)


def _scores(trained: Compared, untrained: Compared, *, lost: bool) -> dict[str, Scores]:
    """By name, of all seeds; names that do not apply are left out."""
    found = {}
    for name in trained[0][1]:
        after, before = (tuple(scores[name] for _, scores in side) for side in (trained, untrained))
        if np.isfinite(after).all() or lost:
            found[name] = Scores(after, before if np.isfinite(before).all() else ())
    return found


def _curves(fitted: Fitted) -> tuple[Curve, ...]:
    at = tuple(float(point.step) for point in fitted.curve)
    return (
        Curve("mean_cca", "steps", at, tuple(point.score for point in fitted.curve)),
        Curve("objective", "steps", at, tuple(point.objective for point in fitted.curve)),
    )


def _pictures(pair: tuple[Twin, Twin]) -> tuple[Picture, ...]:
    """A coordinate of one twin against that of the other, as it is and after the linear map."""
    a, b = (twin.f for twin in pair)
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        return ()
    moved = through("linear", a, b)(a)
    return tuple(
        Picture(
            name=name,
            kind="scatter",
            data={
                "x": np.round(x[:SHOWN, 0], 4).tolist(),
                "y": np.round(b[:SHOWN, 0], 4).tolist(),
                "xlabel": label,
                "ylabel": "first code of twin b",
            },
        )
        for name, x, label in (
            ("twins as they are", a, "first code of twin a"),
            ("twins after a linear map", moved, "first code of twin a, mapped"),
        )
    )
