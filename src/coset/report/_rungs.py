"""The ten rungs as a picture needs them: order, lanes, containments, and what each means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from coset.report._numbers import interval, number, score, typographic


@dataclass(frozen=True)
class Known:
    """What the page says of a group whatever the data."""

    says: str
    lane: int
    phrase: str
    meaning: str


# Strict to loose: whatever contains a rung comes after it.
KNOWN: dict[str, Known] = {
    "identity": Known(
        "b = a", 0, "nothing: no map is needed",
        "Use either in place of the other. Nothing needs to be converted.",
    ),
    "permutation": Known(
        "b = P a", 0, "a permutation of the coordinates",
        "The same coordinates in another order. Reorder the columns and everything carries over.",
    ),
    "signed-permutation": Known(
        "b = S P a", 0, "a permutation with sign flips",
        "The same coordinates in another order, some of them flipped.",
    ),
    "scaled-permutation": Known(
        "b = D P a + c", 0, "a permutation with scales and offsets",
        "Each coordinate keeps its meaning; only its place, scale and zero differ.",
    ),
    "componentwise": Known(
        "bᵢ = hᵢ(aₚᵢ)", 0, "a map of each coordinate on its own",
        "Each coordinate keeps its meaning, on a scale bent by an invertible function.",
    ),
    "orthogonal": Known(
        "b = Q a", 2, "a rotation",
        "Distances, angles and nearest neighbours agree. Single coordinates do not: only what "
        "is the same after a rotation can be compared.",
    ),
    "similarity": Known(
        "b = s Q a + c", 3, "a rotation with one scale and an offset",
        "Distances agree up to their unit, and so do nearest neighbours by distance. Cosine "
        "depends on the offset and need not.",
    ),
    "linear": Known(
        "b = A a", 2, "a linear map",
        "Whatever a linear probe reads from one, it reads from the other. Distances and "
        "neighbours can differ until the map is applied.",
    ),
    "affine": Known(
        "b = A a + c", 1, "an affine map",
        "Whatever a linear probe with an intercept reads from one, it reads from the other. "
        "Distances and neighbours can differ until the map is applied.",
    ),
    "nonlinear": Known(
        "b = h(a)", 0, "a nonlinear map",
        "The information is shared, but no linear map carries it across: probes, distances and "
        "neighbours of one say little about the other.",
    ),
}  # fmt: skip

# (from, to, the lane the edge climbs in)
EDGES: tuple[tuple[str, str, int], ...] = (
    ("identity", "permutation", 0),
    ("permutation", "signed-permutation", 0),
    ("signed-permutation", "scaled-permutation", 0),
    ("scaled-permutation", "componentwise", 0),
    ("componentwise", "nonlinear", 0),
    ("scaled-permutation", "affine", 1),
    ("signed-permutation", "orthogonal", 2),
    ("orthogonal", "linear", 2),
    ("linear", "affine", 2),
    ("orthogonal", "similarity", 3),
    ("similarity", "affine", 3),
    ("affine", "nonlinear", 0),
)


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
    note: str

    @property
    def lane(self) -> int:
        """The column of the picture in which the rung stands."""
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
        lines = [f"{self.name}: {self.says}"]
        if self.r2 is not None:
            lines.append(f"two-way R² {score(self.r2)} {interval(self.low, self.high)}".rstrip())
        if self.r2_ab is not None or self.r2_ba is not None:
            lines.append(f"a → b {score(self.r2_ab)}, b → a {score(self.r2_ba)}")
        if self.chance is not None:
            lines.append(f"chance {score(self.chance)}")
        return "\n".join([*lines, self.word, *([typographic(self.note)] if self.note else [])])


def rungs(comparison: Mapping[str, Any]) -> list[Rung]:
    """The rungs from strict to loose; those that were not measured have no scores."""
    groups = comparison.get("groups") or {}
    return [_rung(name, groups.get(name) or {}) for name in KNOWN] if groups else []


def _rung(name: str, group: Mapping[str, Any]) -> Rung:
    holds = bool(group.get("holds"))
    return Rung(
        name=name,
        says=str(group.get("says") or KNOWN[name].says),
        **{key: number(group.get(key)) for key in ("r2", "low", "high", "chance")},
        **{key: number(group.get(key)) for key in ("r2_ab", "r2_ba")},
        holds=holds,
        minimal=holds and bool(group.get("minimal")),
        note=str(group.get("note") or ""),
    )
