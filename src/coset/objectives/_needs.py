"""Columns of a batch that an objective cannot do without."""

from __future__ import annotations

from jaxtyping import Array

from .._core import BadInput
from .._lab import Batch

_HOLDS = {
    "positive": "positives",
    "negative": "fresh negatives",
    "auxiliary": "labels (auxiliary)",
}


def need(batch: Batch, name: str, who: str, *, rows: int | None = None) -> Array:
    """A column of the batch; refused where the world did not offer it."""
    found: Array | None = getattr(batch, name)
    if found is None:
        raise BadInput(
            f"{who} got a batch without {_HOLDS[name]}: choose a world that draws them, or an "
            f"objective that does without"
        )
    if rows is not None and len(found) != rows:
        raise BadInput(
            f"{who} got {rows} observations and {len(found)} {_HOLDS[name]}: they belong together "
            f"row by row, give as many of each"
        )
    return found
