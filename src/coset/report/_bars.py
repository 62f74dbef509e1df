"""Bars: one for each column of a small representation, and the histogram of the errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from coset.report._frame import Frame, axes, band
from coset.report._numbers import brief, count, plain, score
from coset.report._scales import Scale, score_floor, ticks
from coset.report._svg import drawing, join, tag


@dataclass(frozen=True)
class Panel:
    """Scores of the columns of one side."""

    title: str
    names: Sequence[str]
    values: Sequence[float | None]
    kind: str


def column_bars(label: str, panels: Sequence[Panel], frame: Frame) -> Markup:
    """Panels one below another, a bar for each column."""
    parts = [
        tag("g", _panel(panel, frame), transform=f"translate(0 {index * frame.height:g})")
        for index, panel in enumerate(panels)
    ]
    return drawing(frame.width, frame.height * len(panels), label, *parts)


def _panel(panel: Panel, frame: Frame) -> Markup:
    size = len(panel.values)
    x = frame.x(0, size)
    y = frame.y(score_floor(v for v in panel.values if v is not None), 1.0)
    step = x(1) - x(0)
    width = max(step * 0.72, 1.0)
    bars, hits = [], []
    for index, value in enumerate(panel.values):
        middle = x(index + 0.5)
        if value is not None:
            bars.append(_bar(middle, width, value, y, panel.kind))
        hits.append(band(middle - step / 2, middle + step / 2, frame,
                         f"{panel.names[index]}\nR² {score(value)}"))  # fmt: skip
    marks = [(v, plain(v)) for v in (-0.25, 0.0, 0.5, 1.0) if v >= y.low]
    named = [(v + 0.5, count(v)) for v in ticks(0, size - 1, 8, whole=True)]
    return join([
        axes(frame, x, y, named, marks, "column", panel.title), *bars, *hits,
    ])  # fmt: skip


def _bar(middle: float, width: float, value: float, y: Scale, kind: str) -> Markup:
    if value < y.low:
        foot = y(y.low)
        return tag("path", d=f"M{middle - 4:.1f} {foot - 7:.1f}h8l-4 7z", class_="c-off")
    top, foot = y(max(value, 0.0)), y(min(value, 0.0))
    return tag("rect", x=middle - width / 2, y=top, width=width, height=max(foot - top, 1.0),
               class_=f"c-bar {kind}")  # fmt: skip


@dataclass(frozen=True)
class Histogram:
    """How many rows fall between consecutive edges, and how many beyond the last."""

    title: str
    counts: Sequence[float]
    beyond: float = 0.0


def histograms(
    label: str, edges: Sequence[float], both: Sequence[Histogram], frame: Frame
) -> Markup:
    """The first histogram as bars, the second, where there is one, as an outline over it."""
    x = frame.x(edges[0], edges[-1])
    y = frame.y(0, max(1.0, *(max(one.counts) for one in both)))
    filled = [
        tag("rect", x=x(low), y=y(many), width=max(x(high) - x(low) - 0.8, 0.5),
            height=y(0) - y(many), class_="c-bar c-ab")
        for low, high, many in zip(edges, edges[1:], both[0].counts)
    ]  # fmt: skip
    outlines = [
        tag("path", d=_outline(edges, one, x, y), class_="c-step c-ba", fill="none")
        for one in both[1:]
    ]
    hits = [
        band(x(low), x(high), frame, _tip(low, high, [one.counts[place] for one in both], both))
        for place, (low, high) in enumerate(pairwise(edges))
    ]
    return drawing(
        frame.width,
        frame.height,
        label,
        axes(
            frame, x, y,
            [(v, plain(v)) for v in ticks(x.low, x.high, 5)],
            [(v, count(v)) for v in ticks(0, y.high, 4, whole=True)],
            "relative error of a row", "rows",
        ),
        *filled, *outlines, *hits,
    )  # fmt: skip


def _outline(edges: Sequence[float], steps: Histogram, x: Scale, y: Scale) -> str:
    d = f"M{x(edges[0]):.1f} {y(0):.1f}"
    for high, many in zip(edges[1:], steps.counts):
        d += f"V{y(many):.1f}H{x(high):.1f}"
    return d + f"V{y(0):.1f}"


def _tip(low: float, high: float, found: Sequence[float], both: Sequence[Histogram]) -> str:
    lines = [f"{one.title}: {count(many)} rows" for one, many in zip(both, found)]
    return "\n".join([f"error {brief(low)} to {brief(high)}", *lines])
