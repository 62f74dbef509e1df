"""The heat map itself: cells, names along both sides, and a ramp that everyone can read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from coset.report._names import clipped, shortened
from coset.report._numbers import known, score
from coset.report._scales import luminance, ramp
from coset.report._svg import drawing, tag

STEPS = 24
# One direction of lightness each, so that the order survives any kind of colour vision and print.
LIGHT = ("#f4f1e4", "#cfe3c4", "#86c5b4", "#3c93a6", "#1f5c8b", "#182c5c")
DARK = ("#1c2230", "#23466a", "#25758c", "#45a690", "#a6cf7d", "#fbf1a9")
ROOM = 36
"""From this many pixels on, a cell has room for its number."""


@dataclass(frozen=True)
class Grid:
    """A matrix of scores with names, and the span of its colours."""

    title_a: str
    """What the rows are taken from ..."""
    title_b: str
    """... and the columns."""
    names_a: list[str]
    names_b: list[str]
    values: list[list[float | None]]
    low: float
    high: float
    square: bool
    """One list against itself: no titles are needed."""

    @property
    def pairs(self) -> int:
        """How many pairs have a value, each counted once and nothing against itself."""
        return sum(
            value is not None and not (self.square and column <= row)
            for row, line in enumerate(self.values)
            for column, value in enumerate(line)
        )


@dataclass(frozen=True)
class Size:
    """How wide the picture is, and how many characters of a name it has room for."""

    width: float
    longest: int


DESK, PHONE, CELL = Size(960, 26), Size(320, 12), Size(620, 18)


def span_of(values: Sequence[Sequence[float | None]]) -> tuple[float, float]:
    """The ends of the ramp: 0 and 1 for scores that live there, else the values' own."""
    found = known(value for row in values for value in row)
    low, high = min(found, default=0.0), max(found, default=1.0)
    return (0.0 if low >= -0.25 else low), (1.0 if high <= 1.001 else high)


def step_of(value: float | None, low: float, high: float) -> int:
    """Which step of the ramp a value takes; −1 where there is none."""
    if value is None:
        return -1
    share = (value - low) / (high - low) if high > low else 0.5
    return min(max(round(share * (STEPS - 1)), 0), STEPS - 1)


def heat_map(grid: Grid, title: str, size: Size) -> Markup:
    """The picture: a row for each of a, a column for each of b."""
    high, wide = len(grid.names_a), len(grid.names_b)
    text = 13.0 if size.width > 500 else 10.5
    side, head = (shortened(names, size.longest) for names in (grid.names_a, grid.names_b))
    titled = 0.0 if grid.square else text * 1.7
    left, tall = (
        titled + 12 + text * 0.6 * max(map(len, names), default=1) for names in (side, head)
    )
    cell = min((size.width - left - 6) / max(wide, 1), 64.0)
    upright = tall - titled - 8 <= cell  # short names need not be turned
    top = titled + text + 12 if upright else tall
    text = min(text, max(cell * 0.8, 9.0))
    every = max(1, math.ceil(text * 1.05 / cell))
    best = max((v for row in grid.values for v in row if v is not None), default=None)
    cells = [
        _cell(grid.values[row][column], grid, left + column * cell, top + row * cell, cell)
        for row in range(high)
        for column in range(wide)
    ]
    dots = [
        tag("circle", cx=left + (column + 0.84) * cell, cy=top + (row + 0.16) * cell,
            r=min(max(cell * 0.11, 2.0), 4.0), class_="c-best")
        for row in range(high)
        if (column := best_of(grid.values[row], row if grid.square else None)) is not None
    ]  # fmt: skip
    left_names = [
        tag("text", name, x=left - 6, y=top + (index + 0.5) * cell + text * 0.35,
            text_anchor="end", style=f"font-size:{text:.1f}px")
        for index, name in enumerate(side)
        if index % every == 0
    ]  # fmt: skip
    top_names = [
        _top_name(name, left + (index + 0.5) * cell, top - 6, text, upright=upright)
        for index, name in enumerate(head)
        if index % every == 0
    ]
    return drawing(
        left + wide * cell + 6,
        top + high * cell + 6,
        f"Heat map of {title}, {high} rows by {wide} columns, largest value {score(best)}",
        tag("g", *cells, class_="c-cells"),
        tag("g", *dots),
        tag("g", *left_names, *top_names),
        None if grid.square else _axis_titles(grid, (left, top), (wide * cell, high * cell)),
        kind="c-heat",
    )


def _axis_titles(grid: Grid, start: tuple[float, float], extent: tuple[float, float]) -> Markup:
    """The names of both stacks, where there is room for them."""
    (left, top), (wide, high) = start, extent
    across, down = (
        clipped(title, max(int(room / 7.5), 3))
        for title, room in ((grid.title_b, wide), (grid.title_a, high))
    )
    turned = f"translate(12 {top + high / 2:.1f}) rotate(-90)"
    return tag(
        "g",
        tag("text", across, x=left + wide / 2, y=13, text_anchor="middle", class_="c-head"),
        tag("text", down, transform=turned, text_anchor="middle", class_="c-head"),
    )


def _top_name(name: str, x: float, y: float, text: float, *, upright: bool) -> Markup:
    style = f"font-size:{text:.1f}px"
    if upright:
        return tag("text", name, x=x, y=y, text_anchor="middle", style=style)
    turned = f"translate({x + text * 0.35:.1f} {y:.1f}) rotate(-90)"
    return tag("text", name, transform=turned, style=style)


def best_of(row: Sequence[float | None], aside: int | None) -> int | None:
    """Where the row is largest, one column left aside."""
    scored = [
        (value, -column)
        for column, value in enumerate(row)
        if value is not None and column != aside
    ]
    return -max(scored)[1] if scored else None


def _cell(value: float | None, grid: Grid, x: float, y: float, size: float) -> Markup:
    step = step_of(value, grid.low, grid.high)
    gap = 1.5 if size > 20 else 0.6 if size > 8 else 0
    parts = [tag("rect", x=x, y=y, width=size - gap, height=size - gap,
                 rx=3 if size > 20 else None)]  # fmt: skip
    if size >= ROOM:
        parts.append(tag("text", score(value, 2), x=x + size / 2, y=y + size / 2 + 4.5,
                         text_anchor="middle"))  # fmt: skip
    return tag("g", *parts, class_=f"q{step}" if step >= 0 else "q-none")


def ramp_css(scope: str = "") -> Markup:
    """The ramp as classes `q0` … for both themes, with text that can be read on each step."""
    rules = []
    for step, (light, dark) in enumerate(zip(ramp(LIGHT, STEPS), ramp(DARK, STEPS), strict=True)):
        rules.append(
            f"{scope}.q{step}{{fill:light-dark({light},{dark});"
            f"--on:light-dark({_ink(light)},{_ink(dark)})}}"
        )
    return Markup("\n").join(Markup(rule) for rule in rules)  # numbers only


def _ink(colour: str) -> str:
    return "#10131a" if luminance(colour) > 0.18 else "#ffffff"
