"""Claims and verdicts in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from .._claim import Case, Claim, Sense
    from .._verdict import Found, Verdict
    from .._verification import Verification

SIGNS = {"supported": ("✓", "green"), "refuted": ("✗", "red"), "uninformative": ("?", "yellow")}
SHORT = 96
"""Letters of a theorem in the list of all."""


def print_claims(console: Console, claims: Sequence[Claim]) -> None:
    """Name and theorem of each."""
    table = _table("claim", "says")
    for claim in claims:
        _add(table, (claim.name, _short(claim.says)))
    console.print(table)


def print_claim(console: Console, claim: Claim) -> None:
    """One claim in full."""
    from .._claim import SCALES

    _say(console, f"{claim.name}  ({claim.paper})", style="bold")
    _say(console, claim.says)
    if claim.assumptions:
        _say(console, "\nThis holds where")
        for assumption in claim.assumptions:
            _say(console, f"· {assumption.says}  ({assumption.name})")
    shown: dict[tuple[tuple[str, ...], ...], list[str]] = {}
    for scale in SCALES:
        rows = tuple(_planned(case) for case in claim.cases(scale))
        shown.setdefault(rows, []).append(scale)
    for rows, scales in shown.items():
        _say(console, f"\nCases at {', '.join(scales)}", style="bold")
        table = _table("case", "role", "metric", "bound", "published", "where", "note")
        for row in rows:
            _add(table, row)
        console.print(table)
    if claim.differs:
        _say(console, f"\nWhat differs from the paper: {claim.differs}")


def print_verification(console: Console, verification: Verification) -> None:
    """Every verdict with its cases."""
    for verdict in verification.verdicts:
        _print_verdict(console, verdict)
    _say(console, verification.sentence, style="bold")


def _print_verdict(console: Console, verdict: Verdict) -> None:
    sign, colour = SIGNS[verdict.status]
    _say(console, f"{sign} {verdict.status}  {verdict.name}", style=f"bold {colour}")
    _say(console, f"  {verdict.says}")
    _say(console, f"  {verdict.reason}")
    table = _table("", "case", "metric", "score", "interval", "bound", "published", "untrained",
                   "raw")  # fmt: skip
    for case in verdict.cases:
        _add(table, _found(case))
    console.print(table)
    console.print()


def _found(case: Found) -> tuple[str, ...]:
    name = case.name if case.role == "holds" else f"{case.name} (control)"
    interval = "" if case.seeds < 2 else f"{_number(case.low)} … {_number(case.high)}"
    published = "–" if case.published is None else f"{case.published:g}"
    numbers = (published, _number(case.untrained), _number(case.raw))
    mark = "  ✓" if case.met else "  ✗"
    return (mark, name, case.metric, _number(case.score), interval, _bound(case.bound), *numbers)


def _planned(case: Case) -> tuple[str, ...]:
    note = "; ".join(filter(None, (case.breaks and f"breaks: {case.breaks}", case.differs)))
    role = "holds" if case.role == "holds" else "control"
    published = "–" if case.published is None else f"{case.published:g}"
    return (case.name, role, case.metric, _bound(case.bound), published, case.where, note)


def _bound(bound: tuple[Sense, float]) -> str:
    return f"{'≥' if bound[0] == 'at_least' else '≤'} {bound[1]:g}"


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    shown = f"{value:.3f}" if abs(value) < 1000 else f"{value:.4g}"
    return shown.replace("-", "−")


def _short(text: str) -> str:
    return text if len(text) <= SHORT else f"{text[:SHORT].rpartition(' ')[0]} …"


def _say(console: Console, text: str, style: str | None = None) -> None:
    console.print(text, style=style, soft_wrap=True, markup=False)


def _table(*titles: str) -> Table:
    from rich.table import Table

    numbers = ("score", "interval", "bound", "published", "untrained", "raw")
    table = Table(box=None, pad_edge=False)
    for title in titles:
        table.add_column(title, justify="right" if title in numbers else "left")
    return table


def _add(table: Table, row: Sequence[str]) -> None:
    """Text as it is: brackets are no markup."""
    from rich.text import Text

    table.add_row(*map(Text, row))
