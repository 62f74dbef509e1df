"""Permutation-contrastive learning: pairs of moments against pairs of shuffled ones."""

from __future__ import annotations

from abc import abstractmethod

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from .._assumptions import AUTOREGRESSIVE, INDEPENDENT, INJECTIVE, NOT_NORMAL, PAIRED
from .._core import Assumption
from .._lab import AbstractEncoder, AbstractObjective, Batch, encode
from ._logistic import tell_apart
from ._needs import need
from ._similarities import LAlpha
from ._statistics import Curves

TINY = 1e-6


class AbstractPairRegression(eqx.Module):
    """Codes of two moments → how much more likely they are one after the other, in logarithm.

    A sum over coordinates: of each, a function of its two values.
    """

    @abstractmethod
    def __call__(
        self, earlier: Float[Array, "n d"], later: Float[Array, "m d"]
    ) -> Float[Array, "n m"]:
        """Of every pair."""


class AbsoluteDifference(AbstractPairRegression):
    """-Σ_k |v_k later_k + w_k earlier_k + b_k| + a Σ_k later_k² + m: fits Laplace innovations.

    It starts from v = 1, w = -1, a = 1; the published code keeps a at least 0.

    Args:
        d: columns of a code.

    Example:
        >>> AbsoluteDifference(2)(jnp.array([[1.0, 2.0]]), jnp.array([[1.0, 1.0]])).tolist()
        [[1.0]]

    References:
        hyvarinen2017
    """

    of_later: Float[Array, " d"]
    of_earlier: Float[Array, " d"]
    shift: Float[Array, " d"]
    square: Float[Array, ""]
    constant: Float[Array, ""]

    def __init__(self, d: int) -> None:
        self.of_later = jnp.ones(d)
        self.of_earlier = -jnp.ones(d)
        self.shift = jnp.zeros(d)
        self.square = jnp.ones(())
        self.constant = jnp.zeros(())

    def __call__(
        self, earlier: Float[Array, "n d"], later: Float[Array, "m d"]
    ) -> Float[Array, "n m"]:
        """Of every pair."""
        expected = -self.of_earlier * earlier
        near = LAlpha(1.0).pairwise(expected, self.of_later * later + self.shift)
        return near + self.square * jnp.sum(later**2, axis=1) + self.constant


class SumOfProducts(AbstractPairRegression):
    """Σ_k Σ_r f_kr(earlier_k) g_kr(later_k) + m with learned f and g: any law, as r grows.

    Args:
        key: of the functions.
        d: columns of a code.
        order: products for each coordinate.

    Example:
        >>> SumOfProducts(jax.random.key(0), 2)(jnp.ones((3, 2)), jnp.ones((4, 2))).shape
        (3, 4)

    References:
        hyvarinen2017
    """

    of_earlier: Curves
    of_later: Curves
    constant: Float[Array, ""]

    def __init__(self, key: PRNGKeyArray, d: int, order: int = 8) -> None:
        k_earlier, k_later = jax.random.split(key)
        self.of_earlier = Curves(k_earlier, d, order)
        self.of_later = Curves(k_later, d, order)
        self.constant = jnp.zeros(())

    def __call__(
        self, earlier: Float[Array, "n d"], later: Float[Array, "m d"]
    ) -> Float[Array, "n m"]:
        """Of every pair."""
        f, g = jax.vmap(self.of_earlier)(earlier), jax.vmap(self.of_later)(later)
        return jnp.einsum("nkr,mkr->nm", f, g) + self.constant


class PermutationContrast(AbstractObjective):
    """Tells the next moment of each observation from the next moments of all others (PCL).

    Logistic regression with r(x, x̃) on the codes of both, the positive being the next moment. Codes
    are standardised over the batch, both moments together: without that, some runs end with two
    latents mixed. Pairs (i, j) of the batch with i ≠ j stand for shuffled moments, all n (n - 1) of
    them, where the published code draws n.

    Args:
        regression: r, trained with the encoder.

    Example:
        >>> from coset.encoders import Raw
        >>> batch = Batch(x=jnp.zeros((3, 2)), positive=jnp.zeros((3, 2)))
        >>> objective = PermutationContrast(AbsoluteDifference(2))
        >>> round(float(objective(Raw(), batch, key=jax.random.key(0))), 4)
        1.3863

    References:
        hyvarinen2017
    """

    regression: AbstractPairRegression

    @property
    def needs(self) -> frozenset[Assumption]:
        """Independent latents, each with a past of its own that is not normal."""
        return frozenset({PAIRED, INDEPENDENT, AUTOREGRESSIVE, NOT_NORMAL, INJECTIVE})

    def __call__(
        self, encoder: AbstractEncoder, batch: Batch, *, key: PRNGKeyArray
    ) -> Float[Array, ""]:
        """The value of one batch."""
        later = need(batch, "positive", "PermutationContrast", rows=len(batch.x))
        codes = jnp.concatenate([encode(encoder, batch.x), encode(encoder, later)])
        codes = (codes - jnp.mean(codes, axis=0)) / jnp.sqrt(jnp.var(codes, axis=0) + TINY)
        return tell_apart(self.regression(*jnp.split(codes, 2)))
