"""Log-variances of normal posteriors, whose means are the encoder's codes."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from .._lab import AbstractEncoder, encode
from ._likelihoods import Network


class AbstractLogVariance(eqx.Module):
    """Log-variance of each coordinate of a code, given what was observed."""

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
) -> tuple[Float[Array, "n k"], Float[Array, "n k"]]:
    """Means and log-variances of all rows."""
    return encode(encoder, x), jax.vmap(log_variance)(x, label)
