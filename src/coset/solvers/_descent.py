"""Downhill with backtracking, along a preconditioned L-BFGS direction or the gradient's own."""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

import numpy as np

from .._core import Floats
from ._likelihood import Likelihood, Place

TRIES = 12
"""Halvings of a step before its direction is given up."""
LONGEST = 0.3
"""Entry of a relative step: a longer one may end in the basin of another optimum."""
ROUNDING = 1e-12
"""Share of the value that is noise: below it the gradient decides."""
SWIFT = 4
"""Iterations of orthogonal W after which latents are not as independent as hoped: then their
curvature is measured, which costs half as much again."""
RECONSIDERED = 20
"""Changes of signs, after which they stay: a normal latent has none of its own."""


class Direction(Protocol):
    """Where to go from a place."""

    measures: ClassVar[bool]
    """It needs the curvature."""

    @abstractmethod
    def __call__(self, likelihood: Likelihood, place: Place) -> Floats:
        """A relative step downhill."""

    @abstractmethod
    def learn(self, step: Floats, change: Floats) -> None:
        """After a step: what it was, and how the gradient changed."""

    @abstractmethod
    def forget(self) -> bool:
        """Drop what was learnt; was there anything?"""


@dataclass(frozen=True)
class Natural(Direction):
    """The covariant rule: ΔW = -rate · (E[ψ(y) yᵀ] - I) W."""

    rate: float
    measures: ClassVar[bool] = False

    def __call__(self, likelihood: Likelihood, place: Place) -> Floats:
        """Against the relative gradient."""
        return -self.rate * place.gradient

    def learn(self, step: Floats, change: Floats) -> None:
        """Nothing: each step is of its place alone."""

    def forget(self) -> bool:
        """There is nothing to drop."""
        return False


@dataclass(frozen=True)
class Quasi(Direction):
    """Limited-memory BFGS that starts from the approximate Hessian of each place."""

    measures: ClassVar[bool] = True
    memory: int = 7
    past: deque[tuple[Floats, Floats, float]] = field(default_factory=deque)

    def __call__(self, likelihood: Likelihood, place: Place) -> Floats:
        """The two loops of L-BFGS, with `newton` in the middle; shortened where it is long."""
        wanted, weights = place.gradient, []
        for step, change, curvature in reversed(self.past):
            weights.append(np.vdot(step, wanted) / curvature)
            wanted = wanted - weights[-1] * change
        wanted = likelihood.newton(place, wanted)
        for (step, change, curvature), weight in zip(self.past, reversed(weights), strict=True):
            wanted = wanted + (weight - np.vdot(change, wanted) / curvature) * step
        return -wanted * min(1.0, LONGEST / float(np.abs(wanted).max()))

    def learn(self, step: Floats, change: Floats) -> None:
        """Keep the pair, if the value curves upwards along it."""
        curvature = float(np.vdot(step, change))
        if curvature > 0:
            self.past.append((step, change, curvature))
        if len(self.past) > self.memory:
            self.past.popleft()

    def forget(self) -> bool:
        """Back to the approximate Hessian alone."""
        known = bool(self.past)
        self.past.clear()
        return known


@dataclass(frozen=True, eq=False)
class Descent:
    """Where it ended, and the steepness on the way."""

    place: Place
    steepness: tuple[float, ...]
    converged: bool


def descend(
    likelihood: Likelihood,
    unmixing: Floats,
    direction: Direction,
    *,
    tolerance: float,
    iterations: int,
) -> Descent:
    """Until no entry of the gradient exceeds the tolerance."""
    place = likelihood.at(unmixing, crossed=direction.measures and not likelihood.orthogonal)
    steepness, changes = [place.steepness], 0
    while steepness[-1] > tolerance and len(steepness) <= iterations:
        slow = not likelihood.orthogonal or len(steepness) > SWIFT
        crossed = direction.measures and slow
        found = _search(likelihood, place, direction(likelihood, place), crossed=crossed)
        if found is None:
            if direction.forget():
                continue
            break
        step, after = found
        direction.learn(step, after.gradient - place.gradient)
        place = after
        if changes < RECONSIDERED:
            place = likelihood.with_best_signs(after)
        if place is not after:
            direction.forget()
            changes += 1
        steepness.append(place.steepness)
    return Descent(place, tuple(steepness), steepness[-1] <= tolerance)


def _search(
    likelihood: Likelihood, place: Place, step: Floats, *, crossed: bool
) -> tuple[Floats, Place] | None:
    """The longest of step, step / 2, step / 4, … that goes down."""
    noise = ROUNDING * (1.0 + abs(place.value))
    for _ in range(TRIES):
        after = likelihood.at(likelihood.moved(place, step), place.signs, crossed=crossed)
        lower = after.value < place.value - noise
        level = after.value <= place.value + noise and after.steepness < place.steepness
        if lower or level:
            return step, after
        step = step / 2
    return None
