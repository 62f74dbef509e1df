"""One pass over aligned rows: the moments of every bucket."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from .._arrays import refuse_nonfinite
from .._core import BadInput, Engine, Floats
from ..metrics._factors import Factors
from ..metrics._moments import Moments
from ._deal import Deal
from .sources import Source

State = list[Moments] | list[Factors]
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
        return self.buckets[0].merge(*self.buckets[1:])  # type: ignore[arg-type]

    def gram(self) -> Moments:
        """All rows, by the Gram route."""
        return self.moments[0].merge(*self.moments[1:])


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

    def run(kind: type[Moments] | type[Factors]) -> State:
        work = partial(_work, a, b, deal, kind)
        tell = None if progress is None else lambda done: progress(done, len(shards))
        return engine.map_reduce(work, shards, _merge, tell)

    moments = run(Moments)
    whole = moments[0].merge(*moments[1:])
    for side, gram, name in (
        (whole.norms()[0], whole.aa, a.name),
        (whole.norms()[1], whole.bb, b.name),
    ):
        if not side.any() or not np.isfinite(gram).all():
            raise BadInput(f"every column of {name} is constant: there is nothing to compare")
    needs_exact = route == "exact" or (route == "auto" and whole.ill_conditioned())
    exact = run(Factors) if needs_exact else None
    rows = deal.sample(sample) if sample else np.arange(0)
    return Summary(
        deal,
        (a.name, b.name),
        moments,  # type: ignore[arg-type]
        exact,  # type: ignore[arg-type]
        rows,
        np.asarray(a.take(rows), dtype=float) if sample else np.zeros((0, a.columns)),
        np.asarray(b.take(rows), dtype=float) if sample else np.zeros((0, b.columns)),
    )


def _work(
    a: Source,
    b: Source,
    deal: Deal,
    kind: type[Moments] | type[Factors],
    span: tuple[int, int],
) -> State:
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
                raise
    return states  # type: ignore[return-value]


def _groups(dealt: np.ndarray, run: int) -> list[tuple[int, slice | np.ndarray]]:
    """Which rows of a block go to which bucket: as slices where runs are long enough to pay."""
    if run >= 64:
        return [
            (int(dealt[i]), slice(i, min(i + run, len(dealt)))) for i in range(0, len(dealt), run)
        ]
    order = np.argsort(dealt, kind="stable")
    edges = np.flatnonzero(np.diff(dealt[order])) + 1
    return [(int(dealt[part[0]]), part) for part in np.split(order, edges)]


def _merge(left: State, right: State) -> State:
    return [x.merge(y) for x, y in zip(left, right, strict=True)]  # type: ignore[arg-type]
