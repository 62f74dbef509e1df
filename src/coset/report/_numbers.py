"""How the page writes numbers, dates and text: three decimals, true minus, en dash for nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any

MISSING = "–"
JOINED = "\N{NO-BREAK SPACE}"
_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def number(value: Any) -> float | None:
    """The value as a finite float, or None where it is not one."""
    if value is None or isinstance(value, bool | str | bytes):
        return None
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def numbers(values: Iterable[Any] | None) -> list[float | None]:
    """Each value through `number`; an empty list for nothing."""
    return [] if values is None else [number(value) for value in values]


def known(values: Iterable[float | None]) -> list[float]:
    """The values that are defined."""
    return [value for value in values if value is not None]


def score(value: Any, digits: int = 3) -> str:
    """A score for reading: `0.982`, `−40.3`, `−1,204`, `–`."""
    found = number(value)
    if found is None:
        return MISSING
    size = abs(found)
    if size >= 1e6:
        return scientific(found)
    decimals = digits if size < 2 else min(digits, 2) if size < 10 else 1 if size < 100 else 0
    text = f"{size:,.{decimals}f}"
    return f"−{text}" if found < 0 and text.strip("0.,") else text


def scientific(value: Any) -> str:
    """A number of any size: as a score where it is readable so, else as a power of ten."""
    found = number(value)
    if found is None or found == 0 or 1e-3 <= abs(found) < 1e6:
        return score(found)
    mantissa, exponent = f"{abs(found):.1e}".split("e")
    return f"{'−' if found < 0 else ''}{mantissa} × 10{str(int(exponent)).translate(_RAISED)}"


def interval(low: Any, high: Any) -> str:
    """`[0.978, 0.986]`, or nothing where an end is missing."""
    if number(low) is None or number(high) is None:
        return ""
    return f"[{score(low)},{JOINED}{score(high)}]"


def count(value: Any) -> str:
    """A whole number with thousands separated: `1,797`."""
    found = number(value)
    return MISSING if found is None else f"{found:,.0f}".replace("-", "−")


def plain(value: Any) -> str:
    """A number as short as it is exact: `0.95`, `1,024`, `−2.5`."""
    found = number(value)
    if found is None:
        return MISSING
    short = found == 0 or 1e-4 <= abs(found) < 1e6
    return f"{found:,.6g}".replace("-", "−") if short else scientific(found)


def brief(value: Any) -> str:
    """A number to three digits that count: `0.0431`, `1.2`."""
    found = number(value)
    return MISSING if found is None else plain(float(f"{found:.3g}"))


def percent(value: Any) -> str:
    """A share as a percentage: `95 %`."""
    found = number(value)
    return MISSING if found is None else f"{100 * found:.4g}{JOINED}%".replace("-", "−")


def p_value(value: Any, *, least: bool = False) -> str:
    """A p-value, with a sign where it is the least that so many shuffles can give: `≤ 0.020`."""
    found = number(value)
    return MISSING if found is None else f"{'≤ ' if least else ''}{found:.3f}"


def typographic(text: Any) -> str:
    """Text with a true minus before numbers that stand alone."""
    return re.sub(r"(?<![^\s(\[])-(?=\.?\d)", "−", "" if text is None else str(text))


def sentence(text: Any, names: tuple[str, ...] = ()) -> str:
    """Text that begins and ends as a sentence does; a name stays as it is written."""
    said = typographic(text).strip()
    first = re.match(r"[a-z]+(?= )", said)
    if first and first[0] not in names:
        said = said[:1].upper() + said[1:]
    return said if not said or said[-1] in ".!?:" else f"{said}."


def when(text: Any) -> str:
    """An ISO time as a date for people: `18 November 2026, 21:30 UTC`."""
    if text is None:
        return ""
    try:
        moment = datetime.fromisoformat(str(text))
    except ValueError:
        return str(text)
    shift = moment.utcoffset()
    zone = "" if shift is None else " UTC" if not shift else f" UTC{moment:%z}".replace("-", "−")
    return f"{moment.day} {moment:%B %Y, %H:%M}{zone}"
