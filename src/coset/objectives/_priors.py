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
from ._normals import NormalLaw, normal_divergence


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
        self, law: NormalLaw, drawn: Float[Array, " k"], label: Int[Array, ""] | None
    ) -> Float[Array, ""]:
        """KL of one posterior from it, or an estimate from what was drawn of the posterior."""


class StandardNormal(AbstractPrior):
    """N(0, I); the divergence is exact.

    Example:
        >>> from coset.objectives._normals import NormalLaw
        >>> law = NormalLaw(jnp.full(3, 2.0), jnp.zeros(3))
        >>> float(StandardNormal().divergence(law, law.mean, None))
        6.0
    """

    labelled: ClassVar[bool] = False

    @property
    def theory(self) -> frozenset[Assumption]:
        """Different latents look different."""
        return frozenset({INJECTIVE})

    def divergence(
        self, law: NormalLaw, drawn: Float[Array, " k"], label: Int[Array, ""] | None
    ) -> Float[Array, ""]:
        """Of one posterior."""
        return normal_divergence(law)


class NormalByLabel(AbstractPrior):
    """N(m_u, diag(e^{s_u})): log-variances, and means where asked, of every label are learned.

    Args:
        labels: how many there are.
        k: columns of a code.
        means: learn them too; otherwise all are 0.

    Example:
        >>> from coset.objectives._normals import NormalLaw
        >>> law = NormalLaw(jnp.full(3, 2.0), jnp.zeros(3))
        >>> float(NormalByLabel(7, 3).divergence(law, law.mean, jnp.array(4)))
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
        self, law: NormalLaw, drawn: Float[Array, " k"], label: Int[Array, ""] | None
    ) -> Float[Array, ""]:
        """Of one posterior."""
        centre = 0.0 if self.means is None else self.means[label]
        return normal_divergence(law, centre, self.log_variances[label])


class ByDensity(AbstractPrior):
    """Any density p: the divergence is estimated by -entropy of q - log p(z) of the draw z.

    Args:
        log_density: of one code; a module where it has parameters.

    Example:
        >>> from coset.objectives._normals import NormalLaw
        >>> def laplace(z):
        ...     return -jnp.sum(jnp.abs(z) + jnp.log(2.0))
        >>> law = NormalLaw(jnp.zeros(1), jnp.zeros(1))
        >>> round(float(ByDensity(laplace).divergence(law, law.mean, None)), 4)
        -0.7258
    """

    log_density: Callable[[Float[Array, " k"]], Float[Array, ""]]
    labelled: ClassVar[bool] = False

    @property
    def theory(self) -> frozenset[Assumption]:
        """Different latents look different."""
        return frozenset({INJECTIVE})

    def divergence(
        self, law: NormalLaw, drawn: Float[Array, " k"], label: Int[Array, ""] | None
    ) -> Float[Array, ""]:
        """From one draw."""
        return -law.entropy - self.log_density(drawn)
