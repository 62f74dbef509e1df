"""The measures in words, and as rows of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from coset.report._dots import track
from coset.report._numbers import MISSING, count, interval, number, p_value, score, typographic

# name: (title, what it asks)
NAMES: dict[str, tuple[str, str]] = {
    "cca": ("CCA", "mean canonical correlation"),
    "svcca": ("SVCCA", "CCA of the directions with most variance"),
    "pwcca": ("PWCCA", "CCA weighted by how much each direction explains"),
    "cka": ("CKA", "similarity of the Gram matrices, linear kernel"),
    "cka_debiased": ("CKA, debiased", "the same without the bias of few rows"),
    "procrustes": ("Procrustes", "fit of the best rotation"),
    "rsa": ("RSA", "rank correlation of the pairwise distances"),
    "mcc_pearson": ("MCC, Pearson", "matched coordinates, up to scale"),
    "mcc_spearman": ("MCC, Spearman", "matched coordinates, up to a monotone function"),
    "knn_overlap": ("Neighbour overlap", "shared nearest neighbours"),
}


@dataclass(frozen=True)
class Measure:
    """One row of the table of measures."""

    title: str
    asks: str
    value: str
    interval: str
    chance: str
    p: str
    note: str
    track: Markup


def title(name: str) -> str:
    """What the measure is called in print."""
    return NAMES.get(name, (name, ""))[0]


def measures(comparison: Mapping[str, Any]) -> list[Measure]:
    """The measures that were taken, in the order of `NAMES`, then any others."""
    values = comparison.get("measures") or {}
    details = comparison.get("measure_details") or {}
    order = [name for name in NAMES if name in values] + [n for n in values if n not in NAMES]
    size = number(comparison.get("rows"))
    rows = [_measure(str(name), values[name], details.get(name) or {}, size) for name in order]
    return [row for row in rows if row.value != MISSING or row.note]


def _sampled(taken: Any, rows: float | None) -> str:
    seen = number(taken)
    return f"on {count(seen)} rows" if seen is not None and rows is not None and seen < rows else ""


def _measure(name: str, value: Any, detail: Mapping[str, Any], rows: float | None) -> Measure:
    low, high, chance = (number(detail.get(key)) for key in ("low", "high", "chance"))
    return Measure(
        title=title(name),
        asks=NAMES.get(name, ("", ""))[1],
        value=score(value),
        interval=interval(low, high) or MISSING,
        chance=score(chance),
        p=p_value(detail.get("p_value"), least=bool(detail.get("p_least"))),
        note=typographic(detail.get("note")) or _sampled(detail.get("rows"), rows),
        track=track(number(value), low, high, chance),
    )
