"""The heat map itself: cells, names along both sides, and a ramp that everyone can read."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

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
    """A matrix of scores with names, the span of its colours, and a verdict for each pair."""

    names_a: list[str]
    names_b: list[str]
    values: list[list[float | None]]
    low: float
    high: float
    verdicts: list[list[str]]
    square: bool


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
    side, head = (_shortened(names, size.longest) for names in (grid.names_a, grid.names_b))
    left, tall = (12 + text * 0.6 * max(map(len, names), default=1) for names in (side, head))
    cell = min((size.width - left - 6) / max(wide, 1), 64.0)
    upright = tall - 8 <= cell  # short names need not be turned
    top = text + 12 if upright else tall
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
        kind="c-heat",
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


def _shortened(names: list[str], longest: int) -> list[str]:
    """Names that have room: what all begin with goes first, then the middle of each."""
    if len(names) > 1 and max(map(len, names)) > longest:
        words = re.split(r"(?<=[\s,/._-])(?=[^\s,/._-])", _shared_start(names))
        shared = len("".join(words[:-1]))
        names = [f"…{name[shared:]}" for name in names] if shared > 1 else names
    return [_short(name, longest) for name in names]


def _shared_start(names: list[str]) -> str:
    first, last = min(names), max(names)
    same = next((at for at, (a, b) in enumerate(zip(first, last)) if a != b), len(first))
    return first[:same]


def _short(name: str, longest: int) -> str:
    tail = (longest - 1) // 3
    return name if len(name) <= longest else f"{name[: longest - tail - 1]}…{name[-tail:]}"


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
