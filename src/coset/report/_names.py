"""Names that have room: what all of them share goes first."""

from __future__ import annotations

import re
from collections.abc import Sequence


def shortened(names: Sequence[str], longest: int) -> list[str]:
    """The names without what all begin and end with, then without the middle of each.

    Example:
        >>> shortened(["runs/seed 0/codes.npy", "runs/seed 1/codes.npy"], 12)
        ['…seed 0…', '…seed 1…']
    """
    kept = list(names)
    if len(kept) > 1 and max(map(len, kept)) > longest:
        kept = _without_end(_without_start(kept))
    return [clipped(name, longest) for name in kept]


def clipped(name: str, longest: int) -> str:
    """The name without its middle where it is too long."""
    tail = (longest - 1) // 3
    return name if len(name) <= longest else f"{name[: longest - tail - 1]}…{name[-tail:]}"


def _without_start(names: list[str]) -> list[str]:
    """All but the last of the words that all begin with, which says what a number counts."""
    words = re.split(r"(?<=[\s,/._-])(?=[^\s,/._-])", _shared_start(names))
    shared = len("".join(words[:-1]))
    return [f"…{name[shared:]}" for name in names] if shared > 1 else names


def _without_end(names: list[str]) -> list[str]:
    """Without the words that all end with, unless a name consists of them."""
    same = _shared_start([name[::-1] for name in names])[::-1]
    first = re.search(r"[\s,/._-]", same)
    shared = len(same) - first.start() if first else 0
    apart = shared > 1 and all(len(name) > shared for name in names)
    return [f"{name[:-shared]}…" for name in names] if apart else names


def _shared_start(names: list[str]) -> str:
    first, last = min(names), max(names)
    same = next((at for at, (a, b) in enumerate(zip(first, last)) if a != b), min(map(len, names)))
    return first[:same]
