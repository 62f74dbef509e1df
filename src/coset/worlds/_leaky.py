"""The leaky-ReLU network that the literature mixes latents with."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from .._core import BadInput, Floats
from ._mixing import AbstractMixing

POOL = 25_000
BLOCK = 5_000
EASIEST = {
    2: 1.00005, 3: 1.042, 4: 1.265, 5: 1.608, 6: 2.026, 8: 2.959, 10: 3.888, 12: 4.897,
    15: 6.354, 20: 9.357, 25: 12.25, 30: 14.12, 40: 20.25, 50: 25.63, 64: 31.25,
}  # fmt: skip
"""d → median, over pools, of a pool's smallest condition number: what `easiest_of_pool` finds."""


class LeakyMlp(AbstractMixing):
    """x = W_L σ(… σ(W_1 z)), σ a leaky ReLU; every W_l is square and well conditioned.

    Entries are uniform on (-1, 1), columns have length 1, and a matrix is accepted where its
    condition number is at most a fixed threshold. The published code takes the smallest number
    of a random pool of 25,000 as the threshold, which makes the wait for a matrix heavy-tailed;
    here it is the median of that smallest number, so the wait is geometric.

    Args:
        seed: of the matrices.
        d: latents, as many as observed columns.
        layers: number of matrices.
        slope: of the leaky ReLU where its argument is negative.
        condition: threshold in place of the default; inf accepts every matrix.

    Example:
        >>> mixing = LeakyMlp(0, 5)
        >>> z = jnp.arange(5.0)
        >>> bool(jnp.allclose(mixing.inverse(mixing(z)), z, atol=1e-4))
        True

    References:
        hyvarinen2016, zimmermann2021
    """

    matrices: Float[Array, "layers d d"]
    slope: Float[Array, ""]
    injective: ClassVar[bool] = True

    def __init__(
        self,
        seed: int,
        d: int,
        layers: int = 3,
        slope: float = 0.2,
        condition: float | None = None,
    ) -> None:
        if d < 2 or layers < 1 or not slope > 0:
            raise BadInput(
                f"d={d}, layers={layers}, slope={slope}; a mixing network needs d from 2, layers "
                f"from 1, and a slope above 0"
            )
        threshold = default_condition(d) if condition is None else float(condition)
        if not threshold > 1:
            raise BadInput(f"condition={condition}; no matrix that is drawn has less than 1")
        self.matrices = jnp.asarray(_accepted(seed, d, layers, threshold), float)
        self.slope = jnp.asarray(slope, float)

    def __call__(self, z: Float[Array, " d"]) -> Float[Array, " d"]:
        """The observation of one latent."""
        for matrix in self.matrices[:-1]:
            z = jax.nn.leaky_relu(matrix @ z, self.slope)
        return self.matrices[-1] @ z

    def inverse(self, x: Float[Array, " d"]) -> Float[Array, " d"]:
        """The latent of one observation."""
        x = jnp.linalg.solve(self.matrices[-1], x)
        for matrix in self.matrices[:-1][::-1]:
            x = jnp.linalg.solve(matrix, jnp.where(x < 0, x / self.slope, x))
        return x


def default_condition(d: int) -> float:
    """Straight lines through `EASIEST`, the last one prolonged.

    Example:
        >>> default_condition(10), default_condition(11), round(default_condition(78), 2)
        (3.888, 4.3925, 36.87)
    """
    known = sorted(EASIEST)
    if d > known[-1]:
        rise = (EASIEST[known[-1]] - EASIEST[known[-2]]) / (known[-1] - known[-2])
        return EASIEST[known[-1]] + rise * (d - known[-1])
    return float(np.interp(d, known, [EASIEST[k] for k in known]))


def easiest_of_pool(d: int, *, pools: int, seed: int) -> float:
    """Median over pools of the smallest condition number of 25,000 matrices: the table above.

    Args:
        d: latents.
        pools: how many.
        seed: of the draws.
    """
    rng = np.random.default_rng(seed)
    least = [
        min(_conditions(_columns_of_length_1(rng, d)).min() for _ in range(POOL // BLOCK))
        for _ in range(pools)
    ]
    return float(np.median(least))


@lru_cache(maxsize=512)
def _accepted(seed: int, d: int, layers: int, threshold: float) -> Floats:
    """The first matrices, in the order they are drawn, that reach the threshold."""
    rng = np.random.default_rng([seed, d])
    found: list[Floats] = []
    floor = _least_log_determinant(d, threshold)
    while len(found) < layers:
        drawn = _columns_of_length_1(rng, d)
        drawn = drawn[np.linalg.slogdet(drawn)[1] >= floor]
        found.extend(drawn[_conditions(drawn) <= threshold])
    return np.stack(found[:layers])


def _columns_of_length_1(rng: np.random.Generator, d: int) -> Floats:
    drawn = rng.uniform(-1, 1, (BLOCK, d, d))
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    return drawn


def _conditions(matrices: Floats) -> Floats:
    sizes = np.linalg.svd(matrices, compute_uv=False)
    found: Floats = sizes[:, 0] / sizes[:, -1]
    return found


def _least_log_determinant(d: int, condition: float) -> float:
    """No matrix of Frobenius norm √d with a smaller condition number has a smaller |det|.

    A determinant is cheaper than singular values and refuses most matrices. Under both
    constraints the product of singular values is least where each is at one of the two ends.
    """
    if math.isinf(condition):
        return -math.inf
    large = np.arange(1, d)
    smallest = np.sqrt(d / (large * condition**2 + d - large))
    return float(np.min(d * np.log(smallest) + large * math.log(condition))) - 1e-9
