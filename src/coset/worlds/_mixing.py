"""What latents look like."""

from __future__ import annotations

from abc import abstractmethod

import equinox as eqx
from jaxtyping import Array, Float


class AbstractMixing(eqx.Module):
    """One latent → one observation; always the same one."""

    injective: eqx.AbstractClassVar[bool]
    """Do different latents always look different?"""

    @abstractmethod
    def __call__(self, z: Float[Array, " d"]) -> Float[Array, " m"]:
        """The observation of one latent."""
