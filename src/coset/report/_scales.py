"""From numbers to positions: scales, ticks, thinning, and the ramp of colours."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

FLOOR = -0.25
"""Scores below are drawn at the edge: R² has no lower bound, the page has."""


@dataclass(frozen=True)
class Scale:
    """Carries [low, high] to [start, stop]; what lies outside goes to the nearer end."""

    low: float
    high: float
    start: float
    stop: float
    log: bool = False

    def __call__(self, value: float) -> float:
        low, high, at = self.low, self.high, min(max(value, self.low), self.high)
        if self.log:
            low, high, at = math.log(low), math.log(high), math.log(at)
        share = (at - low) / (high - low) if high > low else 0.5
        return self.start + share * (self.stop - self.start)


def score_floor(values: Iterable[float]) -> float:
    """Where an axis of scores starts: 0, or a little below where scores are negative."""
    least = min(values, default=0.0)
    return 0.0 if least >= 0 else -0.1 if least >= -0.1 else FLOOR


def sinks(values: Iterable[float | None]) -> bool:
    """Whether some of the scores lie below the axis that `score_floor` gives them."""
    shown = [value for value in values if value is not None]
    return min(shown, default=0.0) < score_floor(shown)


def ticks(low: float, high: float, most: int = 5, *, whole: bool = False) -> list[float]:
    """Round numbers that cover [low, high], at most about `most` of them."""
    if not high > low:
        return [low]
    rough = max((high - low) / max(most, 1), 1.0 if whole else 0.0)
    power = 10.0 ** math.floor(math.log10(rough))
    nice = (1.0, 2.0, 5.0, 10.0) if whole else (1.0, 2.0, 2.5, 5.0, 10.0)
    step = next(power * part for part in nice if power * part >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(step * index, 12) for index in range(first, last + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Powers of ten within [low, high], with their doubles and halves where those are few."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for parts in ((1.0,), (1.0, 3.0), (1.0, 2.0, 5.0)):
        found = [part * 10.0**power for power in powers for part in parts]
        found = [at for at in found if low * 0.999 <= at <= high * 1.001]
        if len(found) >= 3:
            return found
    return found or [low, high]


def thin(length: int, most: int) -> list[int]:
    """At most `most` indices spread over a sequence, the first and the last among them."""
    if length <= most:
        return list(range(length))
    return sorted({round(index * (length - 1) / (most - 1)) for index in range(most)})


def apart(marks: list[tuple[float, str]], gap: float) -> list[tuple[float, str]]:
    """The marks that keep `gap` from one another; the last one always stays."""
    kept: list[tuple[float, str]] = []
    for at, text in reversed(marks):
        if not kept or abs(kept[-1][0] - at) >= gap:
            kept.append((at, text))
    return kept[::-1]


def ramp(anchors: tuple[str, ...], steps: int) -> list[str]:
    """Colours evenly spaced along the anchors (`#rrggbb`), mixed in linear light."""
    points = [_linear(anchor) for anchor in anchors]
    colours = []
    for index in range(steps):
        where = index / (steps - 1) * (len(points) - 1)
        left = min(int(where), len(points) - 2)
        share = where - left
        mixed = [
            (1 - share) * one + share * two
            for one, two in zip(points[left], points[left + 1], strict=True)
        ]
        colours.append("#" + "".join(f"{round(255 * max(v, 0) ** (1 / 2.2)):02x}" for v in mixed))
    return colours


def luminance(colour: str) -> float:
    """How bright `#rrggbb` is, from 0 to 1."""
    red, green, blue = _linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red**2.2, green**2.2, blue**2.2
