"""One pass over aligned rows: the moments of every bucket."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from .._arrays import refuse_nonfinite
from .._core import BadInput, Engine, Floats
from ..metrics._factors import Factors
from ..metrics._moments import Moments
from ._deal import Deal
from .sources import Source

M = TypeVar("M", Moments, Factors)
LEAST_OF_FOLD = 2
TOO_LARGE = "{} holds values too large to be squared; divide its columns first"
Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Summary:
    """All that is kept of two aligned arrays."""

    deal: Deal
    names: tuple[str, str]
    moments: list[Moments]
    """Per bucket."""
    exact: list[Factors] | None
    """Per bucket, where the Gram route would lose digits."""
    sampled: NDArray[np.intp]
    """Row numbers of the sample ..."""
    a: Floats
    """... and its rows, (m, p)."""
    b: Floats
    """(m, q)."""

    @property
    def buckets(self) -> list[Moments] | list[Factors]:
        """What the groups are fitted and scored on."""
        return self.exact or self.moments

    def whole(self) -> Moments | Factors:
        """All rows, by the route that keeps the digits."""
        return self._whole

    def train(self, fold: int) -> Moments | Factors:
        """All rows but those of a fold, by the route that keeps the digits."""
        if self._exact_folds is None:
            return self.gram(apart_from=fold)
        return _all_but(self._exact_folds, fold)

    def gram(self, *, only: int | None = None, apart_from: int | None = None) -> Moments:
        """All rows, one fold's, or all but one fold's, by the Gram route."""
        if only is not None:
            return self._gram_folds[only]
        return self._gram if apart_from is None else _all_but(self._gram_folds, apart_from)

    @cached_property
    def once(self) -> NDArray[np.bool_]:
        """The sampled rows without copies of a pair (a, b): a copy in another fold is no test."""
        first = np.zeros(len(self.sampled), bool)
        if len(first):
            pairs = np.ascontiguousarray(np.hstack([self.a, self.b]))
            whole = pairs.view(np.dtype((np.void, pairs.itemsize * pairs.shape[1])))[:, 0]
            first[np.unique(whole, return_index=True)[1]] = True
        return first

    @cached_property
    def enough_sampled(self) -> bool:
        """Does every fold hold rows of the sample to score, and others to fit?"""
        fold = self.deal.bucket_of(self.sampled[self.once]) % self.deal.folds
        return bool((np.bincount(fold, minlength=self.deal.folds) >= LEAST_OF_FOLD).all())

    @cached_property
    def _gram_folds(self) -> list[Moments]:
        return _by_fold(self.moments, self.deal)

    @cached_property
    def _exact_folds(self) -> list[Factors] | None:
        return None if self.exact is None else _by_fold(self.exact, self.deal)

    @cached_property
    def _gram(self) -> Moments:
        return _all_but(self._gram_folds)

    @cached_property
    def _whole(self) -> Moments | Factors:
        return self._gram if self._exact_folds is None else _all_but(self._exact_folds)


def summarise(
    a: Source,
    b: Source,
    deal: Deal,
    engine: Engine,
    *,
    sample: int,
    route: str = "auto",
    progress: Progress | None = None,
) -> Summary:
    """Read everything once (twice where conditioning demands the exact route)."""
    shards = deal.shards()

    def run(kind: type[M]) -> list[M]:
        work = partial(_work, a, b, deal, kind)
        tell = None if progress is None else lambda done: progress(done, len(shards))
        return engine.map_reduce(work, shards, _merge, tell)

    rows = deal.sample(sample) if sample else np.arange(0)
    moments = [part.settle() for part in run(Moments)]
    summary = Summary(
        deal, (a.name, b.name), moments, None, rows, _sampled(a, rows), _sampled(b, rows)
    )
    whole = summary.gram()
    for norms, gram, name in zip(
        whole.norms(), (whole.aa, whole.bb), (a.name, b.name), strict=True
    ):
        if not np.isfinite(gram).all():
            raise BadInput(TOO_LARGE.format(name))
        if not norms.any():
            raise BadInput(f"every column of {name} is constant: there is nothing to compare")
    needs_exact = route == "exact" or (route == "auto" and whole.ill_conditioned())
    return replace(summary, exact=run(Factors)) if needs_exact else summary


def _work(
    a: Source,
    b: Source,
    deal: Deal,
    kind: type[M],
    span: tuple[int, int],
) -> list[M]:
    """The moments of one span of rows, bucket by bucket; runs wherever the engine puts it."""
    states = [kind() for _ in range(deal.buckets)]
    buckets = deal.bucket_of_runs()
    for start, stop in deal.blocks(*span):
        rows_a, rows_b = a.read(start, stop), b.read(start, stop)
        dealt = buckets[start // deal.run : -(-stop // deal.run)]
        if deal.run > 1:
            dealt = np.repeat(dealt, deal.run)[: stop - start]
        for bucket, chosen in _groups(dealt, deal.run):
            try:
                states[bucket].update(rows_a[chosen], rows_b[chosen])
            except BadInput:
                refuse_nonfinite(rows_a, a.name, start)
                refuse_nonfinite(rows_b, b.name, start)
                _refuse_huge(rows_a, a.name)
                _refuse_huge(rows_b, b.name)
                raise
        a.release(start, stop)
        b.release(start, stop)
    return states


def _refuse_huge(rows: NDArray, name: str) -> None:
    with np.errstate(over="ignore"):
        sizes = np.vecdot(rows.astype(float), rows.astype(float))
        if not np.isfinite(sizes.sum() ** 2):
            raise BadInput(TOO_LARGE.format(name))


def _groups(dealt: np.ndarray, run: int) -> list[tuple[int, slice | np.ndarray]]:
    """Which rows of a block go to which bucket: as slices where runs are long enough to pay."""
    if run >= 64:
        return [
            (int(dealt[i]), slice(i, min(i + run, len(dealt)))) for i in range(0, len(dealt), run)
        ]
    order = np.argsort(dealt, kind="stable")
    edges = np.flatnonzero(np.diff(dealt[order])) + 1
    return [(int(dealt[part[0]]), part) for part in np.split(order, edges)]


def _merge(left: list[M], right: list[M]) -> list[M]:
    return [x.merge(y) for x, y in zip(left, right, strict=True)]


def _by_fold(states: list[M], deal: Deal) -> list[M]:
    """The states of each fold, merged."""
    if deal.buckets == deal.folds:
        return states
    return [states[k].merge(*states[k + deal.folds :: deal.folds]) for k in range(deal.folds)]


def _all_but(states: list[M], left_out: int | None = None) -> M:
    kept = [state for k, state in enumerate(states) if k != left_out]
    return kept[0].merge(*kept[1:])


def _sampled(source: Source, rows: NDArray[np.intp]) -> Floats:
    return np.asarray(source.take(rows), dtype=float)
