"""One dial: what a claim spends at each scale."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from jaxtyping import PRNGKeyArray

from .._claim import Scale
from .._lab import AbstractEncoder
from .._recipe import Recipe
from ..encoders import AbstractHead, Free, InBox, Mlp, OnSphere

HEADS: dict[str, Callable[[], AbstractHead]] = {
    "free": Free,
    "sphere": OnSphere,
    "ball": partial(OnSphere, learned_radius=True),
}
PUBLISHED_WIDTHS = (10, 50, 50, 50, 50, 10)
"""Times the number of latents: the encoder that the papers of this family share."""


def budget(scale: Scale, *, steps: int = 2500, batch: int = 512, **options: Any) -> Recipe:
    """The recipe of a scale: seconds, minutes, or what was published.

    Args:
        scale: smoke, small or paper.
        steps: at the scale small.
        batch: at the scale small.
        options: of the recipe, at both smaller scales.
    """
    if scale == "paper":
        return Recipe(batch=6144, steps=300_000, kind="adam", rate=1e-4, schedule="constant")
    if scale == "smoke":
        return Recipe(batch=min(batch, 256), steps=min(steps, 800), **options)
    return Recipe(batch=batch, steps=steps, **options)


def encoder(scale: Scale, d_out: int, *, head: str = "free", latents: int | None = None) -> Any:
    """What makes an encoder of that scale: (key, columns) → encoder."""
    widths: tuple[int, ...] = (128, 128, 128)
    if scale == "paper":
        widths = tuple((latents or d_out) * width for width in PUBLISHED_WIDTHS)
    slope = 0.01 if scale == "paper" else 0.2
    return partial(mlp, d_out=d_out, widths=widths, slope=slope, head=head)


def mlp(
    key: PRNGKeyArray, columns: int, *, d_out: int, widths: tuple[int, ...], slope: float, head: str
) -> AbstractEncoder:
    """Linear layers with leaky ReLU between, and a head by name."""
    last = InBox(d_out) if head == "box" else HEADS[head]()
    return Mlp(key, columns, d_out, widths=widths, slope=slope, head=last)
