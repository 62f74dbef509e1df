"""Scores → a verdict that a person can quote."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .._core import Floats
from ..groups import looser, minimal
from ._pass import Summary
from ._rungs import EXACT, Rung
from ._search import learning_curve
from ._support import FEW_ROWS, cautions, few_carriers, few_distinct
from ._words import number, short

PHRASES = {
    "identity": "nothing: no map is needed",
    "permutation": "the order of their columns",
    "signed-permutation": "the order and the signs of their columns",
    "scaled-permutation": "the order, scale and offset of each column",
    "componentwise": "the order of the columns and a monotone change of each",
    "orthogonal": "a rotation (or reflection)",
    "similarity": "a rotation, one scale and an offset",
    "linear": "an invertible linear map",
    "affine": "an invertible affine map",
    "nonlinear": "a nonlinear map",
}
UNRELATED = 0.05
"""No group explains this share of variance either way: nothing beyond chance to speak of."""
FITTED = {"orthogonal", "similarity", "linear", "affine", "nonlinear"}
"""Groups with enough freedom to fit a few repeated rows by chance."""
BENT = {"componentwise", "nonlinear"}
FEW_FOR_CURVES = 200
"""Up to so many rows, what curves do not reach may be for lack of rows where they bend."""
HALFWAY = 0.5
"""A score that may yet reach the threshold."""
FALLING = 0.75
"""An error that falls at least by this factor when rows are doubled goes on falling."""
SHARED = 0.7
"""A direction is shared where its canonical correlation reaches this (half of its variance)."""


@dataclass(frozen=True)
class Verdict:
    """Minimal groups that hold, or why there are none."""

    groups: tuple[str, ...]
    sentence: str
    hints: tuple[str, ...] = ()
    undetermined: bool = False
    related: bool = True


def judge(
    rungs: Mapping[str, Rung], summary: Summary, threshold: float, ranks: tuple[int, int]
) -> Verdict:
    """The verdict of these rungs."""
    held = minimal(name for name, rung in rungs.items() if rung.holds)
    names = " and ".join(short(name) for name in summary.names)
    if set(held) & FITTED and few_distinct(summary, ranks):
        return Verdict((), f"Undetermined: {few_distinct(summary, ranks)}.", undetermined=True)
    known = cautions(summary)
    if held:
        sentence = (
            f"{names} {_agreement(rungs, held, summary)}: {_numbers(rungs[held[0]])}."
            f"{_stricter(rungs, held)}"
        )
        return Verdict(held, sentence, known + _hints(rungs, held, threshold))
    reason = _too_few(rungs, summary, threshold, ranks)
    if reason:
        return Verdict((), f"Undetermined: {reason}.", known, undetermined=True)
    best = max(rungs.values(), key=lambda rung: rung.r2)
    one_way = max(max(rung.r2_ab, rung.r2_ba) for rung in rungs.values())
    if one_way < UNRELATED:
        sentence = (
            f"{names} are unrelated: no group explains more than {max(one_way, 0):.0%} of the "
            f"variance either way, held out, over {_scored(rungs):,} rows."
        )
        return Verdict((), sentence, (*known, _out_of_order(summary)), related=False)
    sentence = (
        f"No group of the ladder relates {names} at the threshold {threshold:g}; the closest is "
        f"{best.name}: {_numbers(best)}."
    )
    return Verdict((), sentence, known + _one_sided(rungs, threshold))


def _agreement(rungs: Mapping[str, Rung], held: tuple[str, ...], summary: Summary) -> str:
    if held != ("identity",):
        return "agree up to " + ", or up to ".join(PHRASES[name] for name in held)
    if summary.a.shape[1] != summary.b.shape[1]:
        return "agree as they are, the narrower filled up with zeros"
    if rungs["identity"].r2 >= EXACT:
        return "are equal"
    return "agree as they are, without a map"


def _numbers(rung: Rung) -> str:
    return f"held-out two-way R² {_interval(rung)} where chance gives {number(rung.chance)}"


def _interval(rung: Rung) -> str:
    return f"{number(rung.r2)} [{number(rung.low)}, {number(rung.high)}]"


def _stricter(rungs: Mapping[str, Rung], held: tuple[str, ...]) -> str:
    below = [r for name, r in rungs.items() if set(held) & looser(name)]
    if not below:
        return ""
    best = max(below, key=lambda rung: rung.r2)
    return f" No stricter group does; the best is {best.name} with {number(best.r2)}."


def _too_few(
    rungs: Mapping[str, Rung], summary: Summary, threshold: float, ranks: tuple[int, int]
) -> str:
    """A group may hold among all rows although these do not show it."""
    rows, rank = summary.deal.rows, max(ranks)
    if reason := few_carriers(summary):
        return reason
    fitted = rows * (summary.deal.folds - 1) // summary.deal.folds
    if fitted <= rank + 2:
        columns = max(summary.a.shape[1], summary.b.shape[1])
        return (
            f"{rows} rows cannot tell whether codes of {columns} columns are related: a map fitted "
            f"to {fitted} of them fits anything; give at least {3 * columns} rows"
        )
    if rows < FEW_ROWS:
        passed = any(rung.low >= threshold for rung in rungs.values())
        what = "trust an interval" if passed else "rule a relation out"
        return f"{rows} rows are too few to {what}; {FEW_ROWS} are needed"
    for name, rung in rungs.items():
        free = rank if name in ("linear", "affine") else 0
        reach = 1 - (1 - rung.high) * (fitted - free - 1) / fitted
        if rung.low < threshold <= reach:
            return (
                f"{name} reaches {_interval(rung)} with {rung.rows:,} rows, which does not settle "
                f"whether it holds at {threshold:g}; {_more(rung, summary)}"
            )
    return _still_rising(rungs, summary)


def _still_rising(rungs: Mapping[str, Rung], summary: Summary) -> str:
    """Curves need rows where they bend; does the best group gain from every doubling?"""
    best = max(rungs.values(), key=lambda rung: rung.r2)
    if best.name not in BENT or best.rows > FEW_FOR_CURVES or best.r2 < HALFWAY:
        return ""
    curve = learning_curve(summary, best.name)
    if curve is None or len(curve.r2) < 2:
        return ""
    half, full = (1 - score for score in curve.r2[-2:])
    if full > FALLING * half * (curve.rows[-2] / curve.rows[-1] * 2):
        return ""
    return (
        f"{best.name} reaches {_interval(best)} with {best.rows:,} rows and still gains from more, "
        f"in one fold {number(curve.r2[-1])} with {curve.rows[-1]:,} rows after "
        f"{number(curve.r2[-2])} with {curve.rows[-2]:,}: more rows would tell"
    )


def _more(rung: Rung, summary: Summary) -> str:
    if rung.rows < summary.deal.rows:
        return "a larger sample (--sample) may"
    return "more rows would"


def _scored(rungs: Mapping[str, Rung]) -> int:
    return max(rung.rows for rung in rungs.values())


def _hints(rungs: Mapping[str, Rung], held: tuple[str, ...], threshold: float) -> tuple[str, ...]:
    hints = []
    for name, rung in rungs.items():
        if not rung.holds and set(held) & looser(name) and rung.high >= threshold:
            hints.append(f"{name} is not ruled out: {_interval(rung)}")
    return tuple(hints)


def _one_sided(rungs: Mapping[str, Rung], threshold: float) -> tuple[str, ...]:
    rung = rungs["affine"]
    if max(rung.r2_ab, rung.r2_ba) < threshold or rung.high >= threshold:
        return ()
    more, less = ("a", "b") if rung.r2_ab > rung.r2_ba else ("b", "a")
    best, worst = sorted((rung.r2_ab, rung.r2_ba), reverse=True)
    return (
        f"{less} is an affine function of {more} (R² {number(best)}) but not the other way round "
        f"({number(worst)}): {less} has lost something that {more} holds",
    )


def _out_of_order(summary: Summary) -> str:
    """Codes whose spectra match although their rows do not correspond are probably shuffled."""
    spectra = [np.linalg.eigvalsh(gram)[::-1] for gram in (summary.gram().aa, summary.gram().bb)]
    k = min(len(s) for s in spectra)
    a, b = (s[:k] / s.sum() for s in spectra)
    alike = float(np.abs(a - b).sum()) < 0.02 and float(np.abs(a - a.mean()).sum()) > 0.1
    lead = (
        "their spectra are the same, so the" if alike else "if they describe the same things, the"
    )
    return (
        f"{lead} rows may be out of order: row i of both must be the same thing; "
        f"join them by a key (--on COLUMN, or --a-key and --b-key)"
    )


def shared_directions(
    rungs: Mapping[str, Rung],
    held: tuple[str, ...],
    correlations: Floats,
    ranks: tuple[int, int],
) -> tuple[str, ...]:
    """A warning where an accepted map nevertheless drops whole directions."""
    linear = [name for name in held if name not in ("componentwise", "nonlinear")]
    shared = int((correlations >= SHARED).sum())
    if not linear or shared == max(ranks):
        return ()
    return (
        f"{shared} of {max(ranks)} directions are shared (canonical correlation {SHARED:g} or "
        f"more); what the others carry is within the {1 - rungs[linear[0]].r2:.1%} of variance "
        f"left unexplained",
    )
