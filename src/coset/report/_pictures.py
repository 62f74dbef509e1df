"""The pictures of a run: latents against codes, matrices, lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from coset.report._curves import curve_figure
from coset.report._figure import Figure, Table
from coset.report._heat import PHONE, Grid, Size, heat_map, span_of
from coset.report._names import clipped
from coset.report._numbers import MISSING, count, known, number, numbers, score
from coset.report._scales import Scale, thin
from coset.report._svg import drawing, join, tag

MOST_POINTS = 300
MOST_PANELS = 6
MOST_SIDE = 40
HALF = Size(470, 10)


def picture_figures(key: str, pictures: Sequence[Mapping[str, Any]]) -> list[Figure]:
    """Each matrix, all scatters together, each set of lines; what says nothing is left out."""
    plain = [one for one in pictures if isinstance(one.get("data"), Mapping)]
    matrices = [_matrix(f"{key}-m{i}", one) for i, one in enumerate(_of(plain, "matrix"))]
    lines = [
        curve_figure(f"{key}-l{i}", {"name": one.get("name"), **one["data"]})
        for i, one in enumerate(_of(plain, "lines"))
    ]
    found = [*matrices, _scatters(f"{key}-s", _of(plain, "scatter")), *lines]
    return [figure for figure in found if figure is not None]


def _of(pictures: Sequence[Mapping[str, Any]], kind: str) -> list[Mapping[str, Any]]:
    return [one for one in pictures if one.get("kind") == kind]


def _matrix(key: str, picture: Mapping[str, Any]) -> Figure | None:
    data = picture["data"]
    signed = [numbers(row)[:MOST_SIDE] for row in (data.get("values") or ())[:MOST_SIDE]]
    if not signed or not signed[0] or any(len(row) != len(signed[0]) for row in signed):
        return None
    rows = _names(data.get("rows"), len(signed), "row")
    columns = _names(data.get("columns"), len(signed[0]), "column")
    sizes = [[None if value is None else abs(value) for value in row] for row in signed]
    grid = Grid("", "", rows, columns, sizes, *span_of(sizes), square=False)
    name = str(picture.get("name") or "matrix")
    negative = any(value < 0 for row in signed for value in known(row))
    return Figure(
        key=key,
        title=_capital(name),
        caption=("Sizes; the table has the signs. " if negative else "")
        + "A dot marks the largest of each row.",
        wide=heat_map(grid, name, HALF),
        narrow=heat_map(grid, name, PHONE),
        table=Table(
            ("", *columns),
            [(title, *map(score, row)) for title, row in zip(rows, signed, strict=True)],
        ),
    )


def _names(given: Any, size: int, word: str) -> list[str]:
    names = [str(name) for name in given or ()][:size]
    return names if len(names) == size else [f"{word} {index}" for index in range(size)]


def _scatters(key: str, pictures: Sequence[Mapping[str, Any]]) -> Figure | None:
    panels = [panel for one in pictures if (panel := _panel(one)) is not None][:MOST_PANELS]
    if not panels:
        return None
    label = "Scatter. " + "; ".join(
        f"{down} against {across}: correlation {score(_correlation(x, y))}"
        for x, y, across, down in panels
    )
    return Figure(
        key=key,
        title="Latents against codes" if len(panels) > 1 else f"{panels[0][3]}, {panels[0][2]}",
        caption="Held-out rows of the first seed, the best-matched pairs.",
        wide=_charts(label, panels, 470, 3),
        narrow=_charts(label, panels, 320, 2),
        table=Table(
            ("up", "across", "correlation", "rows"),
            [(down, across, score(_correlation(x, y)), count(len(x)))
             for x, y, across, down in panels],
        ),
    )  # fmt: skip


def _panel(picture: Mapping[str, Any]) -> tuple[list[float], list[float], str, str] | None:
    data = picture["data"]
    pairs = [
        (one, two)
        for one, two in zip(map(number, data.get("x") or ()), map(number, data.get("y") or ()))
        if one is not None and two is not None
    ]
    if len(pairs) < 2:
        return None
    chosen = [pairs[i] for i in thin(len(pairs), MOST_POINTS)]
    titles = (str(data.get("xlabel") or "x"), str(data.get("ylabel") or "y"))
    return [one for one, _ in chosen], [two for _, two in chosen], *titles


def _charts(label: str, panels: Sequence[Any], width: float, most: int) -> Markup:
    """Panels side by side, in as many lines as they need."""
    across = min(len(panels), most)
    size = (width - 12 * (across - 1)) / across
    high = min(size, 300) + 26
    lines = -(-len(panels) // across)
    parts = [
        tag("g", _points(panel, size, high),
            transform=f"translate({place % across * (size + 12):.1f} {place // across * high:.1f})")
        for place, panel in enumerate(panels)
    ]  # fmt: skip
    return drawing(width, lines * high, label, *parts)


def _points(panel: tuple[list[float], list[float], str, str], size: float, high: float) -> Markup:
    xs, ys, across, down = panel
    top, foot = 22.0, high - 24
    x = Scale(min(xs), max(xs), 8, size - 8)
    y = Scale(min(ys), max(ys), foot - 7, top + 7)
    dots = "".join(f"M{x(one):.1f} {y(two):.1f}h0" for one, two in zip(xs, ys, strict=True))
    letters = max(int(size / 7.4), 4)
    return join([
        tag("rect", x=0.5, y=top, width=size - 1, height=foot - top, class_="c-pane", rx=6),
        tag("path", d=dots, class_="c-cloud", fill="none"),
        tag("text", clipped(down, letters), x=0, y=14, class_="c-head"),
        tag("text", clipped(across, letters), x=size, y=foot + 16, text_anchor="end",
            class_="c-head"),
    ])  # fmt: skip


def _correlation(xs: Sequence[float], ys: Sequence[float]) -> float | str:
    x, y = np.array(xs), np.array(ys)
    spread = float(x.std() * y.std())
    return float(((x - x.mean()) * (y - y.mean())).mean() / spread) if spread else MISSING


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
