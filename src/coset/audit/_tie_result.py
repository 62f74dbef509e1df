"""What was found about two heads, in numbers and in a sentence."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np

from .._core import Floats
from ._words import number

CLOSE = 0.1
"""At most this far from the identity, relative to it, two maps are called tied."""


@dataclass(frozen=True, eq=False)
class Tie:
    """Two models that expose both functions of p(y|x) ∝ exp f(x)·g(y): are their maps tied?

    Wherever there are two directions, the worse one is given.
    """

    tie: float
    """‖A_fᵀ A_g - I‖_F / √M of the maps f_a → f_b and g_a → g_b: 0 in theory, 1 for no relation."""
    tie_ab: float
    tie_ba: float
    tie_chance: float
    """The least that shuffling gives, of labels or of rows."""
    tie_chance_labels: float
    tie_chance_rows: float
    tie_floor: float
    """The least possible when only `rank` directions are determined."""
    tie_subspace: float
    """The same, in the directions that the logits show."""
    tie_subspace_chance: float
    tie_logits: float
    """Relative error of the centred logits when f is carried by A_f and g by A_g: the tie in units
    that do not depend on the coordinates of either model."""
    rank: int
    """Directions of the codes that are determined: the lesser of the two models."""
    rank_a: int
    """Rank of the differences of g_a."""
    rank_b: int
    condition_a: float
    """Largest over least nonzero singular value of the differences of g_a."""
    condition_b: float
    classes: int
    dimensions: int
    dimensions_b: int
    diverse: bool
    """The condition of the theorem: K ≥ M + 1 and differences of g that span all M, in both."""
    r2_from_heads: float
    """Two-way R² on the codes of rows of the map read off the heads alone."""
    r2_from_data: float
    """Two-way held-out R² of the map fitted on the codes of rows."""
    r2_labels: float | None
    """The same between the codes of labels, held out over labels; None where they are too few."""
    r2_from_heads_subspace: float
    r2_from_data_subspace: float
    distance: float
    """‖A_heads - A_data‖_F / ‖A_data‖_F."""
    distance_subspace: float
    kl: float | None
    """Mean KL(p_a || p_b) in nats; None where there are biases and they were not given."""
    kl_back: float | None
    kl_chance: float | None
    """The same when each row meets another row."""
    kl_rows: int
    biases: bool
    rows: int
    folds: int
    seed: int
    map_from_heads: Floats = field(repr=False)
    """A (M', M) with f_b ≈ A f_a, from the heads."""
    map_from_data: Floats = field(repr=False)
    """A (M', M), fitted on all rows."""

    @property
    def condition(self) -> float:
        """The worse condition number of the two heads."""
        return max(self.condition_a, self.condition_b)

    @cached_property
    def sentence(self) -> str:
        """What to say of it, numbers included."""
        return " ".join(part for part in (self._diversity(), self._tied(), self._gap()) if part)

    def to_dict(self) -> dict[str, Any]:
        """Every number, the sentence, nothing that JSON cannot hold."""
        numbers = {
            f.name: value
            for f in fields(self)
            if not isinstance(value := getattr(self, f.name), np.ndarray)
        }
        return {**numbers, "condition": self.condition, "sentence": self.sentence}

    def _diversity(self) -> str:
        width = max(self.dimensions, self.dimensions_b)
        if self.rank == width:
            return ""
        if self.diverse:
            return (
                f"The codes reach the logits in {self.rank} of {width} dimensions only; "
                f"what follows is about these {self.rank}."
            )
        why = (
            f"{self.classes} labels where {width} dimensions need at least {width + 1}"
            if self.classes <= width
            else f"the differences of g span {min(self.rank_a, self.rank_b)} of {width} dimensions"
        )
        return (
            f"The labels are not diverse ({why}): equal predictions determine {self.rank} "
            f"directions of the codes and leave the others free. "
            f"What follows is about these {self.rank}."
        )

    def _tied(self) -> str:
        tied = self.tie_subspace <= CLOSE
        word = "are tied as" if tied else "are not tied as closely as"
        weak = (
            f"; in units of the logits it is {self.tie_logits:.2g}, so most of it lies in "
            f"directions that they hardly show"
            if not tied and self.tie_logits < self.tie_subspace / 3
            else ""
        )
        return (
            f"The two heads {word} equal predictions require: ‖A_fᵀ A_g − I‖/√M is "
            f"{self.tie_subspace:.2g} (0 in theory, {self.tie_subspace_chance:.2g} by "
            f"chance){weak}. The map read off the heads alone has R² "
            f"{number(self.r2_from_heads_subspace)} on the codes, the one fitted on data "
            f"{number(self.r2_from_data_subspace)}, held out."
        )

    def _gap(self) -> str:
        if self.kl is None:
            return "How far the predictions differ is unknown: the biases were not given."
        return (
            f"The predictions differ by {self.kl:.2g} nats ({self.kl_chance:.2g} for another row)."
        )
