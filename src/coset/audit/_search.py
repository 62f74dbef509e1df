"""What the owner of a search index asks: can new queries search the old index through the map?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .._core import Floats
from ..groups import MomentGroup, fit_both, group
from ..metrics import neighbours, recall
from ..metrics._moments import Moments
from ..metrics._second import SecondOrder
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
    """How many rows the map needs, on the first fold; None for groups that need rows."""
    chosen = group(name)
    if not isinstance(chosen, MomentGroup):
        return None
    (fold,) = folds_of(summary, 0)
    fits: list[SecondOrder] = []
    order = np.random.default_rng((summary.deal.seed, 5)).permutation(len(fold.train_a))
    size = 8
    while size < len(order):
        fits.append(Moments().update(fold.train_a[order[:size]], fold.train_b[order[:size]]))
        size *= 2
    away = [
        summary.buckets[j] for j in range(summary.deal.buckets) if j not in summary.deal.fold(0)
    ]
    share = 1
    while share < len(away):
        part = away[0].merge(*away[1:share])  # type: ignore[arg-type]
        if part.n > (fits[-1].n if fits else 0):
            fits.append(part)
        share *= 2
    fits.append(fold.train)
    scores = [_score(chosen, replace(fold, train=fit)) for fit in fits]
    short = [k for k, r2 in enumerate(scores) if r2 < scores[-1] - 0.01]
    enough = fits[short[-1] + 1 if short else 0].n
    return Curve(
        name,
        tuple(fit.n for fit in fits),
        tuple(scores),
        enough if scores[-1] > 0 else None,
    )


def _score(chosen: MomentGroup, fold: Fold) -> float:
    tally = Tally()
    tally.add(chosen, fold, fold.swapped())
    return min(way.r2 for way in tally.explained())
