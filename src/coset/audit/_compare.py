"""Two representations of the same things → up to what they agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arrays import refuse_nonfinite
from .._core import BadInput, Engine
from ..metrics._route import known_route
from ..sweep import blas_for
from ..sweep import engine as engine_of
from ._comparison import Comparison
from ._deal import Deal
from ._measures import measures_of
from ._pass import Progress, summarise
from ._rungs import score_rungs
from ._tie import Tie, tie
from ._verdict import judge, shared_directions
from .sources import Source, align, open_source

SAMPLE = 4096
"""Rows kept for what second moments cannot tell (ranks, kernels, neighbours)."""


def compare(
    a: Any,
    b: Any,
    *,
    threshold: float = 0.95,
    folds: int = 5,
    seed: int = 0,
    level: float = 0.95,
    on: str | None = None,
    a_key: Any = None,
    b_key: Any = None,
    rows: int | None = None,
    sample: int = SAMPLE,
    route: str = "auto",
    heads: tuple[Any, Any] | None = None,
    biases: bool | tuple[Any, Any] = False,
    engine: Engine | str | None = None,
    progress: Progress | None = None,
    command: str | None = None,
) -> Comparison:
    """Say which class of maps relates two representations of the same things.

    Every score is held out and two-way. A group holds where the lower end of the interval of its
    R² reaches `threshold`; the verdict is the set of minimal groups that hold.

    Args:
        a: array (n, p), anything array-like, or a path (.npy, .npz, .safetensors, .parquet, .zarr,
            .csv, a glob or a folder of shards).
        b: the same things in the same order (n, q), or joined to a by `on`.
        threshold: the R² that a group must reach.
        folds: number of cross-validation folds.
        seed: of folds, samples and shuffles.
        level: of the intervals.
        on: key column that joins two tables.
        a_key: which array of a container, key column of a table, or row ids.
        b_key: the same for b.
        rows: look at this many rows only, a seeded sample.
        sample: rows kept for rank, kernel and neighbour measures; 0 for what one pass gives alone.
        route: "auto", "gram" or "exact"; see `Comparison.route`.
        heads: (g_a, g_b), the other function of p(y|x) ∝ exp f(x)·g(y): (labels, p), (labels, q).
        biases: the output biases of both models (labels,), or True where they are not at hand.
        engine: "threads" (default), "processes", "dask://HOST:PORT", or an Engine.
        progress: called with (shards done, shards in all).
        command: what to show as the command that made the page.

    Example:
        >>> rows = np.random.default_rng(0).normal(size=(500, 4))
        >>> compare(rows, rows[:, [2, 0, 3, 1]] * [1, -2, 3, 4] + 1).verdict
        ('scaled-permutation',)
    """
    _refuse_odd(
        threshold=threshold, level=level, folds=folds, seed=seed, rows=rows, sample=sample,
        route=route,
    )  # fmt: skip
    with align(a, b, on=on, a_key=a_key, b_key=b_key) as pair:
        left, right = pair.a, pair.b
        settings: dict[str, Any] = {
            "rows_a": left.rows + pair.dropped.a_only,
            "rows_b": right.rows + pair.dropped.b_only,
            "sample": sample,
            "route": route,
            "on": on,
            "note": pair.note,
            "command": command,
        }
        hints = _left_out(left) + _left_out(right)
        chosen = None
        if rows is not None and rows < left.rows:
            chosen = _chosen(left.rows, rows, seed)
            left, right = _taken(left, chosen), _taken(right, chosen)
        deal = Deal(left.rows, left.columns + right.columns, folds, seed)
        with blas_for(deal.width):
            summary = summarise(
                left, right, deal, _engine(engine), sample=sample, route=route, progress=progress
            )
        tied = (
            None
            if heads is None
            else _tie(left, right, heads, biases=biases, folds=folds, seed=seed)
        )
    about = {
        "coset": version("coset"),
        "a": left.name,
        "b": right.name,
        "columns_a": left.columns,
        "columns_b": right.columns,
        "rows": deal.rows,
        "threshold": threshold,
        "level": level,
        "seed": seed,
    }
    with blas_for(deal.width):
        rungs = score_rungs(summary, threshold=threshold, level=level, about=about)
        measures, notes = measures_of(summary)
        found = summary.whole().cca()
        verdict = judge(rungs, summary, threshold, found.ranks)
    hints += shared_directions(rungs, verdict.groups, found.correlations, found.ranks)
    if any(pair.dropped):
        hints += (
            f"{pair.dropped.a_only:,} rows of a and {pair.dropped.b_only:,} rows of b have no "
            f"partner under the key and were left out",
        )
    return Comparison(
        groups=rungs,
        measures=measures,
        threshold=threshold,
        level=level,
        settings=settings,
        heads=tied,
        _verdict=replace(verdict, hints=(*verdict.hints, *hints)),
        _summary=summary,
        _cca=found,
        _notes=notes,
        _row_numbers=summary.sampled if chosen is None else chosen[summary.sampled],
    )


def _left_out(source: Source) -> tuple[str, ...]:
    return tuple(
        f"column {column!r} of {source.name} is called like a key and was left out of the numbers; "
        f"if rows may be in another order, join by it: --on {column}"
        for column in source.left_out
    )


def _engine(given: Engine | str | None) -> Engine:
    return engine_of(given) if given is None or isinstance(given, str) else given


def _refuse_odd(
    *,
    threshold: float,
    level: float,
    folds: int,
    seed: int,
    rows: int | None,
    sample: int,
    route: str,
) -> None:
    for name, value in {"folds": folds, "seed": seed, "rows": rows, "sample": sample}.items():
        if value is not None and not isinstance(value, int | np.integer):
            raise BadInput(f"{name}={value!r}; a whole number is needed")
    for name, share in {"threshold": threshold, "level": level}.items():
        if not isinstance(share, int | float | np.floating):
            raise BadInput(f"{name}={share!r}; a number is needed")
    if not 0 < threshold <= 1:
        raise BadInput(f"threshold={threshold}; an R² in (0, 1] is needed")
    if not 0 < level < 1:
        raise BadInput(f"level={level}; a share strictly between 0 and 1 is needed, such as 0.95")
    if seed < 0 or sample < 0:
        raise BadInput(f"seed={seed} and sample={sample}; neither may be negative")
    known_route(route)


def _chosen(n: int, rows: int, seed: int) -> NDArray[np.intp]:
    if rows < 1:
        raise BadInput(f"rows={rows}; a positive number is needed")
    return np.sort(np.random.default_rng((seed, 6)).choice(n, rows, replace=False))


def _taken(source: Source, chosen: NDArray[np.intp]) -> Source:
    """These rows of a source; what is not finite is named by its row in the whole."""
    rows = source.take(chosen)
    spoiled = np.flatnonzero(~np.isfinite(rows).all(1))
    if len(spoiled):
        refuse_nonfinite(rows[spoiled[0]][None], source.name, int(chosen[spoiled[0]]))
    return open_source(rows, name=source.name)


def _tie(a: Source, b: Source, heads: Sequence[Any], *, biases: Any, folds: int, seed: int) -> Tie:
    if len(heads) != 2:
        raise BadInput(f"heads holds {len(heads)} arrays; two are needed: (g_a, g_b)")
    bias_a, bias_b = (None, None) if isinstance(biases, bool) else biases
    return tie(
        a.read(0, a.rows),
        b.read(0, b.rows),
        heads=(heads[0], heads[1]),
        biases=biases is not False,
        bias_a=bias_a,
        bias_b=bias_b,
        folds=folds,
        seed=seed,
    )
