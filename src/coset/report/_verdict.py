"""The verdict in words: its state, its tone, and what it means for whoever asked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from coset.report._numbers import count, interval, percent, plain, score, typographic
from coset.report._rungs import KNOWN, Rung


@dataclass(frozen=True)
class Verdict:
    """State (`agree`, `several`, `none`, `unrelated`, `undetermined`) and its words."""

    state: str
    badge: str
    headline: str
    rest: str
    meanings: tuple[tuple[str, str], ...]
    formula: str


def verdict(comparison: Mapping[str, Any], rungs: Sequence[Rung]) -> Verdict:
    """The verdict of a comparison, whatever of it is known."""
    names = [str(name) for name in comparison.get("verdict") or ()]
    state = _state(comparison, names)
    sides = (side_name(comparison, "a"), side_name(comparison, "b"))
    said = typographic(comparison.get("sentence")) or " and ".join(sides)
    headline, rest = _split(said, (_last(sides[0]), _last(sides[1])))
    formulas = [rung.says for rung in rungs if rung.name in names and rung.says]
    return Verdict(
        state=state,
        badge=_badge(state, names),
        headline=headline,
        rest=rest,
        meanings=_meanings(state, names, rungs),
        formula=" or ".join(formulas) or ("?" if state == "undetermined" else "no map found"),
    )


def side_name(comparison: Mapping[str, Any], side: str) -> str:
    """What the given side is called."""
    return str((comparison.get(side) or {}).get("name") or side)


def _last(name: str) -> str:
    """The last part of a path: what a sentence calls it."""
    return name.rstrip("/").rpartition("/")[2] or name


def _state(comparison: Mapping[str, Any], names: Sequence[str]) -> str:
    if comparison.get("undetermined"):
        return "undetermined"
    if names:
        return "several" if len(names) > 1 else "agree"
    return "unrelated" if comparison.get("related") is False else "none"


def _badge(state: str, names: Sequence[str]) -> str:
    if state in {"agree", "several"}:
        return f"Verdict: {', and '.join(names)}"
    return {
        "none": "Verdict: none holds",
        "unrelated": "Verdict: unrelated",
        "undetermined": "Verdict: undetermined",
    }[state]


def _split(sentence: str, names: tuple[str, str]) -> tuple[str, str]:
    """What is said, and what it rests on: cut at the first colon or semicolon after the names."""
    sentence = re.sub(r"^Undetermined: ", "", sentence)
    past = max(
        (at + len(name) for name in names if 0 <= (at := sentence.find(typographic(name))) < 400),
        default=0,
    )
    head, *rest = re.split(r"[:;] ", sentence[past:], maxsplit=1)
    tail = rest[0] if rest else ""
    said = sentence[:past] + head + ("." if rest else "")
    if not said.startswith(names):
        said = said[:1].upper() + said[1:]
    return said, tail[:1].upper() + tail[1:]


def _meanings(
    state: str, names: Sequence[str], rungs: Sequence[Rung]
) -> tuple[tuple[str, str], ...]:
    if names and state != "undetermined":
        return tuple((name, KNOWN[name].meaning) for name in names if name in KNOWN)
    best = closest_of(rungs)
    closest = (
        f" The closest is {best.name}, with R² {score(best.r2)}."
        if best is not None and state == "none"
        else ""
    )
    text = {
        "none": "They may share something, but no class of maps carries one to the other well "
        f"enough.{closest}",
        "unrelated": "No class of maps does clearly better than on shuffled rows. If they should "
        "agree, check first that row i is the same thing on both sides.",
        "undetermined": "These rows cannot tell; the sentence above says why. The scores below "
        "are what can be said so far.",
    }[state if state in {"unrelated", "undetermined"} else "none"]
    return (("", text),)


def closest_of(rungs: Sequence[Rung]) -> Rung | None:
    """The rung with the best score, the loosest of equals."""
    scored = [rung for rung in reversed(rungs) if rung.r2 is not None]
    return max(scored, key=lambda rung: rung.r2 or 0.0, default=None)


def facts(comparison: Mapping[str, Any], rungs: Sequence[Rung]) -> list[tuple[str, str, str]]:
    """The four numbers to see first: (name, value, small print)."""
    names = comparison.get("verdict") or ()
    told = [r for r in rungs if r.name in names and r.r2 is not None]
    told = told or [r for r in [closest_of(rungs)] if r is not None]
    found = []
    if told:
        first = told[0]
        named = f"R² of {first.name}" if first.name in names else f"Best R², {first.name}"
        level = percent(comparison.get("level") or 0.95)
        ends = interval(first.low, first.high)
        small = f"{level} interval {ends}" if ends else "two-way, held out"
        found.append((named, score(first.r2), small))
        if first.chance is not None:
            found.append(("By chance", score(first.chance), "rows of b shuffled"))
    if comparison.get("rows") is not None:
        folds = comparison.get("folds")
        small = f"scored in {count(folds)} folds" if folds else "compared"
        found.append(("Rows in common", count(comparison["rows"]), small))
    if comparison.get("threshold") is not None:
        found.append(("Threshold", plain(comparison["threshold"]), "for the lower end"))
    return found
