"""Do the rows at hand bear a verdict? Copies, and rows that outweigh all others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .._core import Floats
from ._pass import Summary
from ._words import short

FEW_ROWS = 30
"""Below this intervals are too short to trust; only an exact relation holds."""
FEW_CARRIERS = 10
"""The same for rows that carry the variance; normal rows of one column carry it as a third of
their number would."""
LEAST_SHARE = 0.02


def carriers(summary: Summary) -> Iterator[tuple[str, float]]:
    """Each side, and the number of rows that would carry its variance if all carried the same:
    (Σ|x|²)² / Σ|x|⁴ over centred rows.
    """
    whole = summary.gram()
    sizes = np.trace(whole.aa), np.trace(whole.bb)
    for name, size, quartic in zip(summary.names, sizes, whole.quartic[[0, 2]], strict=True):
        yield short(name), float(size**2 / quartic) if quartic > 0 else float(whole.n)


def borne(summary: Summary) -> bool:
    """Do enough rows carry the variance for an interval to mean anything?"""
    least = min(FEW_CARRIERS, summary.deal.rows / 10)
    return all(count >= least for _, count in carriers(summary))


def few_carriers(summary: Summary) -> str:
    """Why a score that rests on a handful of rows proves nothing, where it does."""
    if borne(summary):
        return ""
    name, count = min(carriers(summary), key=lambda found: found[1])
    return (
        f"the variance of {name} rests on about {max(count, 1):.0f} of {summary.deal.rows:,} rows, "
        f"which are far larger than the others, and so does every score: drop them, or scale rows "
        f"to one length"
    )


def few_distinct(summary: Summary, ranks: tuple[int, int]) -> str:
    """Why a match of repeated rows proves nothing, where it does not."""
    for rows, name, rank in zip((summary.a, summary.b), summary.names, ranks, strict=True):
        distinct = distinct_rows(rows)
        if distinct * (summary.deal.folds - 1) / summary.deal.folds <= rank + 2:
            return (
                f"the rows of {short(name)} repeat, there are about {distinct:.0f} distinct ones "
                f"among {summary.deal.rows:,}; a map of {rank} dimensions fits as many by "
                f"chance: drop the copies and give more distinct rows"
            )
    return ""


def cautions(summary: Summary) -> tuple[str, ...]:
    """What to know of the rows whatever the verdict."""
    said = []
    sampled, once = len(summary.sampled), int(summary.once.sum())
    if once < sampled / 2:
        said.append(
            f"rows repeat: {sampled - once:,} of {sampled:,} are copies of others in both a and b; "
            f"they stand on both sides of the folds, so scores of linear maps flatter: drop them"
        )
    name, count = min(carriers(summary), key=lambda found: found[1])
    if borne(summary) and count < LEAST_SHARE * summary.deal.rows:
        said.append(
            f"few rows carry the variance of {name} (as {max(count, 1):,.0f} of "
            f"{summary.deal.rows:,} would): scores say little of the others; look at the worst "
            f"rows, or scale rows to one length"
        )
    return tuple(said)


def distinct_rows(rows: Floats) -> float:
    """How many distinct rows there are, of which these are a sample.

    At least as many as the sample shows, and as many as would make two of its rows equal as often
    as they are; infinite where no two are.

    Example:
        >>> distinct_rows(np.repeat(np.eye(4), 25, axis=0)) < 5
        True
        >>> distinct_rows(np.maximum(np.arange(-500.0, 500), 0)[:, None])
        500.0
    """
    if len(rows) < 2:
        return np.inf
    _, counts = np.unique(rows, axis=0, return_counts=True)
    pairs = (counts * (counts - 1)).sum()
    return float(max(len(rows) * (len(rows) - 1) / pairs, len(counts))) if pairs else np.inf
