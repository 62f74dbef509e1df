"""Line charts: a few series over one axis, long ones thinned to what the eye can see."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from coset.report._frame import Frame, Mark, axes, band
from coset.report._numbers import plain
from coset.report._scales import Scale, score_floor, thin, ticks
from coset.report._svg import drawing, join, path, tag

MOST_POINTS = 200
MOST_BANDS = 40


@dataclass(frozen=True)
class Series:
    """One line: how it is drawn (a class of the style sheet), and its points."""

    kind: str
    xs: Sequence[float]
    ys: Sequence[float | None]
    dots: bool = False


@dataclass(frozen=True)
class Lines:
    """What a line chart shows, whatever its size."""

    label: str
    series: tuple[Series, ...]
    x_marks: tuple[Mark, ...]
    x_title: str
    y_title: str
    tips: Callable[[int], str]
    log: bool = False
    threshold: float | None = None
    needed: float | None = None
    span: tuple[float, float] | None = None
    """Ends of the values where they are no scores."""

    def draw(self, frame: Frame) -> Markup:
        """The chart in the given frame."""
        xs = self.series[0].xs
        x = frame.x(min(xs), max(xs), log=self.log)
        shown = [value for one in self.series for value in one.ys if value is not None]
        if self.span is None:
            y = frame.y(score_floor(shown), max(1.0, *shown) if shown else 1.0)
            levels = [v for v in (-0.25, 0.0, 0.25, 0.5, 0.75, 1.0) if y.low <= v <= y.high]
        else:
            y = frame.y(*self.span)
            levels = ticks(*self.span, 4)
        marks = [(v, plain(v)) for v in levels]
        return drawing(
            frame.width,
            frame.height,
            self.label,
            axes(frame, x, y, self.x_marks, marks, self.x_title, self.y_title),
            self._limits(frame, x, y),
            join(_trace(one, x, y) for one in self.series),
            join(_bands(xs, x, frame, self.tips)),
        )

    def _limits(self, frame: Frame, x: Scale, y: Scale) -> Markup:
        parts = []
        if self.threshold is not None:
            right = frame.width - frame.right
            parts.append(tag("path", d=f"M{frame.left:g} {y(self.threshold):.1f}H{right:g}",
                             class_="c-threshold"))  # fmt: skip
        if self.needed is not None:
            foot = frame.height - frame.bottom
            parts.append(tag("path", d=f"M{x(self.needed):.1f} {foot:g}V{frame.top:g}",
                             class_="c-needed"))  # fmt: skip
        return join(parts)


def _trace(series: Series, x: Scale, y: Scale) -> Markup:
    runs: list[list[tuple[float, float]]] = [[]]
    for index in thin(len(series.xs), MOST_POINTS):
        value = series.ys[index]
        if value is None:
            runs.append([])
        else:
            runs[-1].append((series.xs[index], value))
    parts = [
        tag("path", d=path([(x(at), y(value)) for at, value in run]),
            class_=f"c-line {series.kind}", fill="none")
        for run in runs
        if len(run) > 1
    ]  # fmt: skip
    dots = [run for run in runs if series.dots or len(run) == 1]
    parts += [_point(x(at), value, y, series.kind) for run in dots for at, value in run]
    return join(parts)


def _point(at: float, value: float, y: Scale, kind: str) -> Markup:
    if value < y.low:
        return tag("path", d=f"M{at - 5:.1f} {y(y.low) - 9:.1f}h10l-5 9z", class_="c-off")
    return tag("circle", cx=at, cy=y(value), r=3.6, class_=f"c-point {kind}")


def _bands(xs: Sequence[float], x: Scale, frame: Frame, tips: Callable[[int], str]) -> list[Markup]:
    chosen = thin(len(xs), MOST_BANDS)
    middles = [x(xs[index]) for index in chosen]
    edges = [
        frame.left,
        *[(one + two) / 2 for one, two in pairwise(middles)],
        frame.width - frame.right,
    ]
    return [
        band(edges[place], edges[place + 1], frame, tips(index))
        for place, index in enumerate(chosen)
    ]
