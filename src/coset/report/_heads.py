"""Two models that expose both functions of their softmax: is the tie between them kept?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from coset.report._numbers import MISSING, count, number, scientific, score, typographic


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
    rows = (
        ("Tie ‖A_fᵀ A_g − I‖", _first(given, "tie_subspace", "tie"),
         _against(given, "tie_subspace_chance", "tie_chance") or "0 would be exact"),
        ("Tie over all dimensions", scientific(given.get("tie")) if "tie_subspace" in given else
         MISSING, _least(given)),
        ("Tie in units of the logits", scientific(given.get("tie_logits")), ""),
        ("R² of the map read off the heads alone", score(given.get("r2_from_heads")), ""),
        ("R² of the map fitted on data", score(given.get("r2_from_data")), "held out"),
        ("Distance between the two maps", scientific(given.get("distance")), "relative"),
        ("Predictions differ by", scientific(given.get("kl")),
         ", ".join(part for part in ("nats", _against(given, "kl_chance")) if part)),
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
        facts=tuple(row for row in rows if row[1] != MISSING),
    )


def _first(given: Mapping[str, Any], *names: str) -> str:
    return next((scientific(given[n]) for n in names if number(given.get(n)) is not None), MISSING)


def _against(given: Mapping[str, Any], *names: str) -> str:
    found = _first(given, *names)
    return "" if found == MISSING else f"{found} by chance"


def _least(given: Mapping[str, Any]) -> str:
    found = _first(given, "tie_floor")
    return "" if found in {MISSING, score(0)} else f"{found} is the least possible"
