"""Positives that draw a few latents anew, others each time."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, PRNGKeyArray

from .._assumptions import FEW_CHANGES, PAIRED
from .._core import Assumption, BadInput
from ._noises import AbstractNoise
from ._pairing import AbstractPairing
from ._space import AbstractSpace


class FewChanges(AbstractPairing):
    """As many latents as said are drawn anew; which ones is drawn for each pair, evenly.

    Args:
        d: latents.
        changes: how many; all of them leaves nothing shared.
        law: of the new values: a noise for each on its own, or a space, uniform.

    Example:
        >>> from coset.worlds import Normal
        >>> pairing = FewChanges(3, 1, Normal(1.0))
        >>> drawn = pairing.sample(jax.random.key(0), jnp.zeros(3))
        >>> int((drawn != 0).sum())
        1

    References:
        locatello2020
    """

    law: AbstractNoise | AbstractSpace
    d: int = eqx.field(static=True)
    changes: Int[Array, ""]

    def __init__(self, d: int, changes: int, law: AbstractNoise | AbstractSpace) -> None:
        if not 1 <= changes <= d:
            raise BadInput(f"changes={changes} of d={d} latents; give from 1 to {d}")
        if isinstance(law, AbstractSpace) and law.dim != d:
            raise BadInput(f"a space of {law.dim} coordinates for d={d} latents; give as many")
        self.law = law
        self.d = d
        self.changes = jnp.asarray(changes)

    def sample(self, key: PRNGKeyArray, z: Float[Array, " d"]) -> Float[Array, " d"]:
        """One draw around z."""
        k_which, k_what = jax.random.split(key)
        order = jax.random.uniform(k_which, z.shape)
        last = jnp.sort(order)[self.changes - 1]
        if isinstance(self.law, AbstractSpace):
            fresh = self.law.uniform(k_what)
        else:
            fresh = self.law.sample(k_what, z.shape)
        return jnp.where(order <= last, fresh, z)

    @property
    def satisfies(self) -> frozenset[Assumption]:
        """Positives; they share latents unless all change."""
        shared = np.all(np.asarray(self.changes) < self.d)
        return frozenset({PAIRED} | ({FEW_CHANGES} if shared else set()))
