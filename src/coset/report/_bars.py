"""Bars: one for each column of a small representation, and the histogram of the errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from coset.report._frame import Frame, axes, band
from coset.report._numbers import count, plain, score
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
    """How many rows fall between consecutive edges."""

    title: str
    edges: Sequence[float]
    counts: Sequence[float]


def histograms(label: str, bars: Histogram, steps: Histogram | None, frame: Frame) -> Markup:
    """One histogram as bars, the other as an outline over it."""
    both = [one for one in (bars, steps) if one is not None]
    x = frame.x(min(one.edges[0] for one in both), max(one.edges[-1] for one in both))
    y = frame.y(0, max(1.0, *(max(one.counts) for one in both)))
    filled = [
        tag("rect", x=x(low), y=y(many), width=max(x(high) - x(low) - 0.8, 0.5),
            height=y(0) - y(many), class_="c-bar c-ab")
        for low, high, many in zip(bars.edges, bars.edges[1:], bars.counts)
    ]  # fmt: skip
    outline = None if steps is None else tag("path", d=_outline(steps, x, y), class_="c-step c-ba",
                                             fill="none")  # fmt: skip
    hits = [
        band(x(low), x(high), frame, _tip(low, high, both))
        for low, high in zip(bars.edges, bars.edges[1:])
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
        *filled, outline, *hits,
    )  # fmt: skip


def _outline(steps: Histogram, x: Scale, y: Scale) -> str:
    d = f"M{x(steps.edges[0]):.1f} {y(0):.1f}"
    for high, many in zip(steps.edges[1:], steps.counts):
        d += f"V{y(many):.1f}H{x(high):.1f}"
    return d + f"V{y(0):.1f}"


def _tip(low: float, high: float, both: Sequence[Histogram]) -> str:
    """The bar, and the step of the other histogram that lies in its middle."""
    lines = []
    for one in both:
        for start, stop, many in zip(one.edges, one.edges[1:], one.counts):
            if start <= (low + high) / 2 < stop:
                lines.append(f"{one.title}: {count(many)} rows at {score(start)} to {score(stop)}")
    return "\n".join(lines)
