"""A learned metric of codes, and the axes that it gives them."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float

from .._assumptions import ANISOTROPIC, INJECTIVE, PAIRED, SPHERE, UNIFORM
from .._core import Assumption
from .._lab import AbstractEncoder
from ._similarities import AbstractSimilarity, product, squares


class Quadratic(AbstractSimilarity):
    """-½ (u - v)ᵀ M (u - v), M = R Rᵀ learned in full; codes are read in the axes of M.

    To turn the codes and M together changes no value, so that this is `Anisotropic`, whose
    precisions are M's eigenvalues, over the same codes. But a descent over diagonal precisions
    stands still where two of them are equal and their coordinates are mixed; over M it does not.

    Args:
        d: columns of a code.
        precision: M starts diagonal, with this number or (d,) on the diagonal.

    Example:
        >>> Quadratic(2, precision=3.0).precision.round(4).tolist()
        [3.0, 3.0]

    References:
        rusak2024
    """

    root: Float[Array, "d d"]

    def __init__(self, d: int, *, precision: Float[Array, " d"] | float = 0.7) -> None:
        self.root = jnp.eye(d) * jnp.sqrt(precision)

    @property
    def precision(self) -> Float[Array, " d"]:
        """Along each axis, ascending."""
        return jnp.linalg.eigvalsh(self.root @ self.root.T)

    @property
    def axes(self) -> Float[Array, "d d"]:
        """In columns, in the order of the precisions."""
        return jnp.linalg.eigh(self.root @ self.root.T)[1]

    def pairwise(self, u: Float[Array, "n k"], v: Float[Array, "m k"]) -> Float[Array, "n m"]:
        """Every row of u with every row of v."""
        return product(self.factors(u, v))

    def pair(self, u: Float[Array, "n k"], v: Float[Array, "n k"]) -> Float[Array, " n"]:
        """Each row of u with the same row of v."""
        return -jnp.sum(((u - v) @ self.root) ** 2, axis=-1) / 2

    def factors(self, u: Array, v: Array) -> tuple[Array, Array]:
        """Matrices a and b with pairwise = a bᵀ."""
        half = self.root / jnp.sqrt(2.0)
        return squares(u @ half, v @ half)

    def readout(self, encoder: AbstractEncoder) -> AbstractEncoder:
        """The same codes in the axes of M."""
        return Turned(encoder, self.axes)

    @property
    def theory(self) -> frozenset[Assumption]:
        """Positives with a precision along each axis, on the sphere."""
        return frozenset({PAIRED, SPHERE, UNIFORM, ANISOTROPIC, INJECTIVE})


class Turned(AbstractEncoder):
    """The codes of another encoder along some axes."""

    encoder: AbstractEncoder
    axes: Float[Array, "k r"]

    def __call__(self, x: Float[Array, "..."]) -> Float[Array, " r"]:
        """The code of one observation."""
        return self.encoder(x) @ self.axes
