"""Centred rows of unit covariance, as blocks that fit into the cache."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from .._core import BadInput, Floats

BLOCK = 2**15
"""Numbers in a block: three of them stay in the cache of one core."""
DEPENDENT = 1e-12
"""Of the largest variance: what is below is no direction of the data."""


@dataclass(frozen=True, eq=False)
class Whitened:
    """What is left when second moments are: (x - mean) @ forward.T has unit covariance."""

    mean: Floats
    forward: Floats
    """(k, p)."""
    log_volume: float
    """log of the product of the singular values of `forward`."""
    blocks: tuple[Floats, ...]
    """Whitened rows, transposed: (k, m) each, in order."""


def whiten(rows: Floats, k: int | None, pool: Executor) -> Whitened:
    """Centre and whiten, keeping the k directions of largest variance.

    Args:
        rows: (n, p).
        k: number of directions; p by default.
        pool: what works on blocks.
    """
    n, p = rows.shape
    k = p if k is None else k
    if not 1 <= k <= p:
        raise BadInput(f"{k} latents of {p} columns: give a number from 1 to {p}")
    if n <= k:
        raise BadInput(f"{n} rows for {k} latents: more rows than latents are needed")
    width = block_width(k)
    spans = [slice(start, start + width) for start in range(0, n, width)]
    mean = rows.mean(axis=0)
    gram = sum(pool.map(lambda span: _gram(rows[span] - mean), spans))
    scale = np.sqrt(np.diagonal(gram) / n)
    if not scale.all():
        column = int(np.argmin(scale))
        raise BadInput(f"column {column} is constant: leave it out, it says nothing")
    values, vectors = np.linalg.eigh(gram / n / scale / scale[:, None])
    lost = int((values < DEPENDENT * values[-1]).sum())
    if lost > p - k:
        raise BadInput(
            f"{p} columns span {p - lost} dimensions only, and {k} latents were asked for: "
            f"ask for {p - lost} at most"
        )
    if k < p:  # directions of most variance, which scaling the columns first would change
        values, vectors = np.linalg.eigh(gram / n)
        scale = np.ones(p)
    kept = slice(p - k, p)
    forward = vectors[:, kept].T / np.sqrt(values[kept])[:, None] / scale
    blocks = tuple(pool.map(lambda span: forward @ (rows[span] - mean).T, spans))
    sizes = np.linalg.svd(forward, compute_uv=False)
    return Whitened(mean, forward, float(np.log(sizes).sum()), blocks)


def block_width(k: int) -> int:
    """Rows in a block of k columns: a multiple of 32.

    Example:
        >>> block_width(64), block_width(100_000)
        (512, 32)
    """
    return max(BLOCK // k // 32 * 32, 32)


def _gram(centred: Floats) -> Floats:
    return centred.T @ centred
