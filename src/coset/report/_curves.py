"""How a score moved while a cell was at work, seed by seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from coset.report._figure import Figure, Key, Table
from coset.report._frame import HALF, PHONE
from coset.report._lines import Lines, Series
from coset.report._names import clipped
from coset.report._numbers import brief, count, known, number, plain, score
from coset.report._scales import log_ticks, score_floor, thin, ticks

MOST_SEEDS = 12
MOST_ROWS = 24
UNIT = 1.02


def curve_figure(key: str, curve: Mapping[str, Any]) -> Figure | None:
    """A curve over steps, negatives or widths: a thin line for each seed, a thick one for all."""
    log = bool(curve.get("logarithmic", True))
    points = _points(curve, log=log)
    if len(points) < 2:
        return None
    name, along = str(curve.get("name") or "score"), str(curve.get("along") or "steps")
    xs = [at for at, _ in points]
    means = [_mean(values) for _, values in points]
    many = max(len(values) for _, values in points)
    seeds = [
        Series("c-seed", xs, [_at(values, place) for _, values in points])
        for place in (range(min(many, MOST_SEEDS)) if many > 1 else ())
    ]
    shown = known([*means, *(value for _, values in points for value in values)])
    span = None if _is_score(shown) else (min(shown), max(shown))
    marks = log_ticks(xs[0], xs[-1]) if log else ticks(xs[0], xs[-1], 5)
    chart = Lines(
        label=f"{name} over {along}: from {score(means[0])} at {count(xs[0])} to "
        f"{score(means[-1])} at {count(xs[-1])}",
        series=(Series("c-held", xs, means, dots=len(xs) <= 8), *seeds),
        x_marks=tuple((at, plain(at)) for at in marks),
        x_title=clipped(along, 24) + (", log scale" if log else ""),
        y_title=clipped(name, 38),
        tips=lambda i: (
            f"{along} {count(xs[i])}\nmean {brief(means[i])}\nseeds "
            + ", ".join(brief(value) for value in points[i][1][:MOST_SEEDS])
        ),
        log=log,
        span=span,
    )
    chosen = thin(len(points), MOST_ROWS)
    titles = [f"seed {place}" for place in range(min(many, MOST_SEEDS))] if many > 1 else []
    return Figure(
        key=key,
        title=f"{name} over {along}",
        caption="",
        wide=chart.draw(HALF),
        narrow=chart.draw(PHONE),
        table=Table(
            (along, "mean", *titles),
            [
                (count(xs[i]), brief(means[i]),
                 *(brief(_at(points[i][1], place)) for place in range(len(titles))))
                for i in chosen
            ],
        ),
        keys=(Key("held", "mean over seeds"), Key("seed", "one seed")) if seeds else (),
    )  # fmt: skip


def _points(curve: Mapping[str, Any], *, log: bool) -> list[tuple[float, list[float | None]]]:
    """Where the axis has a place for them, and at least one seed has a value."""
    found = []
    for place, given in zip(curve.get("at") or (), curve.get("values") or ()):
        at = number(place)
        values = [
            number(value) for value in (given if isinstance(given, list | tuple) else [given])
        ]
        if at is not None and (at > 0 or not log) and known(values):
            found.append((at, values))
    return sorted(found, key=lambda point: point[0])


def _at(values: Sequence[float | None], place: int) -> float | None:
    return values[place] if place < len(values) else None


def _mean(values: Sequence[float | None]) -> float | None:
    found = known(values)
    return sum(found) / len(found) if found else None


def _is_score(values: Sequence[float]) -> bool:
    return min(values) >= score_floor(values) and max(values) <= UNIT
