"""The law that a sum of ever smaller Laplace noises has."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from .._core import BadInput, Floats
from ._noises import DEEPEST, NODES, AbstractNoise
from ._tables import even_interpolation

TERMS = 24
LARGEST = 0.9
"""Beyond it the terms cancel too much for float32."""


class LaplaceSum(AbstractNoise):
    """The law of Σ_k coefficient^k e_k, the e_k Laplace: where an autoregression comes to rest.

    Its characteristic function Π_k 1 / (1 + b_k² t²), b_k = scale · |coefficient|^k, falls apart
    into Σ_k w_k / (1 + b_k² t²) with w_k = Π_{j≠k} 1 / (1 - b_j² / b_k²): a mixture of Laplace laws
    whose weights have alternating signs. Quantiles come from a table, as those of
    `GeneralisedNormal`.

    Args:
        coefficient: between -0.9 and 0.9.
        scale: of the Laplace noises: mean of |e_k|.

    Example:
        >>> law = LaplaceSum(0.6, 1.0)
        >>> round(float(law.mass(law.quantile(jnp.array(0.5)))), 4)
        0.5
    """

    weights: Float[Array, " terms"]
    scales: Float[Array, " terms"]
    quantiles: Float[Array, " nodes"]

    def __init__(self, coefficient: float, scale: float) -> None:
        if not abs(coefficient) <= LARGEST or not scale > 0:
            raise BadInput(
                f"coefficient={coefficient}, scale={scale}; a sum of Laplace noises needs a "
                f"coefficient from -{LARGEST} to {LARGEST} and a scale above 0"
            )
        weights, scales = _mixture(abs(coefficient), scale)
        self.weights = jnp.asarray(weights, float)
        self.scales = jnp.asarray(scales, float)
        self.quantiles = jnp.asarray(_quantiles(weights, scales), float)

    @property
    def power(self) -> float | None:
        """None: its log density is no power."""
        return None

    def log_density(self, x: Float[Array, "..."]) -> Float[Array, "..."]:
        """Of each coordinate, normalised."""
        terms = jnp.exp(-jnp.abs(x)[..., None] / self.scales)
        return jnp.log(jnp.sum(terms * self.weights / (2 * self.scales), axis=-1))

    def mass(self, x: Float[Array, "..."]) -> Float[Array, "..."]:
        """sign(x) (1 - Σ_k w_k exp(-|x| / b_k))."""
        tails = jnp.exp(-jnp.abs(x)[..., None] / self.scales)
        return jnp.sign(x) * (1 - jnp.sum(tails * self.weights, axis=-1))

    def quantile(self, mass: Float[Array, "..."]) -> Float[Array, "..."]:
        """The inverse of that."""
        depth = -jnp.log(1 - jnp.abs(mass))
        return jnp.sign(mass) * even_interpolation(depth, 0.0, DEEPEST, self.quantiles)


def _mixture(ratio: float, scale: float) -> tuple[Floats, Floats]:
    """Weights and scales; those past the last weight that counts are 0 and 1 · scale."""
    weights, scales = np.zeros(TERMS), np.full(TERMS, float(scale))
    powers = ratio ** (2 * np.arange(1, 20 * TERMS))
    weights[0] = 1 / np.prod(1 - powers)
    for k in range(1, TERMS):
        # w_k / w_{k-1} = -q^k / (1 - q^k) with q = ratio²
        weights[k] = -weights[k - 1] * powers[k - 1] / (1 - powers[k - 1])
        if abs(weights[k]) < 1e-12:
            weights[k] = 0.0
            break
        scales[k] = scale * ratio**k
    return weights, scales


def _quantiles(weights: Floats, scales: Floats) -> Floats:
    """|x| at even depths -log P(|noise| > |x|)."""
    x = np.linspace(0.0, 1.0, 16 * NODES) ** 2 * scales[0] * (DEEPEST + np.log(weights[0]) + 1)
    depths = np.maximum.accumulate(-np.log(np.exp(-x[:, None] / scales) @ weights))
    return np.interp(np.linspace(0.0, DEEPEST, NODES), depths, x)
