"""How numbers of claims stand in tables."""

from __future__ import annotations

from typing import Any

SIGNS = {"at_least": "≥", "at_most": "≤"}


def number(value: float | None) -> str:
    """Three decimals, or a dash."""
    if value is None:
        return "–"
    shown = f"{value:.3f}" if abs(value) < 1000 else f"{value:.4g}"
    return shown.replace("-", "−")


def bound(case: dict[str, Any]) -> str:
    """`≥ 0.95`."""
    sense, limit = case["bound"]
    return f"{SIGNS[sense]} {limit:g}"


def interval(case: dict[str, Any]) -> str:
    """`[low, high]`, where there are seeds enough for one."""
    if case["seeds"] < 2 or case["low"] is None:
        return ""
    return f" [{number(case['low'])}, {number(case['high'])}]"


def published(case: dict[str, Any]) -> str:
    """The number and where it stands."""
    shown = "–" if case["published"] is None else f"{case['published']:g}"
    return f"{shown} ({case['where']})" if case["where"] else shown


def seconds(value: float | None) -> str:
    """Whole seconds, tenths under ten."""
    if value is None:
        return "–"
    return f"{value:.1f}" if value < 10 else f"{value:,.0f}"
