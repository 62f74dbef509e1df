"""Linear mixings, and mixings one after the other."""

from __future__ import annotations

from typing import ClassVar

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Float
from scipy.optimize import brentq

from .._core import BadInput, Floats
from ._mixing import AbstractMixing, Invertible


class Linear(AbstractMixing):
    """x = A z + b, A square and invertible.

    Args:
        matrix: A, (d, d).
        offset: b, (d,); zeros where it is left out.

    Example:
        >>> Linear([[2.0, 0.0], [1.0, 1.0]])(jnp.array([1.0, 3.0])).tolist()
        [2.0, 4.0]
    """

    matrix: Float[Array, "d d"]
    offset: Float[Array, " d"]
    injective: ClassVar[bool] = True

    def __init__(self, matrix: ArrayLike, offset: ArrayLike | None = None) -> None:
        given = np.asarray(matrix, dtype=float)
        if given.ndim != 2 or given.shape[0] != given.shape[1]:
            raise BadInput(f"a matrix of shape {given.shape}; a square one is needed")
        if np.linalg.matrix_rank(given) < len(given):
            raise BadInput("the matrix is singular; a mixing needs one that can be undone")
        self.matrix = jnp.asarray(given, float)
        self.offset = jnp.zeros(len(given)) if offset is None else jnp.asarray(offset, float)

    def __call__(self, z: Float[Array, " d"]) -> Float[Array, " d"]:
        """The observation of one latent."""
        return self.matrix @ z + self.offset

    def inverse(self, x: Float[Array, " d"]) -> Float[Array, " d"]:
        """The latent of one observation."""
        return jnp.linalg.solve(self.matrix, x - self.offset)


class Composed(AbstractMixing):
    """x = f_m(… f_1(z)).

    Args:
        mixings: f_1, …, f_m, all of them injective.

    Example:
        >>> double, shift = Linear(2 * np.eye(2)), Linear(np.eye(2), [1.0, 0.0])
        >>> Composed(double, shift)(jnp.array([1.0, 3.0])).tolist()
        [3.0, 6.0]
    """

    mixings: tuple[Invertible, ...]
    injective: ClassVar[bool] = True

    def __init__(self, *mixings: Invertible) -> None:
        if not all(mixing.injective for mixing in mixings):
            raise BadInput("a part of the mixing forgets; give injective ones, or fold the whole")
        self.mixings = mixings

    def __call__(self, z: Float[Array, " d"]) -> Float[Array, " d"]:
        """The observation of one latent."""
        for mixing in self.mixings:
            z = mixing(z)
        return z

    def inverse(self, x: Float[Array, " d"]) -> Float[Array, " d"]:
        """The latent of one observation."""
        for mixing in reversed(self.mixings):
            x = mixing.inverse(x)
        return x


def sheared(seed: int, d: int, contrast: float) -> Floats:
    """A matrix L of |det L| = 1 with Σ_k log|L_:k| = contrast, 0 for orthogonal columns.

    With U S Vᵀ a matrix of entries uniform on (0, 1), L = U S^t Vᵀ / |det S|^{t/d}: the contrast is
    convex in t and least, 0, at t = 0, so that one t > 0 has the value that is asked for.

    Args:
        seed: of the entries.
        d: rows and columns.
        contrast: what the lengths of the columns exceed the volume by.

    Example:
        >>> shear = sheared(0, 3, 1.5)
        >>> round(float(np.log(np.linalg.norm(shear, axis=0)).sum()), 6)
        1.5
    """
    if not contrast >= 0:
        raise BadInput(f"contrast={contrast}; Hadamard's inequality allows 0 and above")
    left, sizes, right = np.linalg.svd(np.random.default_rng([seed, d]).uniform(size=(d, d)))
    logs = np.log(sizes) - np.log(sizes).mean()

    def matrix(t: float) -> Floats:
        found: Floats = left * np.exp(t * logs) @ right
        return found

    def excess(t: float) -> float:
        return float(np.log(np.linalg.norm(matrix(t), axis=0)).sum()) - contrast

    if contrast == 0:
        return matrix(0.0)
    above = 1.0
    while excess(above) < 0:
        above *= 2
    return matrix(float(brentq(excess, 0.0, above, xtol=1e-12)))
