"""How far the predictions of two models are apart: no gap is what the theorem starts from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import log_softmax

from .._core import Floats
from ._tie_model import Model

MOST_LOGITS = 100_000_000
BLOCK_LOGITS = 4_000_000


@dataclass(frozen=True)
class Gap:
    """Mean Kullback-Leibler divergences between predictive distributions, in nats."""

    ab: float
    """KL(p_a || p_b)."""
    ba: float
    chance: float
    """KL(p_a || p_b) when each row of a meets another row of b."""
    rows: int
    """Rows used: a seeded sample where rows times labels are very many."""


def likelihood_gap(a: Model, b: Model, seed: int) -> Gap:
    """Mean over rows of sum_y p(y|x) (log p(y|x) - log q(y|x)), with p and q of either model.

    Args:
        a: a model whose biases are known, or that has none.
        b: another one of the same rows and labels.
        seed: of the sample of rows.
    """
    n, labels = len(a.f), len(a.g)
    order = np.random.default_rng(seed).permutation(n)
    rows = order[: max(min(n, MOST_LOGITS // labels), 2)]
    sums = np.zeros(3)
    other = np.roll(rows, 1)
    block = max(1, BLOCK_LOGITS // labels)
    for start in range(0, len(rows), block):
        part = slice(start, start + block)
        p, q = (log_softmax(model.logits(rows[part]), axis=1) for model in (a, b))
        stranger = log_softmax(b.logits(other[part]), axis=1)
        sums += [_divergence(p, q), _divergence(q, p), _divergence(p, stranger)]
    ab, ba, chance = (float(max(total, 0.0) / len(rows)) for total in sums)
    return Gap(ab, ba, chance, len(rows))


def _divergence(p: Floats, q: Floats) -> float:
    return float(np.einsum("ij,ij->", np.exp(p), p - q))
