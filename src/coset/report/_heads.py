"""Two models that expose both functions of their softmax: is the tie between them kept?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from coset.report._numbers import MISSING, count, scientific, score, typographic


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
        *_both(given, "Tie, ‖A_fᵀA_g − I‖/√M", "tie", scientific,
               _against(given, "tie_subspace_chance") or "0 would be exact", _least(given)),
        ("Tie in units of the logits", scientific(given.get("tie_logits")), ""),
        *_both(given, "R² of the map read off the heads alone", "r2_from_heads", score),
        *_both(given, "R² of the map fitted on data", "r2_from_data", score, "held out"),
        *_both(given, "Distance between the two maps", "distance", scientific, "relative"),
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


def _both(
    given: Mapping[str, Any],
    name: str,
    key: str,
    shown: Callable[[Any], str],
    small: str = "",
    small_over_all: str | None = None,
) -> list[tuple[str, str, str]]:
    """A number over the directions that the heads determine, and over all where it differs."""
    inside, over_all = (shown(given.get(k)) for k in (f"{key}_subspace", key))
    rows = [(name, inside, small)]
    if over_all != inside:
        words = small if small_over_all is None else small_over_all
        rows.append((f"{name}, over all dimensions", over_all, words))
    return rows


def _against(given: Mapping[str, Any], name: str) -> str:
    found = scientific(given.get(name))
    return "" if found == MISSING else f"{found} by chance"


def _least(given: Mapping[str, Any]) -> str:
    found = scientific(given.get("tie_floor"))
    return "" if found in {MISSING, score(0)} else f"{found} is the least possible"
