"""Where the parts of the ladder go, for each width of it."""

from __future__ import annotations

from dataclasses import dataclass

ROOM = 160
"""What a score with its interval takes."""


@dataclass(frozen=True)
class Layout:
    """Where the parts of a rung go, for one width of the picture."""

    width: float
    row: float
    lane: float
    step: float
    name: float
    plot: tuple[float, float]
    numbers: float
    plot_dy: float = 0
    name_dy: float = 5
    says_dy: float | None = None
    stacked: bool = False
    top: float = 34
    bottom: float = 30


WIDE = Layout(960, 46, 20, 24, 120, (316, 732), 754, name_dy=-2, says_dy=16)
MIDDLE = Layout(680, 46, 16, 20, 98, (262, 556), 572, name_dy=-2, says_dy=16)
NARROW = Layout(320, 52, 10, 13, 64, (66, 312), 314, plot_dy=14, name_dy=-3, stacked=True)
SMALL = Layout(600, 25, 12, 15, 72, (222, 486), 500, top=24, bottom=24)
