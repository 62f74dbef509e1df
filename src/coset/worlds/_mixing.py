"""What latents look like."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Protocol

import equinox as eqx
from jaxtyping import Array, Float


class AbstractMixing(eqx.Module):
    """One latent → one observation; always the same one."""

    injective: eqx.AbstractClassVar[bool]
    """Do different latents always look different?"""

    @abstractmethod
    def __call__(self, z: Float[Array, " d"]) -> Float[Array, " m"]:
        """The observation of one latent."""


class Invertible(Protocol):
    """A mixing that can be undone."""

    injective: ClassVar[bool]

    def __call__(self, z: Float[Array, " d"]) -> Float[Array, " d"]:
        """The observation of one latent."""
        ...

    def inverse(self, x: Float[Array, " d"]) -> Float[Array, " d"]:
        """The latent of one observation."""
        ...
