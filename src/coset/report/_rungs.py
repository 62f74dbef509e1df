"""The ten rungs as a picture needs them: order, lanes, scores, and what each means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from coset.report._numbers import interval, number, score


@dataclass(frozen=True)
class Known:
    """What the page says of a group whatever the data."""

    lane: int
    """The column of the picture in which the rung stands."""
    meaning: str


# Strict to loose: whatever contains a rung comes after it.
KNOWN: dict[str, Known] = {
    "identity": Known(
        0,
        "Use either in place of the other. Nothing needs to be converted.",
    ),
    "permutation": Known(
        0,
        "The same coordinates in another order. Reorder the columns and everything carries over.",
    ),
    "signed-permutation": Known(
        0,
        "The same coordinates in another order, some of them flipped.",
    ),
    "scaled-permutation": Known(
        0,
        "Each coordinate keeps its meaning; only its place, scale and zero differ.",
    ),
    "componentwise": Known(
        0,
        "Each coordinate keeps its meaning, on a scale bent by an invertible function.",
    ),
    "orthogonal": Known(
        2,
        "Distances, angles and nearest neighbours agree. Single coordinates do not: only what "
        "is the same after a rotation can be compared.",
    ),
    "similarity": Known(
        3,
        "Distances agree up to their unit, and so do nearest neighbours by distance. Cosine "
        "depends on the offset and need not.",
    ),
    "linear": Known(
        2,
        "What a linear probe reads from one, it mostly reads from the other too; directions of "
        "little variance weigh little in R² and may be lost. Distances and neighbours can differ "
        "until the map is applied.",
    ),
    "affine": Known(
        1,
        "What a linear probe with an intercept reads from one, it mostly reads from the other "
        "too; directions of little variance weigh little in R² and may be lost. Distances and "
        "neighbours can differ until the map is applied.",
    ),
    "nonlinear": Known(
        0,
        "The information is shared, but no linear map carries it across: probes, distances and "
        "neighbours of one say little about the other.",
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Rung:
    """One group's scores, every one of them possibly undefined."""

    name: str
    says: str
    r2: float | None
    low: float | None
    high: float | None
    chance: float | None
    r2_ab: float | None
    r2_ba: float | None
    holds: bool
    minimal: bool
    inside: tuple[str, ...]
    """The rungs that contain it directly."""

    @property
    def lane(self) -> int:
        """Where the rung stands in the picture."""
        return KNOWN[self.name].lane

    @property
    def word(self) -> str:
        """The state of the rung in words."""
        if self.r2 is None:
            return "not measured"
        return "holds, and no stricter one does" if self.minimal else (
            "holds" if self.holds else "does not hold"
        )  # fmt: skip

    @property
    def tip(self) -> str:
        """Everything known of the rung, one fact a line."""
        lines = [f"{self.name}: {self.says}" if self.says else self.name]
        if self.r2 is not None:
            lines.append(f"two-way R² {score(self.r2)} {interval(self.low, self.high)}".rstrip())
        if self.r2_ab is not None or self.r2_ba is not None:
            lines.append(f"a → b {score(self.r2_ab)}, b → a {score(self.r2_ba)}")
        if self.chance is not None:
            lines.append(f"chance {score(self.chance)}")
        return "\n".join([*lines, self.word])


def rungs(comparison: Mapping[str, Any]) -> list[Rung]:
    """The rungs from strict to loose; those that were not measured have no scores."""
    groups = comparison.get("groups") or {}
    return [_rung(name, groups.get(name) or {}) for name in KNOWN] if groups else []


def _rung(name: str, group: Mapping[str, Any]) -> Rung:
    holds = bool(group.get("holds"))
    return Rung(
        name=name,
        says=str(group.get("says") or ""),
        **{key: number(group.get(key)) for key in ("r2", "low", "high", "chance")},
        **{key: number(group.get(key)) for key in ("r2_ab", "r2_ba")},
        holds=holds,
        minimal=holds and bool(group.get("minimal")),
        inside=tuple(str(other) for other in group.get("inside") or () if str(other) in KNOWN),
    )
