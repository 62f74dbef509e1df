"""Encoders that did not learn: the floors of every claim."""

from __future__ import annotations

from jaxtyping import Array, Float

from .._lab import AbstractEncoder


class Raw(AbstractEncoder):
    """The observation itself."""

    def __call__(self, x: Float[Array, "..."]) -> Float[Array, " k"]:
        """The observation, flat."""
        return x.reshape(-1)
