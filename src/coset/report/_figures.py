"""The figures of the whole: the ladder, and the directions that are shared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from coset.report._figure import Figure, Key, Table
from coset.report._frame import HALF, PHONE
from coset.report._ladder import ladder, row_of_table
from coset.report._layout import MIDDLE, NARROW, WIDE
from coset.report._lines import Lines, Series
from coset.report._numbers import count, known, number, numbers, percent, plain, score
from coset.report._rungs import Rung
from coset.report._scales import FLOOR, thin, ticks

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
    beyond = any(rung.r2 is not None and rung.r2 < FLOOR for rung in rungs)
    head = ("group", "map", "state", "R²", f"{percent(level)} interval", "a → b", "b → a",
            "chance")  # fmt: skip
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
            *([Key("left", f"below the axis: less than {plain(FLOOR)}")] if beyond else []),
        ),
        full=True,
    )


def correlations_figure(comparison: Mapping[str, Any]) -> Figure | None:
    """Canonical correlations: fitted, held out, by chance."""
    given = comparison.get("correlations") or {}
    kinds = (("held_out", "held", "held out"), ("in_sample", "sample", "in sample"),
             ("chance", "chance", "held out, rows of b shuffled"))  # fmt: skip
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
        x_marks=tuple(
            (v, count(v)) for v in sorted({1.0, *ticks(1, size, 5, whole=True), float(size)})
        ),
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
        "believe the held-out ones, and only as far as they are above those of shuffled rows.",
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
