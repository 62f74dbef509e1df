"""How well each group of the ladder relates two codes: held out, both ways, with chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from .._core import Floats, Map
from ..groups import LADDER, AffineMap, FittedMap, MomentGroup, RowGroup, fit_both
from ..metrics._second import SecondOrder
from ..sweep import side_by_side
from ._folds import Fold, folds_of
from ._interval import Explained
from ._pass import Summary
from ._shuffle import pairings
from ._support import FEW_ROWS, borne

ROW_DRAWS = 2
EXACT = 1 - 1e-6


@dataclass(frozen=True, eq=False)
class Rung:
    """One group: two-way held-out R², its interval, what chance gives, and the map."""

    name: str
    says: str
    r2: float
    """The lesser of the two directions."""
    r2_ab: float
    r2_ba: float
    low: float
    high: float
    chance: float
    """The same score when the rows of b are shuffled."""
    holds: bool
    """The lower end of the interval reaches the threshold."""
    columns_ab: Floats
    """R² of each column of b."""
    columns_ba: Floats
    rows: int
    """Rows that were scored."""
    fit: Callable[[], FittedMap] = field(repr=False)

    @cached_property
    def map(self) -> FittedMap:
        """The map from a to b, fitted on all rows."""
        return self.fit()


def score_rungs(
    summary: Summary, *, threshold: float, level: float, about: dict[str, object]
) -> dict[str, Rung]:
    """Every group, strict to loose; those that need rows only where rows were sampled."""
    groups = [
        group
        for group in LADDER.values()
        if isinstance(group, MomentGroup) or summary.enough_sampled
    ]
    tallies = {group.name: Tally() for group in groups}
    both_ways = ((fold, fold.swapped()) for fold in folds_of(summary))
    jobs = ((group, *both) for both in both_ways for group in groups)
    for name, tally in side_by_side(_score, jobs, summary.deal.width):
        tallies[name].extend(tally)
    chances = _chances(summary, groups)
    whole = summary.whole()
    return {
        group.name: _rung(
            group, summary, whole, tallies[group.name], chances[group.name],
            threshold=threshold, level=level, about=about,
        )
        for group in groups
    }  # fmt: skip


def _score(job: tuple[MomentGroup | RowGroup, Fold, Fold]) -> tuple[str, Tally]:
    group, forth, reverse = job
    return group.name, Tally().add(group, forth, reverse)


class Tally:
    """Errors and totals of one group, bucket by bucket, both ways."""

    def __init__(self) -> None:
        self._ways: tuple[list[Part], list[Part]] = ([], [])

    def add(self, group: MomentGroup | RowGroup, forth: Fold, reverse: Fold) -> Tally:
        """Fit on the training part of a fold, score on its tests; returns itself."""
        maps = fit_both(group, forth.train, forth.train_a, forth.train_b)
        for parts, fold, fitted in zip(self._ways, (forth, reverse), maps, strict=True):
            if isinstance(fitted, AffineMap):
                parts.extend(_moment_part(test, fitted) for test in fold.tests)
            else:
                parts.extend(_row_parts(fold, fitted))
        return self

    def extend(self, other: Tally) -> None:
        """Take in what another tally holds."""
        for mine, others in zip(self._ways, other._ways, strict=True):
            mine.extend(others)

    def explained(self) -> tuple[Explained, Explained]:
        """R² of a → b and of b → a."""
        ab, ba = (
            Explained(np.array([part.error for part in parts]), _totals(parts))
            for parts in self._ways
        )
        return ab, ba


@dataclass(frozen=True, eq=False)
class Part:
    """One test bucket: rows, mean, squared deviations and squared errors, per column."""

    n: int
    mean: Floats
    spread: Floats
    error: Floats


def _moment_part(test: SecondOrder, fitted: AffineMap) -> Part:
    error = test.residual(fitted.matrix, fitted.offset)
    return Part(test.n, test.mean_b, np.diagonal(test.bb).copy(), error)


def _row_parts(fold: Fold, fitted: Map) -> list[Part]:
    cuts = np.cumsum([len(a) for a in fold.tests_a])[:-1]
    errors = np.split((np.vstack(fold.tests_b) - fitted(np.vstack(fold.tests_a))) ** 2, cuts)
    return [
        Part(len(b), b.mean(0), ((b - b.mean(0)) ** 2).sum(0), error.sum(0))
        for b, error in zip(fold.tests_b, errors, strict=True)
        if len(b)
    ]


def _totals(parts: list[Part]) -> Floats:
    """Squared deviations from the mean of all parts (parts, columns)."""
    n = np.array([part.n for part in parts])
    means = np.array([part.mean for part in parts])
    apart = means - n @ means / n.sum()
    return np.array([part.spread for part in parts]) + n[:, None] * apart**2


def _chances(summary: Summary, groups: Sequence[MomentGroup | RowGroup]) -> dict[str, float]:
    """Two-way score over shuffled pairings, each scored on one fold, all taken together."""
    tallies = {group.name: Tally() for group in groups}
    jobs = (
        (group, *both)
        for draw, both in enumerate(pairings(summary))
        for group in groups
        if isinstance(group, MomentGroup) or draw < ROW_DRAWS
    )
    for name, tally in side_by_side(_score, jobs, summary.deal.width):
        tallies[name].extend(tally)
    return {name: min(way.r2 for way in tally.explained()) for name, tally in tallies.items()}


def _rung(
    group: MomentGroup | RowGroup,
    summary: Summary,
    whole: SecondOrder,
    tally: Tally,
    chance: float,
    *,
    threshold: float,
    level: float,
    about: dict[str, object],
) -> Rung:
    ab, ba = tally.explained()
    lows, highs = zip(ab.interval(level), ba.interval(level), strict=True)
    score = min(ab.r2, ba.r2)
    rows = int(summary.once.sum()) if isinstance(group, RowGroup) else summary.deal.rows
    trusted = rows >= FEW_ROWS and borne(summary)
    holds = min(lows) >= threshold and (trusted or score >= EXACT)

    def fit() -> FittedMap:
        fitted, _ = fit_both(group, whole, summary.a, summary.b)
        scores = {"r2": score, "r2_ab": ab.r2, "r2_ba": ba.r2, "low": min(lows), "high": min(highs)}
        return FittedMap(fitted, {**about, **scores, "chance": chance, "holds": holds})

    return Rung(
        name=group.name,
        says=group.says,
        r2=score,
        r2_ab=ab.r2,
        r2_ba=ba.r2,
        low=min(lows),
        high=min(highs),
        chance=chance,
        holds=holds,
        columns_ab=ab.columns,
        columns_ba=ba.columns,
        rows=rows,
        fit=fit,
    )
