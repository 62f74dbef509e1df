"""Positives that keep some coordinates, or treat blocks of them apart; and no positives."""

from __future__ import annotations

from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Float, PRNGKeyArray

from .._assumptions import CONTENT_SHARED, PAIRED, STYLE_CHANGES
from .._core import Assumption, BadInput
from ._noises import AbstractNoise
from ._normal import standard_normal
from ._pairing import AbstractPairing, draw_near
from ._space import AbstractSpace


class StyleChange(AbstractPairing):
    """Content is copied; each style coordinate changes on its own, with some probability.

    z̃ = z + (0, m ⊙ e), e ~ N(0, covariance), m_k ~ Bernoulli(probability): the increment is
    drawn whole, then masked.

    Args:
        n_content: leading coordinates that are content.
        covariance: (n_style, n_style) of the increment.
        probability: that a style coordinate changes.

    Example:
        >>> pairing = StyleChange(1, np.eye(2), 1.0)
        >>> drawn = pairing.sample(jax.random.key(0), jnp.zeros(3))
        >>> (drawn == 0).tolist()
        [True, False, False]

    References:
        vonkuegelgen2021
    """

    n_content: int = eqx.field(static=True)
    spread: Float[Array, "s s"]
    probability: Float[Array, ""]

    def __init__(self, n_content: int, covariance: ArrayLike, probability: float) -> None:
        if not 0 <= probability <= 1:
            raise BadInput(f"probability={probability}; it lies between 0 and 1")
        self.n_content = n_content
        self.spread = factor(covariance)
        self.probability = jnp.asarray(probability, float)

    def sample(self, key: PRNGKeyArray, z: Float[Array, " d"]) -> Float[Array, " d"]:
        """One draw around z."""
        k_which, k_what = jax.random.split(key)
        size = self.spread.shape[0]
        changes = jax.random.bernoulli(k_which, self.probability, (size,))
        increment = self.spread @ standard_normal(k_what, (size,))
        return z.at[self.n_content :].add(jnp.where(changes, increment, 0.0))

    @property
    def satisfies(self) -> frozenset[Assumption]:
        """Positives that share content; style changes unless it never does."""
        changing = {STYLE_CHANGES} if np.all(np.asarray(self.probability) > 0) else set()
        return frozenset({PAIRED, CONTENT_SHARED} | changing)


class Resampled(AbstractPairing):
    """Chosen latents are drawn anew, the others copied.

    Args:
        indices: of the latents that change.
        law: of the new values: a noise for each on its own, or a space for all, uniform.

    Example:
        >>> from coset.worlds import Normal
        >>> drawn = Resampled((1,), Normal(1.0)).sample(jax.random.key(0), jnp.zeros(3))
        >>> (drawn == 0).tolist()
        [True, False, True]
    """

    indices: tuple[int, ...] = eqx.field(static=True)
    law: AbstractNoise | AbstractSpace

    def __init__(self, indices: Sequence[int], law: AbstractNoise | AbstractSpace) -> None:
        self.indices = tuple(int(index) for index in indices)
        self.law = law
        if isinstance(law, AbstractSpace) and law.dim != len(self.indices):
            raise BadInput(
                f"{len(self.indices)} indices and a space of {law.dim} coordinates; they must "
                f"be as many"
            )

    def sample(self, key: PRNGKeyArray, z: Float[Array, " d"]) -> Float[Array, " d"]:
        """One draw around z."""
        if isinstance(self.law, AbstractSpace):
            fresh = self.law.uniform(key)
        else:
            fresh = self.law.sample(key, (len(self.indices),))
        return z.at[np.array(self.indices)].set(fresh)

    @property
    def satisfies(self) -> frozenset[Assumption]:
        """Positives that share the other latents."""
        return frozenset({PAIRED, CONTENT_SHARED, STYLE_CHANGES})


class Blockwise(AbstractPairing):
    """A pairing for each block of coordinates, as products of spaces need.

    Args:
        pairings: one for each block.
        sizes: coordinates of each block.

    Example:
        >>> from coset.worlds import VonMisesFisher
        >>> pairing = Blockwise([VonMisesFisher(5.0, 2), VonMisesFisher(50.0, 2)], [2, 2])
        >>> pairing.sample(jax.random.key(0), jnp.array([1.0, 0.0, 0.0, 1.0])).shape
        (4,)
    """

    pairings: tuple[AbstractPairing, ...]
    sizes: tuple[int, ...] = eqx.field(static=True)

    def __init__(self, pairings: Sequence[AbstractPairing], sizes: Sequence[int]) -> None:
        self.pairings = tuple(pairings)
        self.sizes = tuple(int(size) for size in sizes)
        if len(self.pairings) != len(self.sizes):
            raise BadInput(
                f"{len(self.pairings)} pairings and {len(self.sizes)} sizes; give one size each"
            )

    def sample(self, key: PRNGKeyArray, z: Float[Array, " d"]) -> Float[Array, " d"]:
        """One draw around z."""
        keys = jax.random.split(key, len(self.pairings))
        parts = jnp.split(z, np.cumsum(self.sizes)[:-1].tolist())
        blocks = zip(self.pairings, keys, parts, strict=True)
        return jnp.concatenate([draw_near(pairing, k, part) for pairing, k, part in blocks])

    @property
    def satisfies(self) -> frozenset[Assumption]:
        """Positives; a law of one block is not the law of all."""
        return frozenset({PAIRED})


class Unpaired(AbstractPairing):
    """No positives: what a learner gets is labels, or nothing.

    Example:
        >>> Unpaired().sample(jax.random.key(0), jnp.zeros(3)) is None
        True
    """

    def sample(self, key: PRNGKeyArray, z: Float[Array, " d"]) -> Float[Array, " d"] | None:
        """None."""
        return None

    @property
    def satisfies(self) -> frozenset[Assumption]:
        """Nothing."""
        return frozenset()


def factor(covariance: ArrayLike) -> Float[Array, "k k"]:
    """The Cholesky factor, worked out in float64."""
    matrix = np.asarray(covariance, dtype=float)
    try:
        return jnp.asarray(np.linalg.cholesky(matrix), float)
    except np.linalg.LinAlgError as error:
        raise BadInput(
            f"a covariance of shape {matrix.shape} is not positive definite; give a symmetric "
            f"one with eigenvalues above 0"
        ) from error
