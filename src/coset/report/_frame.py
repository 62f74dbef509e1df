"""The ground that every chart stands on: margins, grid, ticks and titles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from coset.report._scales import Scale, apart
from coset.report._svg import join, tag

Mark = tuple[float, str]


@dataclass(frozen=True)
class Frame:
    """A chart's size and margins, in units that are pixels at its natural width."""

    width: float = 470
    height: float = 286
    left: float = 46
    right: float = 14
    top: float = 30
    bottom: float = 46

    def x(self, low: float, high: float, *, log: bool = False) -> Scale:
        """A scale over the width."""
        return Scale(low, high, self.left, self.width - self.right, log)

    def y(self, low: float, high: float) -> Scale:
        """A scale over the height, upwards."""
        return Scale(low, high, self.height - self.bottom, self.top)


HALF = Frame()
PHONE = Frame(width=320, height=236, left=45, right=10)


def axes(
    frame: Frame,
    x: Scale,
    y: Scale,
    x_marks: Sequence[Mark],
    y_marks: Sequence[Mark],
    x_title: str,
    y_title: str,
) -> Markup:
    """Horizontal grid, ticks along both sides, and their titles."""
    foot, right = frame.height - frame.bottom, frame.width - frame.right
    grid = [
        join([
            tag("path", d=f"M{frame.left:g} {y(v):.1f}H{right:g}",
                class_="c-grid c-zero" if v == 0 else "c-grid"),
            tag("text", text, x=frame.left - 8, y=y(v) + 4, text_anchor="end", class_="c-tick"),
        ])
        for v, text in y_marks
    ]  # fmt: skip
    widest = max((len(text) for _, text in x_marks), default=1)
    below = [
        join([
            tag("path", d=f"M{at:.1f} {foot:g}v5", class_="c-grid"),
            tag("text", text, x=min(at, frame.width - 1 - 3.8 * len(text)), y=foot + 18,
                text_anchor="middle", class_="c-tick"),
        ])
        for at, text in apart([(x(v), text) for v, text in x_marks], 14 + 6.6 * widest)
    ]  # fmt: skip
    return join([
        *grid,
        *below,
        tag("text", y_title, x=0, y=13, class_="c-head"),
        tag("text", x_title, x=right, y=frame.height - 6, text_anchor="end", class_="c-head"),
    ])  # fmt: skip


def band(x0: float, x1: float, frame: Frame, tip: str) -> Markup:
    """An invisible stretch of the chart that shows `tip` when pointed at."""
    return tag(
        "rect", x=min(x0, x1), y=frame.top, width=max(abs(x1 - x0), 1.0),
        height=frame.height - frame.top - frame.bottom, class_="c-hit c-catch", fill_opacity="0",
        data_tip=tip,
    )  # fmt: skip
