"""The page that links the pages of a folder."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from coset._files import write_whole
from coset.report._environment import page
from coset.report._numbers import count, typographic

KINDS = {"comparison": "two representations", "matrix": "every pair",
         "verification": "theorems"}  # fmt: skip


def render_index(name: str, entries: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    """One line for each result: what it found, and the page that shows it.

    Args:
        name: of the folder.
        entries: (file of the page, result as plain values).

    Example:
        >>> found = {"kind": "comparison", "sentence": "a and b agree up to a rotation."}
        >>> 'href="a%20b.html"' in render_index("today", [("a b.html", found)])
        True
    """
    rows = [
        {
            "href": quote(file),
            "name": file.removesuffix(".html"),
            "kind": KINDS.get(str(result.get("kind")), ""),
            "says": typographic(result.get("sentence")) or "no sentence",
            "created": result.get("created"),
        }
        for file, result in entries
    ]
    headline = f"{count(len(rows))} result{'s' * (len(rows) != 1)} in {name}"
    return page("contents.html.j2", {}, title=headline, headline=headline, rows=rows)


def write_index(
    name: str, entries: Sequence[tuple[str, Mapping[str, Any]]], path: str | os.PathLike[str]
) -> Path:
    """Write the index, whole or not at all; return where it is."""
    write_whole(path, render_index(name, entries).encode())
    return Path(path)
