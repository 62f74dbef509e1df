"""One code → one logit for each label."""

from __future__ import annotations

from abc import abstractmethod

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray


class AbstractLabelHead(eqx.Module):
    """Logits w_c · code + b_c."""

    @property
    @abstractmethod
    def rows(self) -> Float[Array, "labels d"]:
        """The w_c, as they are used."""

    @property
    @abstractmethod
    def offsets(self) -> Float[Array, " labels"] | None:
        """The b_c, where there are any."""

    @abstractmethod
    def __call__(self, code: Float[Array, " d"]) -> Float[Array, " labels"]:
        """The logits of one code."""


class FreeHead(AbstractLabelHead):
    """Rows of any length.

    Args:
        key: of the rows.
        classes: how many labels.
        d: columns of a code.
        bias: add a learned b_c, which leaves a shift of the codes open.

    Example:
        >>> FreeHead(jax.random.key(0), 5, 3)(jnp.ones(3)).shape
        (5,)
    """

    weight: Float[Array, "labels d"]
    bias: Float[Array, " labels"] | None

    def __init__(self, key: PRNGKeyArray, classes: int, d: int, *, bias: bool = False) -> None:
        self.weight = jax.random.normal(key, (classes, d)) / d**0.5
        self.bias = jnp.zeros(classes) if bias else None

    @property
    def rows(self) -> Float[Array, "labels d"]:
        """The w_c, as they are used."""
        return self.weight

    @property
    def offsets(self) -> Float[Array, " labels"] | None:
        """The b_c, where there are any."""
        return self.bias

    def __call__(self, code: Float[Array, " d"]) -> Float[Array, " labels"]:
        """The logits of one code."""
        return _logits(self, code)


class UnitHead(AbstractLabelHead):
    """Rows of length 1: scaled to it whenever they are used.

    Args:
        key: of the rows.
        classes: how many labels.
        d: columns of a code.
        bias: add a learned b_c.

    Example:
        >>> head = UnitHead(jax.random.key(0), 5, 3)
        >>> jnp.linalg.norm(head.rows, axis=1).round(4).tolist()
        [1.0, 1.0, 1.0, 1.0, 1.0]

    References:
        reizinger2024_cross_entropy
    """

    weight: Float[Array, "labels d"]
    bias: Float[Array, " labels"] | None

    def __init__(self, key: PRNGKeyArray, classes: int, d: int, *, bias: bool = False) -> None:
        self.weight = jax.random.normal(key, (classes, d)) / d**0.5
        self.bias = jnp.zeros(classes) if bias else None

    @property
    def rows(self) -> Float[Array, "labels d"]:
        """The w_c, as they are used."""
        sizes = jnp.sqrt(jnp.sum(self.weight**2, axis=1, keepdims=True) + 1e-12)
        return self.weight / sizes

    @property
    def offsets(self) -> Float[Array, " labels"] | None:
        """The b_c, where there are any."""
        return self.bias

    def __call__(self, code: Float[Array, " d"]) -> Float[Array, " labels"]:
        """The logits of one code."""
        return _logits(self, code)


def _logits(head: AbstractLabelHead, code: Array) -> Array:
    logits = head.rows @ code
    return logits if head.offsets is None else logits + head.offsets
