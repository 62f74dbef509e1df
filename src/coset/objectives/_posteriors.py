"""Spreads of normal posteriors, whose means are the encoder's codes."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from .._core import BadInput
from .._lab import AbstractEncoder, encode
from ._likelihoods import Network
from ._normals import NormalLaw


class AbstractLogVariance(eqx.Module):
    """Log-variance of each coordinate of a code, given what was observed.

    Of a code of k columns these are k numbers. Where k (k - 1) / 2 more follow, the covariance is
    L diag(e^s) Lᵀ: s are the first k, the rest lies below the diagonal of ones of L, row by row.
    """

    labelled: eqx.AbstractClassVar[bool]
    """Does it need the label?"""

    @abstractmethod
    def __call__(self, x: Float[Array, "..."], label: Int[Array, ""] | None) -> Float[Array, " k"]:
        """Of one observation."""


class SameForAll(AbstractLogVariance):
    """One of each coordinate, whatever was observed.

    Args:
        k: columns of a code.
        start: where training starts.

    Example:
        >>> SameForAll(2)(jnp.zeros(5), None).tolist()
        [0.0, 0.0]
    """

    value: Float[Array, " k"]
    labelled: ClassVar[bool] = False

    def __init__(self, k: int, start: float = 0.0) -> None:
        self.value = jnp.full(k, float(start))

    def __call__(self, x: Float[Array, "..."], label: Int[Array, ""] | None) -> Float[Array, " k"]:
        """The one."""
        return self.value


class OfObservation(AbstractLogVariance):
    """A network of the observation.

    Args:
        network: observation → log-variances.

    Example:
        >>> OfObservation(eqx.nn.Identity())(jnp.ones(2), None).tolist()
        [1.0, 1.0]
    """

    network: Network
    labelled: ClassVar[bool] = False

    def __call__(self, x: Float[Array, "..."], label: Int[Array, ""] | None) -> Float[Array, " k"]:
        """What the network says."""
        return self.network(x.reshape(-1))


class OfBoth(AbstractLogVariance):
    """A network of the observation and its label, one column for each label.

    Args:
        network: observation and one-hot label, side by side → log-variances.
        labels: how many there are.

    Example:
        >>> OfBoth(eqx.nn.Identity(), 3)(jnp.ones(2), jnp.array(1)).tolist()
        [1.0, 1.0, 0.0, 1.0, 0.0]
    """

    network: Network
    labels: int = eqx.field(static=True)
    labelled: ClassVar[bool] = True

    def __call__(self, x: Float[Array, "..."], label: Int[Array, ""] | None) -> Float[Array, " k"]:
        """What the network says."""
        return self.network(jnp.concatenate([x.reshape(-1), jax.nn.one_hot(label, self.labels)]))


def posteriors(
    encoder: AbstractEncoder,
    log_variance: AbstractLogVariance,
    x: Float[Array, "n ..."],
    label: Int[Array, " n"] | None = None,
) -> NormalLaw:
    """The law of every row's code."""
    mean, spread = encode(encoder, x), jax.vmap(log_variance)(x, label)
    k, given = mean.shape[-1], spread.shape[-1]
    if given == k:
        return NormalLaw(mean, spread)
    if given != k * (k + 1) // 2:
        raise BadInput(
            f"{given} numbers for the spread of a code of {k} columns; give {k} log-variances, or "
            f"{k * (k + 1) // 2} numbers for coordinates that depend on one another"
        )
    identity = jnp.broadcast_to(jnp.eye(k), (len(x), k, k))
    lower = identity.at[:, *np.tril_indices(k, -1)].set(spread[:, k:])
    return NormalLaw(mean, spread[:, :k], lower)
