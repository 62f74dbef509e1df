"""A theorem as data: what holds, what should break it, what was published. Needs no JAX."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from ._core import Assumption

Scale = Literal["smoke", "small", "paper"]
Role = Literal["holds", "breaks"]
Sense = Literal["at_least", "at_most"]
Progress = Callable[[int, int], None]
SCALES: tuple[Scale, ...] = ("smoke", "small", "paper")


@dataclass(frozen=True)
class Scores:
    """One metric, seed by seed."""

    trained: tuple[float, ...]
    untrained: tuple[float, ...] = ()
    """The encoder as initialised."""
    raw: tuple[float, ...] = ()
    """The observation itself."""


@dataclass(frozen=True)
class Curve:
    """What a score did over steps (or negatives, or widths), for every seed."""

    name: str
    along: str
    """What the axis counts."""
    at: tuple[float, ...]
    values: tuple[tuple[float, ...], ...]
    """(points, seeds)."""
    logarithmic: bool = True


@dataclass(frozen=True)
class Picture:
    """Plain data of a picture: `kind` says how it is drawn."""

    name: str
    kind: Literal["scatter", "matrix", "lines"]
    data: Mapping[str, Any]
    """scatter: x, y, (group), xlabel, ylabel; matrix: values, rows, columns; lines: see Curve."""


@dataclass(frozen=True)
class Run:
    """The immutable record of one cell: every seed, every metric."""

    cell: str
    """Its fingerprint: two cells that compute the same have the same."""
    seeds: tuple[int, ...]
    scores: Mapping[str, Scores]
    curves: tuple[Curve, ...] = ()
    pictures: tuple[Picture, ...] = ()
    diverged: tuple[bool, ...] = ()
    seconds: float = 0.0
    compile_seconds: float = 0.0
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Run:
        """The run that `to_dict` was made of."""
        found = dict(plain)
        found["seeds"] = tuple(found["seeds"])
        found["scores"] = {
            name: Scores(**{part: tuple(values) for part, values in score.items()})
            for name, score in found["scores"].items()
        }
        found["curves"] = tuple(
            Curve(
                **{
                    **curve,
                    "at": tuple(curve["at"]),
                    "values": tuple(tuple(point) for point in curve["values"]),
                }
            )
            for curve in found["curves"]
        )
        found["pictures"] = tuple(Picture(**picture) for picture in found["pictures"])
        found["diverged"] = tuple(found["diverged"])
        found["notes"] = tuple(found["notes"])
        return cls(**found)


class Cell(Protocol):
    """What is run: a frozen value, so that its fingerprint is that of its fields."""

    def run(
        self,
        seeds: Sequence[int],
        *,
        folder: Path | None = None,
        progress: Progress | None = None,
    ) -> Run:
        """The record of these seeds; `folder` is for checkpoints of this cell alone."""
        ...


@dataclass(frozen=True)
class Case:
    """One row of a claim: a cell, a metric of it, the bound that it is held to."""

    name: str
    role: Role
    cell: Cell
    metric: str
    bound: tuple[Sense, float]
    published: float | None = None
    where: str = ""
    """Where the published number stands."""
    breaks: str = ""
    """What a control breaks, in words."""
    differs: str = ""
    """What differs from the published setting."""


@dataclass(frozen=True)
class Claim:
    """A theorem, when it holds, what to expect, and what should break it."""

    name: str
    """`PAPER.CLAIM`."""
    paper: str
    """A key of references.bib."""
    says: str
    """The theorem in a sentence."""
    assumptions: tuple[Assumption, ...]
    cases: Callable[[Scale], tuple[Case, ...]] = field(repr=False)
    differs: str = ""
    """What differs from the published setting, in every case."""
