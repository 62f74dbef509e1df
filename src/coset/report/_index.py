"""What the owner of an index asks: recall before and after the map, and how many pairs it needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from coset.report._dots import Change, changes
from coset.report._figure import Figure, Key, Table
from coset.report._frame import HALF, PHONE
from coset.report._lines import Lines, Series
from coset.report._numbers import JOINED, count, known, number, numbers, plain, score
from coset.report._scales import sinks


def search_figure(comparison: Mapping[str, Any]) -> Figure | None:
    """Recall before and after the map."""
    search = comparison.get("search")
    if not search:
        return None
    rows = _changes(search)
    if not rows:
        return None
    queries, index = search.get("queries"), search.get("index")
    size = f"{count(queries)} queries from b, an index of {count(index)} rows of a. " if (
        number(queries) is not None and number(index) is not None
    ) else ""  # fmt: skip
    by, metric = search.get("group") or "the best", search.get("metric") or "cosine"
    how = f"Right is what the old queries find. Map: {by}. Distance: {metric}."
    missing = any(row.before is None for row in rows)
    label = "Recall before and after the map. " + "; ".join(r.tip.replace("\n", ", ") for r in rows)
    return Figure(
        key="search",
        title="Searching the old index with new queries",
        caption=size + how + (" Without a map the two cannot be searched together." if missing
                              else ""),
        wide=changes(label, rows, HALF),
        narrow=changes(label, rows, PHONE),
        table=Table(
            ("share found", "as it is", "after the map", "chance"),
            [(r.name, score(r.before), score(r.after), score(r.chance)) for r in rows],
        ),
        keys=(Key("before", "as it is"), Key("after", "after the map"),
              Key("chance-tick", "chance")),
    )  # fmt: skip


def _changes(search: Mapping[str, Any]) -> list[Change]:
    parts = [search.get(key) or {} for key in ("before", "after", "chance")]
    sizes = sorted({str(k) for part in parts for k in part}, key=lambda k: (len(k), k))
    rows = [
        Change(f"Recall at {k}", *(number(_at(part, k)) for part in parts)) for k in sizes
    ]  # fmt: skip
    own = (number(search.get(f"item_{key}")) for key in ("before", "after", "chance"))
    rows.append(Change("Finds its own row first", *own))
    return [row for row in rows if known((row.before, row.after))]


def _at(part: Mapping[Any, Any], key: str) -> Any:
    return next((value for name, value in part.items() if str(name) == key), None)


def learning_figure(comparison: Mapping[str, Any]) -> Figure | None:
    """How many paired rows the map needs."""
    curve = comparison.get("learning_curve") or {}
    pairs = [
        (at, value)
        for at, value in zip(numbers(curve.get("rows")), numbers(curve.get("r2")))
        if at is not None and at > 0
    ]
    if not known(value for _, value in pairs):
        return None
    rows, values = [at for at, _ in pairs], [value for _, value in pairs]
    needed = number(curve.get("needed"))
    threshold = number(comparison.get("threshold"))
    said = _said(rows, values, needed, threshold)
    chart = Lines(
        label=f"R² of the map against the rows it was fitted on. {said}",
        series=(Series("c-held", rows, values, dots=True),),
        x_marks=tuple((at, count(at)) for at in rows),
        x_title="paired rows",
        y_title="held-out two-way R²",
        tips=lambda i: f"{count(rows[i])} paired rows\nR² {score(values[i])}",
        log=True,
        threshold=threshold,
        needed=needed,
    )
    return Figure(
        key="learning",
        title="How many pairs the map needs",
        caption=f"{said} Group: {curve.get('group') or 'the verdict'}.",
        wide=chart.draw(HALF),
        narrow=chart.draw(PHONE),
        table=Table(("paired rows", "R²"), [(count(at), score(v)) for at, v in pairs]),
        keys=(
            Key("held", "held-out R²"),
            *([] if threshold is None else [Key("limit", f"threshold {plain(threshold)}")]),
            *([] if needed is None else [Key("needed", f"{count(needed)} rows")]),
            *([Key("below", "below the axis")] if sinks(values) else []),
        ),
    )


def _said(
    rows: list[float], values: list[float | None], needed: float | None, threshold: float | None
) -> str:
    """How many rows come close to what all give, and whether that is enough."""
    last, every = values[-1], count(rows[-1])
    if needed is None:
        said = f"Even all {every} paired rows give no more than R²{JOINED}{score(last)}."
    elif needed == rows[-1]:
        said = f"The score still climbs: all {every} paired rows give R²{JOINED}{score(last)}."
    else:
        fewest = f"{count(needed)} paired rows" + (" or fewer" if needed == rows[0] else "")
        said = f"{fewest} come within 0.01 of what all {every} give (R²{JOINED}{score(last)})."
    if threshold is None or last is None or last >= threshold:
        return said
    return f"{said} The threshold of {plain(threshold)} is not reached."
