"""What a likelihood of independent latents needs of the data, in one pass."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial, reduce
from itertools import pairwise

import numpy as np

from .._core import Floats

SPANS = 16
"""Parts of the data that are summed apart, however many threads there are: so the bits stay."""
FOLDS = 5
"""Halvings of a product before its logarithm is taken: 2^5 numbers of at most 2 cannot overflow."""


@dataclass(frozen=True, eq=False)
class ScoreMoments:
    """Means over rows of functions of y = W x, one for each latent."""

    outer: Floats
    """E[tanh(y) yᵀ] (k, k)."""
    slope: Floats
    """E[1 - tanh²(y)] (k,)."""
    log_cosh: Floats
    """E[log cosh y] (k,); 0 where it is not wanted."""
    crossed: Floats | None
    """E[tanh²(y_i) y_j²] (k, k); None where it is not wanted."""


def score_moments(
    unmixing: Floats, blocks: Sequence[Floats], pool: Executor, *, value: bool, crossed: bool
) -> ScoreMoments:
    """tanh, its slope and log cosh from one tanh per number.

    With t = tanh y, log cosh y = |y| - log(1 + |t|), and the logarithms of 32 numbers are that of
    their product.

    Args:
        unmixing: W (k, k).
        blocks: whitened rows, transposed.
        pool: what works on parts of the data.
        value: whether `log_cosh` is wanted.
        crossed: whether `crossed` is.
    """
    edges = np.linspace(0, len(blocks), min(SPANS, len(blocks)) + 1).round().astype(int)
    spans = [blocks[start:stop] for start, stop in pairwise(edges)]
    parts = list(pool.map(partial(_sums, unmixing, value=value, crossed=crossed), spans))
    n = sum(block.shape[1] for block in blocks)
    outer, squares, log_cosh, both = (reduce(np.add, part) / n for part in zip(*parts, strict=True))
    return ScoreMoments(outer, 1.0 - squares, log_cosh, both if crossed else None)


def _sums(
    unmixing: Floats, blocks: Sequence[Floats], *, value: bool, crossed: bool
) -> tuple[Floats, Floats, Floats, Floats]:
    """Σ tanh(y) yᵀ, Σ tanh² y, Σ log cosh y, Σ tanh²(y_i) y_j² over the rows of some blocks."""
    k, width = len(unmixing), blocks[0].shape[1]
    (outer, both, product), (squares, log_cosh) = np.zeros((3, k, k)), np.zeros((2, k))
    memory, ones = np.empty((4, k * width)), np.ones(width)
    for block in blocks:
        y, t, rest, power = (part[: block.size].reshape(block.shape) for part in memory)
        count = ones[: block.shape[1]]
        np.matmul(unmixing, block, out=y)
        np.tanh(y, out=t)
        outer += np.matmul(t, y.T, out=product)
        squares += np.multiply(t, t, out=rest) @ count
        if crossed:
            both += np.matmul(rest, np.multiply(y, y, out=power).T, out=product)
        if value:
            log_cosh += np.abs(y, out=y) @ count
            np.abs(t, out=t)
            t += 1.0
            log_cosh -= _sum_of_logarithms(t, rest)
    return outer, squares, log_cosh, both


def _sum_of_logarithms(factors: Floats, memory: Floats) -> Floats:
    """Σ_j log factors_ij, for factors from 1 to 2."""
    whole = factors.shape[1] >> FOLDS << FOLDS
    product = factors[:, :whole]
    for _ in range(FOLDS):
        half = product.shape[1] // 2
        product = np.multiply(product[:, :half], product[:, half:], out=memory[:, :half])
    return np.log(product).sum(axis=1) + np.log(factors[:, whole:]).sum(axis=1)
