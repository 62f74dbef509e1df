"""How alike two codes are: the exponent of the model's conditional."""

from __future__ import annotations

from abc import abstractmethod

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from .._assumptions import ANISOTROPIC, CONVEX, INJECTIVE, PAIRED, SPHERE, UNIFORM, VMF, l_alpha
from .._core import Assumption, BadInput
from .._lab import AbstractEncoder

_ON_SPHERE = frozenset({PAIRED, SPHERE, UNIFORM, VMF, INJECTIVE})
_TINY = 1e-12


class AbstractSimilarity(eqx.Module):
    """s(u, v) of two codes, and the theorem that holds when s is the exponent of the objective."""

    @abstractmethod
    def pairwise(self, u: Float[Array, "n k"], v: Float[Array, "m k"]) -> Float[Array, "n m"]:
        """Every row of u with every row of v."""

    @abstractmethod
    def pair(self, u: Float[Array, "n k"], v: Float[Array, "n k"]) -> Float[Array, " n"]:
        """Each row of u with the same row of v."""

    @abstractmethod
    def factors(
        self, u: Float[Array, "n k"], v: Float[Array, "m k"]
    ) -> tuple[Float[Array, "n r"], Float[Array, "m r"]] | None:
        """Matrices a and b with pairwise = a bᵀ, where there are any."""

    def readout(self, encoder: AbstractEncoder) -> AbstractEncoder:
        """The encoder whose codes count, where s leaves more than one as good as it."""
        return encoder

    @property
    @abstractmethod
    def theory(self) -> frozenset[Assumption]:
        """What the theorem for this similarity asks of the world."""


class Dot(AbstractSimilarity):
    """u · v.

    Example:
        >>> Dot().pairwise(jnp.eye(2), jnp.array([[3.0, 4.0]])).tolist()
        [[3.0], [4.0]]

    References:
        zimmermann2021
    """

    def pairwise(self, u: Float[Array, "n k"], v: Float[Array, "m k"]) -> Float[Array, "n m"]:
        """Every row of u with every row of v."""
        return u @ v.T

    def pair(self, u: Float[Array, "n k"], v: Float[Array, "n k"]) -> Float[Array, " n"]:
        """Each row of u with the same row of v."""
        return jnp.sum(u * v, axis=-1)

    def factors(self, u: Array, v: Array) -> tuple[Array, Array]:
        """Matrices a and b with pairwise = a bᵀ."""
        return u, v

    @property
    def theory(self) -> frozenset[Assumption]:
        """Uniform latents on the sphere, von Mises-Fisher positives."""
        return _ON_SPHERE


class Cosine(AbstractSimilarity):
    """u · v / (|u| |v|).

    Example:
        >>> Cosine().pair(jnp.array([[3.0, 0.0]]), jnp.array([[3.0, 4.0]])).round(4).tolist()
        [0.6]

    References:
        zimmermann2021
    """

    def pairwise(self, u: Float[Array, "n k"], v: Float[Array, "m k"]) -> Float[Array, "n m"]:
        """Every row of u with every row of v."""
        return product(self.factors(u, v))

    def pair(self, u: Float[Array, "n k"], v: Float[Array, "n k"]) -> Float[Array, " n"]:
        """Each row of u with the same row of v."""
        return jnp.sum(_unit(u) * _unit(v), axis=-1)

    def factors(self, u: Array, v: Array) -> tuple[Array, Array]:
        """Matrices a and b with pairwise = a bᵀ."""
        return _unit(u), _unit(v)

    @property
    def theory(self) -> frozenset[Assumption]:
        """Uniform latents on the sphere, von Mises-Fisher positives."""
        return _ON_SPHERE


