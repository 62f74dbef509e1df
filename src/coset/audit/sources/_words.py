"""How refusals are worded: one line, whatever the file is called."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

from ..._core import BadInput


def bad(text: str) -> BadInput:
    """A refusal on one line: names and messages of libraries may hold line breaks."""
    return BadInput(" ".join(text.split()))


def unreadable(path: Path | str, kind: str, error: object) -> BadInput:
    """A file that is not what its suffix says, or that ends too early."""
    lines = str(error).strip().splitlines()
    reason = lines[0].rstrip(".") if lines else type(error).__name__
    return bad(
        f"{path} cannot be read as {kind}: {reason}; the file is truncated or something else: "
        f"write or fetch it again"
    )


def listed(names: Iterable[str], limit: int = 12) -> str:
    """Names in a sentence, the first few where there are many.

    Example:
        >>> listed("abc", limit=2)
        'a, b and 1 more'
    """
    every = list(names)
    shown = ", ".join(every[:limit])
    return shown if len(every) <= limit else f"{shown} and {len(every) - limit} more"


def near(name: str, names: Iterable[str]) -> str:
    """A hint at the names that look alike, or nothing."""
    found = get_close_matches(name, list(names), n=3, cutoff=0.6)
    return f" (did you mean {' or '.join(found)}?)" if found else ""
