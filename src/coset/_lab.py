"""The contracts of the laboratory: what is drawn, what may be seen, what is minimised.

Apart from `_core` because it needs JAX and Equinox, which the audit must not import.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from ._core import Assumption, BadInput

Member = TypeVar("Member")


class Batch(eqx.Module):
    """Everything that a learner may see, and nothing else; what a world does not offer is None."""

    x: Float[Array, "n ..."]
    """Observations."""
    positive: Float[Array, "n ..."] | None = None
    """An observation of something related to each row of x."""
    negative: Float[Array, "n ..."] | None = None
    """Observations of something unrelated."""
    auxiliary: Array | None = None
    """Labels, segments or times of the rows of x."""


class Draw(eqx.Module):
    """What a world drew: the latents, for metrics only, and what a learner may see."""

    latent: Float[Array, "n d"]
    batch: Batch
    positive: Float[Array, "n d"] | None = None
    """Latents of the positives."""


class AbstractWorld(eqx.Module):
    """Draws latents and what they look like; every draw is fresh."""

    @abstractmethod
    def sample(self, key: PRNGKeyArray, n: int) -> Draw:
        """`n` latents and what a learner sees of them; works inside a compiled graph."""

    @property
    @abstractmethod
    def satisfies(self) -> frozenset[Assumption]:
        """The assumptions that this world meets."""


class AbstractEncoder(eqx.Module):
    """One observation → one code; the caller maps it over rows."""

    @abstractmethod
    def __call__(self, x: Float[Array, "..."]) -> Float[Array, " k"]:
        """The code of one observation."""


class AbstractObjective(eqx.Module):
    """Encoder and batch → what is minimised; owns the parameters that are no encoder's."""

    @abstractmethod
    def __call__(
        self, encoder: AbstractEncoder, batch: Batch, *, key: PRNGKeyArray
    ) -> Float[Array, ""]:
        """The value of one batch."""

    def readout(self, encoder: AbstractEncoder) -> AbstractEncoder:
        """The encoder whose codes count: itself, unless the value of the objective is the same for
        others of which one is meant (codes turned into the axes of a learned metric, say).
        """
        return encoder

    @property
    @abstractmethod
    def needs(self) -> frozenset[Assumption]:
        """What its theorem asks of the world."""


def encode(encoder: AbstractEncoder, x: Float[Array, "n ..."]) -> Float[Array, "n k"]:
    """Codes of all rows."""
    return jax.vmap(encoder)(x)


def stacked(members: Sequence[Member]) -> Member:
    """Members of equal structure, one per seed, as one whose arrays have a leading axis of seeds.

    Example:
        >>> stacked([eqx.nn.Identity(), eqx.nn.Identity()])
        Identity()
    """

    def join(*leaves: Any) -> Any:
        if eqx.is_array(leaves[0]) or isinstance(leaves[0], np.ndarray):
            return jnp.stack(leaves)
        if any(leaf != leaves[0] for leaf in leaves):
            raise BadInput(f"seeds differ in a value that is no array ({leaves[0]!r}): make it one")
        return leaves[0]

    joined: Member = jax.tree.map(join, *members)
    return joined


def one_of(members: Member, index: int) -> Member:
    """The member of one seed: undoes `stacked`."""
    chosen: Member = jax.tree.map(lambda x: x[index] if eqx.is_array(x) else x, members)
    return chosen


def refuse_unmet(
    world: AbstractWorld,
    objective: AbstractObjective,
    breaking: frozenset[Assumption] = frozenset(),
) -> None:
    """An objective runs on worlds that meet its assumptions, or break exactly those named.

    Args:
        world: what draws.
        objective: what is minimised.
        breaking: assumptions that a control breaks on purpose.
    """
    unmet = objective.needs - world.satisfies
    names = type(objective).__name__
    if surprising := unmet - breaking:
        says = "; ".join(sorted(assumption.says for assumption in surprising))
        raise BadInput(
            f"{names} needs a world where {says}; this one does not promise it: choose another "
            f"world, or name the assumption in `breaking` to run it as a control"
        )
    if kept := breaking - unmet:
        says = "; ".join(sorted(assumption.name for assumption in kept))
        raise BadInput(
            f"a control says that it breaks {says}, but the world keeps it or {names} does not "
            f"ask for it: break what the theorem needs"
        )
