"""The comparison in a notebook's cell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from coset.report._environment import asset, environment
from coset.report._figures import threshold_of
from coset.report._heat import CELL, heat_map, ramp_css
from coset.report._ladder import ladder
from coset.report._layout import SMALL
from coset.report._matrix import grid_of
from coset.report._measures import title
from coset.report._numbers import number, typographic
from coset.report._rungs import rungs
from coset.report._verdict import verdict


def snippet(comparison: Mapping[str, Any]) -> str:
    """Verdict and ladder as a fragment of HTML, its styles confined to itself.

    Example:
        >>> snippet({"verdict": []}).startswith('<div class="coset-snippet"')
        True
    """
    if comparison.get("kind") == "matrix":
        return _matrix(comparison)
    ranks = rungs(comparison)
    said = verdict(comparison, ranks)
    level = number(comparison.get("level")) or 0.95
    picture = ladder(ranks, threshold_of(comparison), level, SMALL) if ranks else None
    return environment().get_template("snippet.html.j2").render(
        badge=said.badge,
        headline=said.headline,
        rest=said.rest,
        small="Held-out two-way R². Grey marks: chance. Ringed: the strictest that hold.",
        picture=picture,
        style=asset("snippet.css"),
    )  # fmt: skip


def _matrix(matrix: Mapping[str, Any]) -> str:
    grid = grid_of(matrix)
    name = title(str(matrix.get("measure") or "score"))
    return environment().get_template("snippet.html.j2").render(
        badge=name,
        headline=typographic(matrix.get("sentence")),
        rest="",
        small="Darker is more similar on a light page, lighter on a dark one.",
        picture=heat_map(grid, name, CELL) if grid.names_a else None,
        style=asset("snippet.css") + "\n" + ramp_css(".coset-snippet "),
    )  # fmt: skip
