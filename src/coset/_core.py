"""The contracts that every family of members keeps. Imports nothing of ours."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Task = TypeVar("Task")
State = TypeVar("State")


class BadInput(ValueError):
    """What the user gave cannot be used: says what was given, what is needed, what to do."""


@dataclass(frozen=True, eq=False, repr=False)
class Score:
    """A number with its particulars; `float(score)` is the number.

    Subclasses add fields and nothing else, so every metric returns one object of one shape.
    """

    value: float

    def __float__(self) -> float:
        return float(self.value)

    def __repr__(self) -> str:
        shown = [
            f"{f.name}={value!r}"
            for f in fields(self)[1:]
            if not isinstance(value := getattr(self, f.name), np.ndarray) and value is not None
        ]
        return f"{type(self).__name__}({', '.join([f'{self.value:.6g}', *shown])})"


@dataclass(frozen=True, order=True)
class Assumption:
    """What a theorem asks of a world; two are the same where their names are."""

    name: str
    says: str = field(compare=False)
    """A clause that ends "this holds where …"."""


class Map(ABC):
    """A fitted map between two codes: call it to apply it."""

    group: str

    @abstractmethod
    def __call__(self, a: Any) -> Floats:
        """Carry rows of a over to b."""

    @abstractmethod
    def inverse(self, b: Any) -> Floats:
        """Carry rows of b back to a; refused with the reason where there is no inverse."""

    @abstractmethod
    def tensors(self) -> dict[str, NDArray]:
        """The arrays that determine the map, by name: what is saved."""


class Group(ABC):
    """A class of maps: the "up to" of a verdict."""

    name: ClassVar[str]
    says: ClassVar[str]
    """The form of the map, e.g. `b = Q a`."""
    inside: ClassVar[tuple[str, ...]]
    """The groups that contain this one directly."""
    cite: ClassVar[str] = ""
    """A key of references.bib, where there is one."""


class Engine(Protocol):
    """Maps tasks to states and merges the states in the order of the tasks."""

    def map_reduce(
        self,
        work: Callable[[Task], State],
        tasks: Sequence[Task],
        merge: Callable[[State, State], State],
        progress: Callable[[int], None] | None = None,
    ) -> State:
        """The merged state of all tasks; the same bits whatever the number of workers."""
        ...
