"""Figures of what the map leaves: columns explained well or badly, rows that fit badly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from coset.report._bars import Histogram, Panel, column_bars, histograms
from coset.report._figure import Figure, Key, Table
from coset.report._frame import HALF, PHONE, Frame
from coset.report._lines import Lines, Series
from coset.report._numbers import MISSING, count, known, numbers, plain, score

MOST_COLUMNS = 60
QUANTILES = {0: "lowest", 5: "5 % quantile", 25: "25 % quantile", 50: "median",
             75: "75 % quantile", 95: "95 % quantile", 100: "highest"}  # fmt: skip
WORST = 20
SIDES = (("ab", "b", "a → b", "names_b"), ("ba", "a", "b → a", "names_a"))


def columns_figure(comparison: Mapping[str, Any]) -> Figure | None:
    """R² of each column; beyond sixty, the sorted curve of all of them."""
    given = comparison.get("columns") or {}
    sides = {key: numbers(given.get(key)) for key, *_ in SIDES}
    if not any(known(values) for values in sides.values()):
        return None
    names = {key: _names(given.get(where), len(sides[key])) for key, _, _, where in SIDES}
    present = [(key, side, way) for key, side, way, _ in SIDES if known(sides[key])]
    few = all(len(sides[key]) <= MOST_COLUMNS for key, _, _ in present)
    label = "How far each column is explained. " + "; ".join(
        f"{way}: median R² {score(np.median(known(sides[key])))}" for key, _, way in present
    )
    worst = ". ".join(
        f"Least explained in {side}: {_least(names[key], sides[key])}" for key, side, _ in present
    )
    charts = _bars(label, present, sides, names) if few else _curves(label, present, sides)
    return Figure(
        key="columns",
        title="How far each column is explained",
        caption=f"Held-out R² by the {given.get('group') or 'fitted'} map. {worst}.",
        wide=charts[0],
        narrow=charts[1],
        table=_every(present, sides, names) if few else _summary(present, sides, names),
        keys=tuple(Key(key if not few else "bars", f"{way}: columns of {side}")
                   for key, side, way in present) if not few else (),
    )  # fmt: skip


def _names(given: Any, size: int) -> list[str]:
    told = [] if given is None else [str(name) for name in given]
    return told if len(told) == size else [f"column {index}" for index in range(size)]


def _ordered(names: Sequence[str], values: Sequence[float | None]) -> list[tuple[float, str]]:
    pairs = [(v, name) for v, name in zip(values, names) if v is not None]
    return sorted(pairs, key=lambda pair: pair[0])


def _least(names: Sequence[str], values: Sequence[float | None]) -> str:
    return ", ".join(f"{name} ({score(v)})" for v, name in _ordered(names, values)[:3])


def _bars(label: str, present: Any, sides: Any, names: Any) -> tuple[Any, Any]:
    panels = [
        Panel(f"{way}: R² of the columns of {side}", names[key], sides[key], f"c-{key}")
        for key, side, way in present
    ]
    wide = Frame(width=470, height=178, top=26, bottom=42)
    phone = Frame(width=320, height=168, left=45, right=10, top=26, bottom=42)
    return column_bars(label, panels, wide), column_bars(label, panels, phone)


def _curves(label: str, present: Any, sides: Any) -> tuple[Any, Any]:
    shares = [index / 2 for index in range(201)]
    curves = {
        key: [float(v) for v in np.quantile(known(sides[key]), [1 - s / 100 for s in shares])]
        for key, _, _ in present
    }
    chart = Lines(
        label=label,
        series=tuple(Series(f"c-{key}", shares, curves[key]) for key, _, _ in present),
        x_marks=tuple((float(v), f"{v} %") for v in (0, 25, 50, 75, 100)),
        x_title="share of columns, best first",
        y_title="held-out R² of a column",
        tips=lambda i: "\n".join(
            [f"{plain(shares[i])} % of the columns have at least"]
            + [f"{way} R² {score(curves[key][i])}" for key, _, way in present]
        ),
    )
    return chart.draw(HALF), chart.draw(PHONE)


def _every(present: Any, sides: Any, names: Any) -> Table:
    rows = [
        (name, way, score(value))
        for key, _, way in present
        for name, value in zip(names[key], sides[key])
    ]
    return Table(("column", "map", "R²"), rows)


def _summary(present: Any, sides: Any, names: Any) -> Table:
    rows = [
        (word, way, score(np.quantile(known(sides[key]), q / 100)))
        for key, _, way in present
        for q, word in QUANTILES.items()
    ]
    least = [
        (name, way, score(value))
        for key, _, way in present
        for value, name in _ordered(names[key], sides[key])[:WORST]
    ]
    return Table(("columns", "map", "R²"), rows + least,
                 f"Quantiles, then the {WORST} least explained columns each way.")  # fmt: skip


def residuals_figure(comparison: Mapping[str, Any]) -> Figure | None:
    """How large the error of a row is, both ways."""
    given = comparison.get("residuals") or {}
    found = {key: _histogram(way, given.get(key)) for key, _, way, _ in SIDES}
    both = [one for one in found.values() if one is not None]
    if not both:
        return None
    second = both[1] if len(both) > 1 else None
    label = "Histogram of the relative error of each row, " + " and ".join(h.title for h in both)
    rows = [
        (f"{plain(low)} to {plain(high)}", one.title, count(many))
        for one in both
        for low, high, many in zip(one.edges, one.edges[1:], one.counts)
    ]
    return Figure(
        key="residuals",
        title="How far rows are from the map",
        caption=f"Held-out error of the {given.get('group') or 'fitted'} map, row by row: 0 is a perfect fit.",
        wide=histograms(label, both[0], second, HALF),
        narrow=histograms(label, both[0], second, PHONE),
        table=Table(("relative error", "map", "rows"), rows),
        keys=(Key("bars", both[0].title), *([Key("step", second.title)] if second else [])),
    )


def _histogram(way: str, given: Any) -> Histogram | None:
    edges = known(numbers((given or {}).get("edges")))
    counts = [value or 0.0 for value in numbers((given or {}).get("counts"))]
    if len(edges) != len(counts) + 1 or len(counts) < 1 or not edges[-1] > edges[0]:
        return None
    return Histogram(way, edges, counts)


def worst_rows(comparison: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The rows that fit worst, as text."""
    given = (comparison.get("residuals") or {}).get("worst_ab") or ()
    rows = [(str(one.get("row")), score(one.get("error"))) for one in given]
    return [row for row in rows if row[1] != MISSING][:10]


