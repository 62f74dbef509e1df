"""Labels that belong to other rows: for controls."""

from __future__ import annotations

from dataclasses import replace

import jax
from jaxtyping import PRNGKeyArray

from .._assumptions import INJECTIVE, LABELLED, UNBOUNDED
from .._core import Assumption, BadInput
from .._lab import AbstractWorld, Draw

KEPT = frozenset({LABELLED, INJECTIVE, UNBOUNDED})
"""What does not need labels that say something."""


class Shuffled(AbstractWorld):
    """Another world, where each row gets the label of a row at random: labels say nothing.

    Args:
        world: with labels.

    Example:
        >>> from coset.worlds import segments
        >>> world = segments(0, d=3, segments=8)
        >>> sorted(met.name for met in world.satisfies - Shuffled(world).satisfies)
        ['conditionally-independent', 'exponential-family', 'modulated']
    """

    world: AbstractWorld

    def sample(self, key: PRNGKeyArray, n: int) -> Draw:
        """`n` latents and what a learner sees of them."""
        k_world, k_order = jax.random.split(key)
        drawn = self.world.sample(k_world, n)
        if drawn.batch.auxiliary is None:
            raise BadInput("a world without labels has none to shuffle; give one with labels")
        labels = jax.random.permutation(k_order, drawn.batch.auxiliary)
        return replace(drawn, batch=replace(drawn.batch, auxiliary=labels))

    @property
    def satisfies(self) -> frozenset[Assumption]:
        """What the world meets and labels have no part in."""
        return self.world.satisfies & KEPT
