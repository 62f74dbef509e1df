"""Worlds by name: functions of a seed, for the command line and for tests over all of them."""

from __future__ import annotations

from collections.abc import Callable

from ._named_alone import conformal, smooth
from ._named_blocks import content_style, few_changes, product, resampled, torus
from ._named_in_time import autoregressive, segments
from ._named_labelled import clusters
from ._named_pairs import anisotropic, box, sphere, unbounded
from ._world import World

WORLDS: dict[str, Callable[..., World]] = {
    "sphere": sphere,
    "box": box,
    "unbounded": unbounded,
    "anisotropic": anisotropic,
    "content_style": content_style,
    "resampled": resampled,
    "few_changes": few_changes,
    "clusters": clusters,
    "segments": segments,
    "autoregressive": autoregressive,
    "conformal": conformal,
    "smooth": smooth,
    "torus": torus,
    "product": product,
}
"""The first line of each docstring says what it draws."""
