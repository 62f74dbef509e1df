"""From the parts of a comparison to figures: the ladder, the index, the directions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from coset.report._dots import Change, changes
from coset.report._figure import Figure, Key, Table
from coset.report._frame import HALF, PHONE
from coset.report._ladder import MIDDLE, NARROW, WIDE, ladder, row_of_table
from coset.report._lines import Lines, Series
from coset.report._numbers import count, known, number, numbers, percent, plain, score
from coset.report._rungs import Rung
from coset.report._scales import thin, ticks

MOST_ROWS = 64


def threshold_of(comparison: Mapping[str, Any]) -> float:
    """The threshold in force, the default where it is not told."""
    found = number(comparison.get("threshold"))
    return 0.95 if found is None else found


def ladder_figure(comparison: Mapping[str, Any], rungs: list[Rung]) -> Figure | None:
    """The ten rungs."""
    if not rungs:
        return None
    threshold = threshold_of(comparison)
    level = number(comparison.get("level")) or 0.95
    head = ("group", "map", "state", "R²", f"{percent(level)} interval", "a → b", "b → a",
            "chance", "note")  # fmt: skip
    return Figure(
        key="ladder",
        title="How strict a map is enough",
        caption="Climb from the bottom: the first rungs that hold are the verdict. Lines join each "
        "class of maps to the ones that contain it.",
        wide=ladder(rungs, threshold, level, WIDE),
        middle=ladder(rungs, threshold, level, MIDDLE),
        narrow=ladder(rungs, threshold, level, NARROW),
        table=Table(head, [row_of_table(rung) for rung in rungs]).tidy(),
        keys=(
            Key("holds", "holds"),
            Key("fails", "does not hold"),
            Key("span", f"{percent(level)} interval"),
            Key("chance-tick", "chance: rows of b shuffled"),
            Key("threshold", "threshold for its lower end"),
            Key("edge", "is contained in"),
        ),
        full=True,
    )


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
    how = f"Map: {search.get('group') or 'the best'}. Distance: {search.get('metric') or 'cosine'}."
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
    same = search.get("same_item")
    if same:
        values = [number(same.get(key)) for key in ("before", "after", "chance")]
        rows.append(Change("Finds its own row first", *values))
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
    threshold = number(curve.get("threshold"))
    limit = "the threshold" if threshold is None else f"R² {plain(threshold)}"
    said = (
        f"{count(needed)} paired rows are enough to reach {limit}."
        if needed is not None
        else f"No number of rows tried reaches {limit}."
    )
    chart = Lines(
        label=f"R² of the map against the rows it was fitted on. {said}",
        series=(Series("c-held", rows, values, dots=True),),
        x_marks=tuple((at, count(at)) for at in rows),
        x_title="paired rows",
        y_title="held-out two-way R²",
        tips=lambda i: f"{count(rows[i])} paired rows\nR² {score(values[i])}",
        log=True,
        threshold=threshold,
        needed=needed if needed is not None and rows[0] <= needed <= rows[-1] else None,
    )
    return Figure(
        key="learning",
        title="How many pairs the map needs",
        caption=f"{said} Group: {curve.get('group') or 'the verdict'}.",
        wide=chart.draw(HALF),
        narrow=chart.draw(PHONE),
        table=Table(("paired rows", "R²"), [(count(at), score(v)) for at, v in pairs]),
        keys=(Key("held", "held-out R²"), *([Key("threshold", f"threshold {plain(threshold)}")]
              if threshold is not None else [])),
    )  # fmt: skip


def correlations_figure(comparison: Mapping[str, Any]) -> Figure | None:
    """Canonical correlations: fitted, held out, by chance."""
    given = comparison.get("correlations") or {}
    kinds = (("held_out", "held", "held out"), ("in_sample", "sample", "in sample"),
             ("chance", "chance", "chance"))  # fmt: skip
    series = {key: numbers(given.get(key)) for key, _, _ in kinds}
    size = max(len(values) for values in series.values())
    if not any(known(values) for values in series.values()):
        return None
    padded = {key: _pad(values, size) for key, values in series.items()}
    present = [(key, kind, word) for key, kind, word in kinds if known(series[key])]
    xs = [float(index + 1) for index in range(size)]
    chart = Lines(
        label=f"{count(size)} canonical correlations in descending order, "
        + ", ".join(word for _, _, word in present),
        series=tuple(Series(f"c-{kind}", xs, padded[key]) for key, kind, _ in present[::-1]),
        x_marks=tuple((v, count(v)) for v in sorted({1.0, *ticks(1, size, 5, whole=True), float(size)})),
        x_title="direction",
        y_title="canonical correlation",
        tips=lambda i: "\n".join(
            [f"direction {count(i + 1)}"]
            + [f"{word} {score(padded[key][i])}" for key, _, word in present]
        ),
    )
    chosen = thin(size, MOST_ROWS)
    note = "" if len(chosen) == size else f"{len(chosen)} of {count(size)} directions."
    return Figure(
        key="correlations",
        title="How many directions are shared",
        caption="Correlation of the best matched directions. In-sample values flatter; "
        "believe the held-out ones, and only as far as they are above chance.",
        wide=chart.draw(HALF),
        narrow=chart.draw(PHONE),
        table=Table(
            ("direction", *(word for _, _, word in present)),
            [(count(i + 1), *(score(padded[key][i]) for key, _, _ in present)) for i in chosen],
            note,
        ),
        keys=tuple(Key(kind, word) for _, kind, word in present),
    )


def _pad(values: Sequence[float | None], size: int) -> list[float | None]:
    return [*values, *[None] * (size - len(values))]


