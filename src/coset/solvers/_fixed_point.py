"""FastICA's fixed point: far from the optimum it is the quickest way near it."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor

import numpy as np

from .._core import Floats
from ._score_moments import score_moments

NEAR = 1e-2
"""Change of the cosine between a row of W and itself before, below which the search ends."""
ROUNDS = 30


def fixed_point(unmixing: Floats, blocks: Sequence[Floats], pool: Executor) -> Floats:
    """W ← the rotation nearest to (E[tanh(y) yᵀ] - diag E[1 - tanh²(y)]) W, until it hardly moves.

    Args:
        unmixing: an orthogonal W (k, k).
        blocks: whitened rows, transposed.
        pool: what works on parts of the data.

    References:
        hyvarinen1999fast
    """
    for _ in range(ROUNDS):
        moments = score_moments(unmixing, blocks, pool, value=False, crossed=False)
        left, _, right = np.linalg.svd((moments.outer - np.diag(moments.slope)) @ unmixing)
        turned = left @ right
        cosines = np.abs(np.einsum("ij,ij->i", turned, unmixing))
        unmixing = turned
        if 1.0 - cosines.min() < NEAR:
            break
    return unmixing
