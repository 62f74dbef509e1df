"""What the owner of a search index asks: can new queries search the old index through the map?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from .._core import Floats
from ..groups import MomentGroup, RowGroup, fit_both, group
from ..metrics import neighbours, recall
from ..metrics._moments import Moments
from ._folds import Fold, folds_of
from ._pass import Summary
from ._rungs import Tally

QUERIES = 500
KS = (1, 10)


@dataclass(frozen=True)
class Search:
    """a is the old index; rows of b, the new model, query it.

    Truth is what the old model's own queries find in the old index. The map is fitted without the
    queries.
    """

    group: str
    metric: str
    queries: int
    index: int
    before: dict[int, float] | None
    """Recall at 1 and 10 with the new vectors as they are; None for unequal widths."""
    after: dict[int, float]
    """The same through the map b → a."""
    chance: dict[int, float]
    item_before: float | None
    """How often a new query finds its own item first."""
    item_after: float
    item_chance: float


def search_of(summary: Summary, name: str, metric: str = "cosine") -> Search | None:
    """Recall of held-out queries before and after alignment; None without sampled rows."""
    bucket = summary.deal.bucket_of(summary.sampled)
    asked = np.flatnonzero(np.isin(bucket, summary.deal.fold(0)))[:QUERIES]
    if len(asked) < 2 or len(summary.a) <= max(KS) + 1:
        return None
    (fold,) = folds_of(summary, 0)
    _, back = fit_both(group(name), fold.train, fold.train_a, fold.train_b)
    queries, index, old = summary.b[asked], summary.a, summary.a[asked]

    def ask(new: Floats) -> tuple[dict[int, float], float]:
        found = recall(new, index, old, KS, metric=metric, exclude_self=asked)  # type: ignore[arg-type]
        first = neighbours(new, index, 1, metric)[:, 0]  # type: ignore[arg-type]
        return found.at, float(np.mean(first == asked))

    before = ask(queries) if queries.shape[1] == index.shape[1] else None
    after = ask(back(queries))
    return Search(
        group=name,
        metric=metric,
        queries=len(asked),
        index=len(index),
        before=before and before[0],
        after=after[0],
        chance={k: k / (len(index) - 1) for k in KS},
        item_before=before and before[1],
        item_after=after[1],
        item_chance=1 / len(index),
    )


@dataclass(frozen=True)
class Curve:
    """Held-out two-way R² of a group against the rows its map was fitted on."""

    group: str
    rows: tuple[int, ...]
    r2: tuple[float, ...]
    needed: int | None
    """Fewest rows tried from which on R² stays within 0.01 of the fit on all training rows."""


def learning_curve(summary: Summary, name: str) -> Curve | None:
    """How many rows the map needs, on the first fold; None where there are no rows to fit."""
    chosen = group(name)
    (fold,) = folds_of(summary, 0)
    of_rows = not isinstance(chosen, MomentGroup)
    if of_rows and not summary.enough_sampled:
        return None
    fits = [*_of_sampled(summary, fold, most=len(fold.train_a) if of_rows else fold.train.n)]
    if not of_rows:
        fits += _of_buckets(summary, fits[-1].train.n if fits else 0, fold)
    fits.append(fold)
    scores = [_score(chosen, fit) for fit in fits]
    sizes = [len(fit.train_a) if of_rows else fit.train.n for fit in fits]
    short = [k for k, r2 in enumerate(scores) if r2 < scores[-1] - 0.01]
    enough = sizes[short[-1] + 1 if short else 0]
    return Curve(name, tuple(sizes), tuple(scores), enough if scores[-1] > 0 else None)


def _of_sampled(summary: Summary, fold: Fold, most: int) -> Iterator[Fold]:
    """The fold with 8, 16, … of its sampled rows to fit on."""
    order = np.random.default_rng((summary.deal.seed, 5)).permutation(len(fold.train_a))
    size = 8
    while size < min(len(order), most):
        a, b = fold.train_a[order[:size]], fold.train_b[order[:size]]
        yield replace(fold, train=Moments().update(a, b), train_a=a, train_b=b)
        size *= 2


def _of_buckets(summary: Summary, least: int, fold: Fold) -> Iterator[Fold]:
    """The fold with 1, 2, 4, … of its buckets to fit on, from more rows than `least` on."""
    away = [
        summary.buckets[j] for j in range(summary.deal.buckets) if j not in summary.deal.fold(0)
    ]
    share = 1
    while share < len(away):
        part = away[0].merge(*away[1:share])  # type: ignore[arg-type]
        if part.n > least:
            yield replace(fold, train=part)
        share *= 2


def _score(chosen: MomentGroup | RowGroup, fold: Fold) -> float:
    tally = Tally()
    tally.add(chosen, fold, fold.swapped())
    return min(way.r2 for way in tally.explained())