class LAlpha(AbstractSimilarity):
    """-Σ_k |u_k - v_k|^alpha: the alpha-th power, not the norm.

    Args:
        alpha: static; 2 goes through a matrix product, and leaves a rotation open.

    Example:
        >>> LAlpha(3).pair(jnp.array([[0.0, 0.0]]), jnp.array([[1.0, 2.0]])).tolist()
        [-9.0]

    References:
        zimmermann2021
    """

    alpha: float = eqx.field(static=True)

    def __init__(self, alpha: float) -> None:
        if not alpha > 0:
            raise BadInput(f"alpha={alpha}; the power of a distance must be above 0")
        self.alpha = float(alpha)

    def pairwise(self, u: Float[Array, "n k"], v: Float[Array, "m k"]) -> Float[Array, "n m"]:
        """Every row of u with every row of v; no array larger than (n, m) exists."""
        if self.alpha == 2:
            return product(squares(u, v))
        return -sum(
            (_power(a[:, None] - b[None, :], self.alpha) for a, b in zip(u.T, v.T, strict=True)),
            start=jnp.zeros((len(u), len(v)), u.dtype),
        )

    def pair(self, u: Float[Array, "n k"], v: Float[Array, "n k"]) -> Float[Array, " n"]:
        """Each row of u with the same row of v."""
        return -jnp.sum(_power(u - v, self.alpha), axis=-1)

    def factors(self, u: Array, v: Array) -> tuple[Array, Array] | None:
        """Matrices a and b with pairwise = a bᵀ, for alpha = 2."""
        return squares(u, v) if self.alpha == 2 else None

    @property
    def theory(self) -> frozenset[Assumption]:
        """Positives that fall off with the same power, in a convex body."""
        return frozenset({PAIRED, CONVEX, UNIFORM, l_alpha(self.alpha), INJECTIVE})


class Anisotropic(AbstractSimilarity):
    """-½ (u - v)ᵀ Λ (u - v), Λ = softplus(ρ) diagonal: a precision of each coordinate.

    Args:
        d: columns of a code.
        learned: train Λ with the encoder.
        precision: where Λ starts, one number or (d,); softplus(0) ≈ 0.69 by default.

    Example:
        >>> Anisotropic(2).precision.round(4).tolist()
        [0.6931, 0.6931]

    References:
        rusak2024
    """

    rho: Float[Array, " d"]
    learned: bool = eqx.field(static=True)

    def __init__(
        self, d: int, *, learned: bool = True, precision: Float[Array, " d"] | float | None = None
    ) -> None:
        start = jnp.zeros(d) if precision is None else _inverse_softplus(precision)
        self.rho = jnp.broadcast_to(start, (d,))
        self.learned = learned

    @property
    def precision(self) -> Float[Array, " d"]:
        """The diagonal of Λ."""
        rho = self.rho if self.learned else jax.lax.stop_gradient(self.rho)
        return jax.nn.softplus(rho)

    def pairwise(self, u: Float[Array, "n k"], v: Float[Array, "m k"]) -> Float[Array, "n m"]:
        """Every row of u with every row of v."""
        return product(self.factors(u, v))

    def pair(self, u: Float[Array, "n k"], v: Float[Array, "n k"]) -> Float[Array, " n"]:
        """Each row of u with the same row of v."""
        return -jnp.sum(self.precision * (u - v) ** 2, axis=-1) / 2

    def factors(self, u: Array, v: Array) -> tuple[Array, Array]:
        """Matrices a and b with pairwise = a bᵀ."""
        root = jnp.sqrt(self.precision / 2)
        return squares(u * root, v * root)

    @property
    def theory(self) -> frozenset[Assumption]:
        """Positives with a precision of each coordinate, on the sphere."""
        return frozenset({PAIRED, SPHERE, UNIFORM, ANISOTROPIC, INJECTIVE})


def _unit(u: Float[Array, "n k"]) -> Float[Array, "n k"]:
    return u * jax.lax.rsqrt(jnp.sum(u**2, axis=-1, keepdims=True) + _TINY)


def product(factors: tuple[Array, Array]) -> Float[Array, "n m"]:
    return factors[0] @ factors[1].T


def squares(u: Float[Array, "n k"], v: Float[Array, "m k"]) -> tuple[Array, Array]:
    """Factors of -|u_i - v_j|²; moved to the middle first, so that far-away codes do not cancel."""
    middle = jax.lax.stop_gradient(v.mean(axis=0))
    u, v = u - middle, v - middle
    of_u, of_v = (-jnp.sum(x**2, axis=-1, keepdims=True) for x in (u, v))
    a = jnp.concatenate([2 * u, of_u, jnp.ones_like(of_u)], axis=1)
    return a, jnp.concatenate([v, jnp.ones_like(of_v), of_v], axis=1)


def _power(gap: Array, alpha: float) -> Array:
    """|gap|^alpha, whose slope where codes coincide is 0, not infinite."""
    if alpha == 1:
        return jnp.abs(gap)
    if alpha == int(alpha):
        return jnp.abs(gap) ** int(alpha)
    apart = jnp.where(gap == 0, 1.0, jnp.abs(gap))
    return jnp.where(gap == 0, 0.0, apart**alpha)


def _inverse_softplus(x: Float[Array, " d"] | float) -> Float[Array, " d"]:
    return jnp.log(jnp.expm1(jnp.asarray(x, float)))
