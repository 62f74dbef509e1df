"""How an objective is minimised: a value, so that equal ones are compiled once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import jax
import optax

from ._core import BadInput

KINDS = ("muon", "adam", "sgd")
SCHEDULES = ("cosine", "constant")


@dataclass(frozen=True)
class Recipe:
    """Batch size, number of steps, and an optimiser with its learning rate.

    Muon orthogonalises the update of the encoder's matrices; its vectors, and all that the
    objective owns (heads, precisions, temperatures), get Adam with Nesterov's momentum at a rate
    of its own. Steps are done in chunks of 50: a last one that is begun is completed.

    Args:
        batch: rows drawn at each step.
        steps: number of updates.
        kind: "muon", "adam" or "sgd".
        rate: peak learning rate.
        schedule: "cosine" (to zero at the last step) or "constant".
        vector_rate: of what Muon leaves to Adam.
        warmup: steps over which the rate rises from zero.

    References:
        jordan2024, kingma2015
    """

    batch: int = 512
    steps: int = 4000
    kind: str = "muon"
    rate: float = 0.03
    schedule: str = "cosine"
    vector_rate: float = 0.01
    warmup: int = 0

    def __post_init__(self) -> None:
        if self.kind not in KINDS or self.schedule not in SCHEDULES:
            raise BadInput(
                f"no recipe has kind {self.kind!r} and schedule {self.schedule!r}; kinds are "
                f"{', '.join(KINDS)}, schedules {', '.join(SCHEDULES)}"
            )
        if self.batch < 1 or self.steps < 1:
            raise BadInput(f"batch={self.batch}, steps={self.steps}; both must be at least 1")
        if not 0 <= self.warmup < self.steps:
            raise BadInput(
                f"warmup={self.warmup}, steps={self.steps}; the rate rises over some of the steps: "
                f"give 0 or more, and fewer than there are"
            )

    @property
    def optimiser(self) -> optax.GradientTransformation:
        """The same object for equal recipes: nothing is compiled twice."""
        return _optimiser(replace(self, batch=1))


@lru_cache(maxsize=256)
def _optimiser(recipe: Recipe) -> optax.GradientTransformation:
    if recipe.kind == "adam":
        return optax.adam(_scheduled(recipe, recipe.rate))
    if recipe.kind == "sgd":
        return optax.sgd(_scheduled(recipe, recipe.rate), momentum=0.9)
    return optax.contrib.muon(
        _scheduled(recipe, recipe.rate),
        adam_learning_rate=_scheduled(recipe, recipe.vector_rate),
        muon_weight_dimension_numbers=_of_matrices,
    )


def _of_matrices(learner: tuple[Any, Any]) -> tuple[Any, Any]:
    """How Muon reads each array of (encoder, objective): None leaves it to Adam."""
    matrix = optax.contrib.MuonDimensionNumbers()
    encoder, objective = learner
    return (
        jax.tree.map(lambda x: matrix if x.ndim == 2 else None, encoder),
        jax.tree.map(lambda x: None, objective),
    )


def _scheduled(recipe: Recipe, rate: float) -> optax.Schedule:
    if recipe.schedule == "constant" and not recipe.warmup:
        return optax.constant_schedule(rate)
    if recipe.schedule == "constant":
        return optax.linear_schedule(0.0, rate, recipe.warmup)
    if not recipe.warmup:
        return optax.cosine_decay_schedule(rate, recipe.steps)
    return optax.warmup_cosine_decay_schedule(0.0, rate, recipe.warmup, recipe.steps)
