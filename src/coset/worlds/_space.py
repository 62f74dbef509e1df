"""The contract of spaces."""

from __future__ import annotations

from abc import abstractmethod

import equinox as eqx
from jaxtyping import Array, Float, PRNGKeyArray

from .._core import Assumption, BadInput
from ._noises import AbstractNoise


class AbstractSpace(eqx.Module):
    """A set of points with a volume, written in `dim` coordinates."""

    @property
    @abstractmethod
    def dim(self) -> int:
        """Number of coordinates."""

    @property
    @abstractmethod
    def satisfies(self) -> frozenset[Assumption]:
        """What a theorem may ask of it."""

    @property
    @abstractmethod
    def middle(self) -> Float[Array, " dim"]:
        """Where laws are centred unless something else is said."""

    @abstractmethod
    def log_volume(self) -> float:
        """Of the surface where it is one; inf where there is no end."""

    @abstractmethod
    def uniform(self, key: PRNGKeyArray) -> Float[Array, " dim"]:
        """One point, uniform."""

    @abstractmethod
    def project(self, z: Float[Array, " dim"]) -> Float[Array, " dim"]:
        """The nearest point of the space."""

    @abstractmethod
    def scatter(
        self, key: PRNGKeyArray, noise: AbstractNoise, centre: Float[Array, " dim"]
    ) -> Float[Array, " dim"]:
        """Centre + noise, kept in the space: projected on surfaces, truncated in bodies."""


def at_least(d: int, least: int) -> int:
    if d < least:
        raise BadInput(f"d={d}; this space needs at least {least}")
    return int(d)
