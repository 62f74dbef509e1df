"""The comparison in a notebook's cell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from coset.report._environment import asset, environment
from coset.report._figures import threshold_of
from coset.report._ladder import SMALL, ladder
from coset.report._numbers import number
from coset.report._rungs import rungs
from coset.report._verdict import verdict


def snippet(comparison: Mapping[str, Any]) -> str:
    """Verdict and ladder as a fragment of HTML, its styles confined to itself.

    Example:
        >>> snippet({"verdict": []}).startswith('<div class="coset-snippet"')
        True
    """
    ranks = rungs(comparison)
    level = number(comparison.get("level")) or 0.95
    picture = ladder(ranks, threshold_of(comparison), level, SMALL) if ranks else None
    return environment().get_template("snippet.html.j2").render(
        verdict=verdict(comparison, ranks),
        picture=picture,
        style=asset("snippet.css"),
    )  # fmt: skip
