"""The page of a comparison."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from coset._files import write_whole
from coset.report._columns import columns_figure
from coset.report._emblem import emblem
from coset.report._environment import page
from coset.report._figures import correlations_figure, ladder_figure
from coset.report._heads import heads
from coset.report._index import learning_figure, search_figure
from coset.report._matrix import render_matrix
from coset.report._measures import measures
from coset.report._numbers import count, number, percent, plain, sentence, typographic
from coset.report._residuals import residuals_figure, worst_rows
from coset.report._rungs import rungs
from coset.report._verdict import facts, side_name, verdict
from coset.report._verification import render_verification


def render(comparison: Mapping[str, Any]) -> str:
    """The comparison as one HTML file that needs nothing but a browser.

    Args:
        comparison: what `Comparison.to_dict()` returns; any optional part may be absent.

    Example:
        >>> page = render({"verdict": ["affine"], "a": {"name": "old"}, "b": {"name": "new"}})
        >>> "Verdict: affine" in page
        True
    """
    ranks = rungs(comparison)
    said = verdict(comparison, ranks)
    names = (side_name(comparison, "a"), side_name(comparison, "b"))
    mapped = said.state not in {"unrelated", "undetermined"}
    return page(
        "page.html.j2",
        comparison,
        title=f"{names[0]} and {names[1]}: {said.badge}",
        verdict=said,
        emblem=emblem(said.state),
        facts=facts(comparison, ranks),
        sides=[_side(comparison, side) for side in ("a", "b")],
        rows=number(comparison.get("rows")),
        hints=[sentence(text, names) for text in comparison.get("hints") or ()],
        ladder=ladder_figure(comparison, ranks),
        search=search_figure(comparison) if mapped else None,
        learning=learning_figure(comparison),
        correlations=correlations_figure(comparison),
        columns=columns_figure(comparison),
        residuals=residuals_figure(comparison),
        worst=worst_rows(comparison) if mapped else [],
        measures=measures(comparison),
        heads=heads(comparison.get("heads")),
        note=typographic((comparison.get("settings") or {}).get("note")),
        settings=_settings(comparison),
    )


def write_page(comparison: Mapping[str, Any], path: str | os.PathLike[str]) -> Path:
    """Write the page of a comparison, a matrix or a verification; return where it is.

    It is written whole or not at all.
    """
    makers = {"matrix": render_matrix, "verification": render_verification}
    text = makers.get(str(comparison.get("kind")), render)(comparison)
    write_whole(path, text.encode())
    return Path(path)


def _side(comparison: Mapping[str, Any], side: str) -> dict[str, str]:
    given = comparison.get(side) or {}
    rows, columns, rank = (number(given.get(key)) for key in ("rows", "columns", "rank"))
    size = "" if rows is None or columns is None else f"{count(rows)} × {count(columns)}"
    full = columns is not None and rank is not None and rank >= columns
    return {
        "letter": side,
        "name": side_name(comparison, side),
        "size": size,
        "rank": "" if rank is None else "full rank" if full else f"rank {count(rank)}",
    }


def _settings(comparison: Mapping[str, Any]) -> list[tuple[str, str]]:
    found = [
        ("threshold", plain(comparison.get("threshold"))),
        ("interval level", percent(comparison.get("level"))),
        ("folds", count(comparison.get("folds"))),
        ("seed", plain(comparison.get("seed"))),
        ("route", str(comparison.get("route") or "–")),
        ("rows sampled for ranks and neighbours", count(comparison.get("sampled_rows"))),
    ]
    known = {key for key, _ in found} | {"command", "rows_a", "rows_b", "note"}
    for key, value in (comparison.get("settings") or {}).items():
        if key in known:
            continue
        text = plain(value) if number(value) is not None else str("–" if value is None else value)
        found.append((str(key).replace("_", " "), text))
    return [(key, text) for key, text in found if text != "–"]
