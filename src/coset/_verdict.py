"""Runs of a claim's cells → what was found of each case, and of the claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.stats import t as student

from ._claim import Case, Claim, Role, Run, Sense

Status = Literal["supported", "refuted", "uninformative"]
LEVEL = 0.95


@dataclass(frozen=True)
class Found:
    """One case: its score over seeds beside the published number and the floors."""

    name: str
    role: Role
    metric: str
    score: float
    """Mean over seeds."""
    low: float
    """Of the interval of that mean (Student's t over seeds)."""
    high: float
    bound: tuple[Sense, float]
    published: float | None
    where: str
    breaks: str
    differs: str
    untrained: float | None
    raw: float | None
    seeds: int
    seconds: float
    met: bool
    """The score reaches the bound, and no seed diverged."""
    trivial: bool
    """A floor reaches the bound too, or training moved the score no further than its spread."""
    cell: str
    diverged: int = 0
    """Seeds whose training did."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values; what is not a number is null."""
        return {
            name: _plain(list(value) if isinstance(value, tuple) else value)
            for name, value in self.__dict__.items()
        }


@dataclass(frozen=True)
class Verdict:
    """What running a claim found."""

    name: str
    paper: str
    says: str
    status: Status
    reason: str
    """Why, in a sentence."""
    cases: tuple[Found, ...]
    differs: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {**self.__dict__, "cases": [case.to_dict() for case in self.cases]}


def judge(claim: Claim, cases: Sequence[Case], runs: Sequence[Run]) -> Verdict:
    """The verdict of a claim whose cases had these runs.

    Supported: every holding case reaches its bound, every control stays under its own, no floor
    does as well. Refuted: a holding case misses its bound. Uninformative: else.
    """
    found = tuple(_found(case, run) for case, run in zip(cases, runs, strict=True))
    missed = [case for case in found if case.role == "holds" and not case.met]
    loose = [case for case in found if case.role == "breaks" and not case.met]
    trivial = [case for case in found if case.role == "holds" and case.trivial]
    status: Status = "refuted" if missed else "uninformative" if loose or trivial else "supported"
    if missed:
        reason = f"{_names(missed)} should hold and does not: {_numbers(missed[0])}."
    elif loose:
        reason = f"{_names(loose)} should fail and does not: {_numbers(loose[0])}."
    elif trivial:
        reason = f"{_names(trivial)} holds without training too: {_floors(trivial[0])}."
    else:
        count = sum(case.role == "breaks" for case in found)
        reason = f"{_held(len(found) - count)}{_failed(count)}."
    return Verdict(claim.name, claim.paper, claim.says, status, reason, found, claim.differs)


def _found(case: Case, run: Run) -> Found:
    scores = run.scores[case.metric]
    trained = np.array(scores.trained, dtype=float)
    mean = float(trained.mean())
    reach = 0.0
    if len(trained) > 1:
        error = trained.std(ddof=1) / np.sqrt(len(trained))
        reach = float(student.ppf((1 + LEVEL) / 2, len(trained) - 1) * error)
    floors = {
        name: float(np.mean(values)) if values else None
        for name, values in (("untrained", scores.untrained), ("raw", scores.raw))
    }
    apart = not scores.untrained or _apart(case.bound, scores.trained, scores.untrained)
    passed = any(floor is not None and _meets(floor, case.bound) for floor in floors.values())
    return Found(
        name=case.name,
        role=case.role,
        metric=case.metric,
        score=mean,
        low=mean - reach,
        high=mean + reach,
        bound=case.bound,
        published=case.published,
        where=case.where,
        breaks=case.breaks,
        differs=case.differs,
        untrained=floors["untrained"],
        raw=floors["raw"],
        seeds=len(trained),
        seconds=run.seconds,
        met=_meets(mean, case.bound) and not any(run.diverged),
        trivial=passed or not apart,
        cell=run.cell,
        diverged=sum(run.diverged),
    )


def _meets(score: float, bound: tuple[Sense, float]) -> bool:
    sense, limit = bound
    return bool(score >= limit if sense == "at_least" else score <= limit)


def _apart(
    bound: tuple[Sense, float], trained: Sequence[float], untrained: Sequence[float]
) -> bool:
    """Is every trained seed on the better side of every untrained one?"""
    if bound[0] == "at_least":
        return min(trained) > max(untrained)
    return max(trained) < min(untrained)


def _held(count: int) -> str:
    many = f"all {count} holding cases reach their bounds"
    return "the holding case reaches its bound" if count == 1 else many


def _failed(count: int) -> str:
    if not count:
        return ""
    return f", and {count} controls fail as they should" if count > 1 else ", and the control fails"


def _names(cases: Sequence[Found]) -> str:
    return ", ".join(case.name for case in cases)


def _numbers(case: Found) -> str:
    sense = "at least" if case.bound[0] == "at_least" else "at most"
    lost = f", {case.diverged} of {case.seeds} seeds diverged" if case.diverged else ""
    return f"{case.metric} {case.score:.3f} where {sense} {case.bound[1]:g} is asked{lost}"


def _floors(case: Found) -> str:
    shown = {"untrained": case.untrained, "raw": case.raw}
    floors = ", ".join(f"{name} {value:.3f}" for name, value in shown.items() if value is not None)
    return f"{case.metric} {case.score:.3f}, {floors}"


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not np.isfinite(value) else value
