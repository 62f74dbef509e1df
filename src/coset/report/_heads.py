"""Two models that expose both functions of their softmax: is the tie between them kept?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from coset.report._numbers import count, number, scientific, score, typographic


@dataclass(frozen=True)
class Heads:
    """What was found about the heads, in words and numbers."""

    sentence: str
    diverse: str
    facts: tuple[tuple[str, str, str], ...]


def heads(given: Mapping[str, Any] | None) -> Heads | None:
    """The part of the page about heads, where there are any."""
    if not given:
        return None
    floor = number(given.get("tie_floor"))
    against = "0 would be exact" if floor is None else f"{scientific(floor)} is the least possible"
    rows = (
        ("Tie ‖A_fᵀ A_g − I‖", scientific(given.get("tie")), against),
        ("R² of the map built from the heads alone", score(given.get("r2_from_heads")), ""),
        ("R² of the map fitted on data", score(given.get("r2_from_data")), ""),
        ("Distance between the two maps", scientific(given.get("distance")), "relative"),
        ("Rank of the differences of g", count(given.get("rank")),
         f"of {count(given.get('dimensions'))} dimensions"),
        ("Condition number", scientific(given.get("condition")), ""),
        ("Classes", count(given.get("classes")), ""),
    )  # fmt: skip
    diverse = given.get("diverse")
    return Heads(
        sentence=typographic(given.get("sentence")),
        diverse=""
        if diverse is None
        else "The diversity condition holds."
        if diverse
        else "The diversity condition does not hold: the heads alone do not determine the map.",
        facts=tuple(row for row in rows if row[1] != "–"),
    )
