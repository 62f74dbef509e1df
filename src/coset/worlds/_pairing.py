"""The contract of pairings."""

from __future__ import annotations

from abc import abstractmethod

import equinox as eqx
from jaxtyping import Array, Float, PRNGKeyArray

from .._core import Assumption, BadInput


class AbstractPairing(eqx.Module):
    """A conditional law: one latent in, the latent of its positive out."""

    @abstractmethod
    def sample(self, key: PRNGKeyArray, z: Float[Array, " d"]) -> Float[Array, " d"] | None:
        """One draw; None where there are no positives."""

    @property
    @abstractmethod
    def satisfies(self) -> frozenset[Assumption]:
        """What a theorem may ask of it."""


def draw_near(
    pairing: AbstractPairing, key: PRNGKeyArray, z: Float[Array, " d"]
) -> Float[Array, " d"]:
    """One draw of a pairing that must have one."""
    near = pairing.sample(key, z)
    if near is None:
        raise BadInput(
            f"{type(pairing).__name__} draws no positive, and a law around a point is "
            f"needed here: give a pairing such as VonMisesFisher(kappa, d)"
        )
    return near
