"""Before and after: two dots and the mark of chance on a line, and the small track of a measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from coset.report._frame import Frame
from coset.report._numbers import plain, score
from coset.report._scales import Scale
from coset.report._svg import drawing, join, tag


@dataclass(frozen=True)
class Change:
    """One share before and after the map, and by chance."""

    name: str
    before: float | None
    after: float | None
    chance: float | None

    @property
    def tip(self) -> str:
        """The three numbers in words."""
        return (
            f"{self.name}\nas it is {score(self.before)}\nafter the map {score(self.after)}"
            f"\nchance {score(self.chance)}"
        )


def changes(label: str, rows: Sequence[Change], frame: Frame) -> Markup:
    """A line for each share, from 0 to 1."""
    step = 58
    height = 14 + step * len(rows) + 28
    x = Scale(0.0, 1.0, 8, frame.width - 10)
    grid = [
        join([
            tag("path", d=f"M{x(v):.1f} 8V{height - 26}", class_="c-grid"),
            tag("text", plain(v), x=x(v), y=height - 8, text_anchor="middle", class_="c-tick"),
        ])
        for v in (0.0, 0.25, 0.5, 0.75, 1.0)
    ]  # fmt: skip
    lines = [_line(row, x, 14 + step * index, step) for index, row in enumerate(rows)]
    return drawing(frame.width, height, label, *grid, *lines)


def _line(row: Change, x: Scale, top: float, step: float) -> Markup:
    y = top + 38
    parts = [
        tag("rect", x=0, y=top, width=x.stop + 10, height=step, class_="c-catch", fill_opacity="0"),
        tag("text", row.name, x=x.start, y=top + 18, class_="c-name c-halo"),
        tag("text", _ends(row), x=x.stop, y=top + 18, text_anchor="end",
            class_="c-number c-halo"),
        tag("path", d=f"M{x.start:g} {y:g}H{x.stop:g}", class_="c-track"),
    ]  # fmt: skip
    if row.before is not None and row.after is not None:
        parts.append(tag("path", d=f"M{x(row.before):.1f} {y:g}H{x(row.after):.1f}",
                         class_="c-gain"))  # fmt: skip
    if row.chance is not None:
        parts.append(tag("path", d=f"M{x(row.chance):.1f} {y - 7:g}v14", class_="c-luck"))
    if row.before is not None:
        parts.append(tag("circle", cx=x(row.before), cy=y, r=5, class_="c-before"))
    if row.after is not None:
        parts.append(tag("circle", cx=x(row.after), cy=y, r=5.5, class_="c-after"))
    return tag("g", *parts, class_="c-hit", data_tip=row.tip)


def _ends(row: Change) -> str:
    if row.before is None:
        return score(row.after)
    return f"{score(row.before)} → {score(row.after)}"


def track(
    value: float | None, low: float | None, high: float | None, chance: float | None
) -> Markup:
    """A measure on a line from 0 to 1, small enough for a table."""
    x = Scale(0.0, 1.0, 6, 114)
    parts = [tag("path", d="M6 10H114", class_="c-track")]
    if chance is not None:
        parts.append(tag("path", d=f"M{x(chance):.1f} 4v12", class_="c-luck"))
    if low is not None and high is not None:
        parts.append(tag("path", d=f"M{x(low):.1f} 10H{x(high):.1f}", class_="c-span c-ab"))
    if value is not None:
        parts.append(tag("circle", cx=x(value), cy=10, r=4.5, class_="c-point c-ab"))
    return tag("svg", *parts, viewBox="0 0 120 20", width=120, height=20, class_="c-tiny",
               aria_hidden="true")  # fmt: skip
