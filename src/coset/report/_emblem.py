"""The verdict as a small drawing: dots are a carried over by a map, rings are b."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup

from coset.report._svg import tag

# state: (how far rings are from their dots, share of things that are known)
_LOOKS = {
    "agree": (0.0, 1.0),
    "several": (0.0, 1.0),
    "none": (9.0, 1.0),
    "unrelated": (0.0, 1.0),
    "undetermined": (5.0, 0.3),
}


def emblem(state: str) -> Markup:
    """A sheared lattice of dots and the rings that do, or do not, lie around them."""
    away, share = _LOOKS[state]
    rng = np.random.default_rng(5)
    parts = []
    for row in range(5):
        for column in range(6):
            x, y = 42 + 30 * column + 9 * (row - 2), 30 + 31 * row + 4.5 * (column - 2.5)
            seen = bool(rng.uniform() < share)
            dx, dy = (float(v) for v in rng.normal(size=2) * away)
            ring = (x + dx, y + dy)
            if state == "unrelated":
                ring = (float(rng.uniform(14, 226)), float(rng.uniform(14, 172)))
            parts.append(_dot(x, y, seen=seen))
            if seen:
                parts.append(_ring(*ring, 9.5))
            if state == "several":
                parts.append(_ring(*ring, 13.0))
    return tag("svg", *parts, viewBox="0 0 240 186", width=240, height=186, class_="emblem",
               aria_hidden="true")  # fmt: skip


def _dot(x: float, y: float, *, seen: bool) -> Markup:
    kind, radius = ("dot", 4.6) if seen else ("dot faint", 2.2)
    return tag("circle", cx=x, cy=y, r=radius, class_=kind)


def _ring(x: float, y: float, radius: float) -> Markup:
    return tag("circle", cx=x, cy=y, r=radius, class_="ring")
