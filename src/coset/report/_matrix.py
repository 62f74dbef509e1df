"""The page of many comparisons at once: a heat map of representations or layers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from coset.report._environment import page
from coset.report._heat import (
    DESK,
    PHONE,
    STEPS,
    Grid,
    best_of,
    heat_map,
    ramp_css,
    span_of,
    step_of,
)
from coset.report._measures import title
from coset.report._numbers import MISSING, count, number, p_value, plain, score, typographic
from coset.report._verdict import side_name


def render_matrix(matrix: Mapping[str, Any]) -> str:
    """The matrix of a measure over all pairs, as one HTML file.

    Args:
        matrix: what `Matrix.to_dict()` returns; all but names and values may be absent.

    Example:
        >>> shown = render_matrix({"measure": "cka", "names_a": ["x"], "names_b": ["y"],
        ...                        "values": [[0.5]]})
        >>> "CKA" in shown
        True
    """
    grid = grid_of(matrix)
    measure = str(matrix.get("measure") or "score")
    others = matrix.get("other_measures") or {}
    layers = {measure: grid.values}
    layers |= {str(k): _square(v, grid) for k, v in others.items() if str(k) != measure}
    said = re.split(r"(?<=\.)\s+(?=[A-Z])", typographic(matrix.get("sentence")), maxsplit=1)
    size = count(len(grid.names_a))
    shape = size if grid.square else f"{size} × {count(len(grid.names_b))}"
    about = f"{title(measure)}, of {shape} representations"
    return page(
        "matrix.html.j2",
        matrix,
        title=about,
        headline=said[0] or f"{about}.",
        rest=" ".join(said[1:]),
        measure=measure,
        measure_title=title(measure),
        options=[(name, title(name)) for name in layers],
        wide=heat_map(grid, title(measure), DESK),
        narrow=heat_map(grid, title(measure), PHONE),
        ramp=ramp_css(),
        facts=_facts(matrix, grid, shape),
        settings=_settings(matrix),
        grid=grid,
        cells=[[score(value) for value in row] for row in grid.values],
        low=plain(grid.low),
        high=plain(grid.high),
        steps=range(STEPS),
        data=_data(grid, layers),
    )


def grid_of(matrix: Mapping[str, Any]) -> Grid:
    """The values with their names, rectangular whatever was given."""
    values = [[number(v) for v in row] for row in matrix.get("values") or ()]
    width = max((len(row) for row in values), default=0)
    names_a = _names(matrix.get("names_a"), len(values), "a")
    names_b = _names(matrix.get("names_b"), width, "b")
    values = [[*row, *[None] * (width - len(row))] for row in values]
    titles = (side_name(matrix, "a"), side_name(matrix, "b"))
    square = bool(matrix.get("square"))
    return Grid(*titles, names_a, names_b, values, *span_of(values), square=square)


def _names(given: Any, size: int, side: str) -> list[str]:
    names = [str(name) for name in given or ()]
    return names if len(names) == size else [f"{side}{index}" for index in range(size)]


def _square(values: Any, grid: Grid) -> list[list[float | None]]:
    rows = [[number(v) for v in row] for row in values or ()]
    fits = len(rows) == len(grid.names_a) and all(len(row) == len(grid.names_b) for row in rows)
    return rows if fits else [[None] * len(grid.names_b) for _ in grid.names_a]


def _facts(matrix: Mapping[str, Any], grid: Grid, shape: str) -> list[tuple[str, str, str]]:
    small = f"of {shape} representations, each once" if grid.square else f"{shape}, rows × columns"
    found = [("Pairs", count(grid.pairs), small)]
    if number(matrix.get("chance")) is not None:
        found.append(("By chance", score(matrix["chance"]), "rows shuffled"))
    if number(matrix.get("threshold_max")) is not None:
        small = "the best of all pairs stays below this by chance"
        found.append(("Beyond chance from", score(matrix["threshold_max"]), small))
    if number(matrix.get("p_max")) is not None:
        p = p_value(matrix["p_max"], least=bool(matrix.get("p_least")))
        found.append(("p of the best pair", p, "all pairs together"))
    if matrix.get("exact_pairs"):
        small = "ill-conditioned: read again to keep the digits"
        found.append(("By the exact route", count(matrix["exact_pairs"]), small))
    return found


def _settings(matrix: Mapping[str, Any]) -> list[tuple[str, str]]:
    found = [
        ("rows", count(matrix.get("rows"))),
        ("rows that were shuffled", count(matrix.get("null_rows"))),
        ("shuffles", count(matrix.get("draws"))),
        ("seed", plain(matrix.get("seed"))),
    ]
    return [(name, value) for name, value in found if value != MISSING]


def _data(grid: Grid, layers: Mapping[str, Sequence[Sequence[float | None]]]) -> Markup:
    """What the switch of measures needs, safe inside a script element."""
    told = {}
    for name, values in layers.items():
        low, high = span_of(values)
        told[name] = {
            "title": title(name),
            "ends": [plain(low), plain(high)],
            "steps": [[step_of(value, low, high) for value in row] for row in values],
            "shown": [[score(value) for value in row] for row in values],
            "short": [[score(value, 2) for value in row] for row in values],
            "best": [best_of(row, i if grid.square else None) for i, row in enumerate(values)],
        }
    whole = {
        "a": grid.names_a,
        "b": grid.names_b,
        "measures": told,
    }
    text = json.dumps(whole, separators=(",", ":"), ensure_ascii=True)
    for risky in "<>&":
        text = text.replace(risky, f"\\u{ord(risky):04x}")
    return Markup(text)  # made safe above
