"""How far rows are from the map: the histogram of their errors, and the worst of them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from coset.report._bars import Histogram, histograms
from coset.report._figure import Figure, Key, Table
from coset.report._frame import HALF, PHONE
from coset.report._numbers import MISSING, brief, count, known, number, numbers, score


def residuals_figure(comparison: Mapping[str, Any]) -> Figure | None:
    """How large the error of a row is, both ways."""
    given = comparison.get("residuals") or {}
    edges = known(numbers(given.get("edges")))
    found = [_histogram(way, given.get(key)) for key, way in (("ab", "a → b"), ("ba", "b → a"))]
    if len(edges) < 2 or not edges[-1] > edges[0]:
        return None
    both = [one for one in found if len(one.counts) == len(edges) - 1]
    if not both:
        return None
    label = "Histogram of the relative error of each row, " + " and ".join(h.title for h in both)
    beyond = ", ".join(f"{count(one.beyond)} ({one.title})" for one in both if one.beyond)
    return Figure(
        key="residuals",
        title="How far rows are from the map",
        caption=f"Held-out error of the {given.get('group') or 'fitted'} map, row by row, relative "
        "to the spread of what it should give: 0 is a perfect fit."
        + (f" Rows beyond {brief(edges[-1])}: {beyond}." if beyond else ""),
        wide=histograms(label, edges, both, HALF),
        narrow=histograms(label, edges, both, PHONE),
        table=_table(edges, both),
        keys=tuple(Key(kind, one.title) for kind, one in zip(("bars", "step"), both, strict=False)),
    )


def _histogram(way: str, given: Any) -> Histogram:
    counts = [value or 0.0 for value in numbers((given or {}).get("counts"))]
    return Histogram(way, counts, number((given or {}).get("beyond")) or 0.0)


def _table(edges: list[float], both: list[Histogram]) -> Table:
    """The bins that hold rows, and what lies beyond them."""
    rows = [
        (f"{brief(low)} to {brief(high)}", *(count(one.counts[place]) for one in both))
        for place, (low, high) in enumerate(pairwise(edges))
        if any(one.counts[place] for one in both)
    ]
    if any(one.beyond for one in both):
        rows.append((f"more than {brief(edges[-1])}", *(count(one.beyond) for one in both)))
    return Table(("relative error", *(f"rows, {one.title}" for one in both)), rows)


def worst_rows(comparison: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The rows that the map a → b fits worst, as text."""
    residuals = comparison.get("residuals") or {}
    given = (residuals.get("ab") or {}).get("worst") or ()
    rows = [(str(one.get("row")), score(one.get("error"))) for one in given]
    return [row for row in rows if row[1] != MISSING]
