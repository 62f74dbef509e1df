"""How far rows are from the map: the histogram of their errors, and the worst of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from coset.report._bars import Histogram, histograms
from coset.report._figure import Figure, Key, Table
from coset.report._frame import HALF, PHONE
from coset.report._numbers import MISSING, count, known, numbers, plain, score


def residuals_figure(comparison: Mapping[str, Any]) -> Figure | None:
    """How large the error of a row is, both ways."""
    given = comparison.get("residuals") or {}
    found = [_histogram(way, given.get(key)) for key, way in (("ab", "a → b"), ("ba", "b → a"))]
    both = [one for one in found if one is not None]
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
        caption=f"Held-out error of the {given.get('group') or 'fitted'} map, row by row: "
        "0 is a perfect fit.",
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
    residuals = comparison.get("residuals") or {}
    given = residuals.get("worst_ab") or (residuals.get("ab") or {}).get("worst") or ()
    rows = [(str(one.get("row")), score(one.get("error"))) for one in given]
    return [row for row in rows if row[1] != MISSING][:10]
