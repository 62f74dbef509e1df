"""Laws of codes before anything is observed, and how far posteriors are from them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from .._assumptions import INJECTIVE, LABELLED
from .._core import Assumption
from ._normals import log_normal, normal_divergence


class AbstractPrior(eqx.Module):
    """A law of codes, given the label where it depends on one."""

    labelled: eqx.AbstractClassVar[bool]
    """Does it need the label?"""

    @property
    @abstractmethod
    def theory(self) -> frozenset[Assumption]:
        """What a theorem that uses it asks of the world."""

    @abstractmethod
    def divergence(
        self,
        mean: Float[Array, " k"],
        log_variance: Float[Array, " k"],
        drawn: Float[Array, " k"],
        label: Int[Array, ""] | None,
    ) -> Float[Array, ""]:
        """KL of one posterior from it, or an estimate from what was drawn of the posterior."""


class StandardNormal(AbstractPrior):
    """N(0, I); the divergence is exact.

    Example:
        >>> two = jnp.full(3, 2.0)
        >>> float(StandardNormal().divergence(two, jnp.zeros(3), two, None))
        6.0
    """

    labelled: ClassVar[bool] = False

    @property
    def theory(self) -> frozenset[Assumption]:
        """Different latents look different."""
        return frozenset({INJECTIVE})

    def divergence(
        self,
        mean: Float[Array, " k"],
        log_variance: Float[Array, " k"],
        drawn: Float[Array, " k"],
        label: Int[Array, ""] | None,
    ) -> Float[Array, ""]:
        """Of one posterior."""
        return normal_divergence(mean, log_variance).sum()


class NormalByLabel(AbstractPrior):
    """N(m_u, diag(e^{s_u})): log-variances, and means where asked, of every label are learned.

    Args:
        labels: how many there are.
        k: columns of a code.
        means: learn them too; otherwise all are 0.

    Example:
        >>> prior = NormalByLabel(7, 3)
        >>> two = jnp.full(3, 2.0)
        >>> float(prior.divergence(two, jnp.zeros(3), two, jnp.array(4)))
        6.0

    References:
        khemakhem2020
    """

    log_variances: Float[Array, "labels k"]
    means: Float[Array, "labels k"] | None
    labelled: ClassVar[bool] = True

    def __init__(self, labels: int, k: int, *, means: bool = False) -> None:
        self.log_variances = jnp.zeros((labels, k))
        self.means = jnp.zeros((labels, k)) if means else None

    @property
    def theory(self) -> frozenset[Assumption]:
        """Labels, and different latents look different."""
        return frozenset({LABELLED, INJECTIVE})

    def divergence(
        self,
        mean: Float[Array, " k"],
        log_variance: Float[Array, " k"],
        drawn: Float[Array, " k"],
        label: Int[Array, ""] | None,
    ) -> Float[Array, ""]:
        """Of one posterior."""
        centre = 0.0 if self.means is None else self.means[label]
        return normal_divergence(mean, log_variance, centre, self.log_variances[label]).sum()


class ByDensity(AbstractPrior):
    """Any density: the divergence is estimated by log q(z) - log p(z) of the draw z.

    Args:
        log_density: of one code; a module where it has parameters.

    Example:
        >>> def laplace(z):
        ...     return -jnp.sum(jnp.abs(z) + jnp.log(2.0))
        >>> origin = jnp.zeros(1)
        >>> round(float(ByDensity(laplace).divergence(origin, origin, origin, None)), 4)
        -0.2258
    """

    log_density: Callable[[Float[Array, " k"]], Float[Array, ""]]
    labelled: ClassVar[bool] = False

    @property
    def theory(self) -> frozenset[Assumption]:
        """Different latents look different."""
        return frozenset({INJECTIVE})

    def divergence(
        self,
        mean: Float[Array, " k"],
        log_variance: Float[Array, " k"],
        drawn: Float[Array, " k"],
        label: Int[Array, ""] | None,
    ) -> Float[Array, ""]:
        """From one draw."""
        return log_normal(drawn, mean, log_variance).sum() - self.log_density(drawn)
