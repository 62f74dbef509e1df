"""Structural equations: each observed variable depends on others and on a latent of its own."""

from __future__ import annotations

from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from .._core import BadInput
from ._mixing import AbstractMixing


class StructuralEquations(AbstractMixing):
    """x = σ(P D W⁻¹ z), W lower triangular: W v = z gives each v_k from earlier ones and z_k.

    D makes the rows of the product have length 1, so that no variable is much larger than another;
    P puts the variables into another order, and σ is a leaky ReLU. Weights are uniform on
    (least, 1 + least). Each variable depends on the one before it, and on one further back with the
    given probability.

    Args:
        seed: of weights, edges and order.
        d: variables, and latents.
        density: probability of an edge between variables that are no neighbours.
        slope: of the leaky ReLU where its argument is negative; 1 leaves all linear.
        least: smallest weight: with 0.05 the matrix has a condition number of 4 (d = 3), 20 (5),
            57 (8) or 150 (10) in the middle, and of thousands at worst.

    Example:
        >>> mixing = StructuralEquations(0, 3)
        >>> z = jnp.arange(3.0)
        >>> bool(jnp.allclose(mixing.inverse(mixing(z)), z, atol=1e-4)), int(mixing.edges.sum())
        (True, 3)

    References:
        reizinger2023
    """

    unmixing: Float[Array, "d d"]
    """W D⁻¹ Pᵀ: rows are latents, columns observed variables."""
    matrix: Float[Array, "d d"]
    """P D W⁻¹."""
    variables: Int[Array, " d"]
    """The observed variable of each latent."""
    slope: Float[Array, ""]
    injective: ClassVar[bool] = True

    def __init__(
        self,
        seed: int,
        d: int,
        density: float = 1.0,
        slope: float = 1.0,
        least: float = 0.05,
    ) -> None:
        if d < 2 or not 0 <= density <= 1 or not slope > 0 or not least > 0:
            raise BadInput(
                f"d={d}, density={density}, slope={slope}, least={least}; equations need d from "
                f"2, a density from 0 to 1, and a slope and a smallest weight above 0"
            )
        rng = np.random.default_rng([seed, d, 6])
        weights = np.tril(rng.uniform(least, 1 + least, (d, d)))
        kept = rng.random((d, d)) < density
        kept |= np.eye(d, dtype=bool) | np.eye(d, k=-1, dtype=bool)
        weights *= kept
        order = rng.permutation(d)
        sizes = np.linalg.norm(np.linalg.inv(weights), axis=1)
        unmixing = np.zeros((d, d))
        unmixing[:, order] = weights * sizes
        self.unmixing = jnp.asarray(unmixing, float)
        self.matrix = jnp.asarray(np.linalg.inv(unmixing), float)
        self.variables = jnp.asarray(order)
        self.slope = jnp.asarray(slope, float)

    def __call__(self, z: Float[Array, " d"]) -> Float[Array, " d"]:
        """The observation of one latent."""
        return jax.nn.leaky_relu(self.matrix @ z, self.slope)

    def inverse(self, x: Float[Array, " d"]) -> Float[Array, " d"]:
        """The latent of one observation."""
        return self.unmixing @ jnp.where(x < 0, x / self.slope, x)

    @property
    def edges(self) -> Bool[Array, "d d"]:
        """Does the observed variable i cause j?"""
        needed = (self.unmixing != 0).at[jnp.arange(len(self.variables)), self.variables].set(False)
        return needed[jnp.argsort(self.variables)].T
