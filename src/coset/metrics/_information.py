"""Entropy and mutual information in nats: of tables by counting, of a code by neighbours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma

from .._core import Floats
from ._latents import Labels

NOTHING = 1e-12


def entropy(labels: Labels) -> float:
    """H = -Σ p log p of the observed classes."""
    p = np.bincount(labels) / labels.size
    p = p[p > 0]
    return float(-(p * np.log(p)).sum())


def table_information(x: Labels, y: Labels) -> float:
    """I = Σ p(x, y) log p(x, y) / (p(x) p(y)), at most either entropy; rounding errors become 0."""
    rows, columns = int(x.max()) + 1, int(y.max()) + 1
    joint = np.bincount(x * columns + y, minlength=rows * columns).reshape(rows, columns) / x.size
    independent = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    seen = joint > 0
    information = float((joint[seen] * np.log(joint[seen] / independent[seen])).sum())
    if information < NOTHING:
        return 0.0
    return min(information, entropy(x), entropy(y))


def neighbour_information(labels: Labels, code: Floats, neighbours: int = 10) -> float:
    """Mutual information of classes and a continuous code (Ross 2014, equation 2).

    I = ψ(n) + ⟨ψ(k)⟩ - ⟨ψ(n_class)⟩ - ⟨ψ(m)⟩: the distance from a row to its k-th neighbour in its
    class, and the number m of rows of any class closer than that (itself included). The estimate
    may leave [0, H]; it is clipped to it. A class of one row has no neighbour and is left out.
    """
    sizes = np.bincount(labels)
    kept = sizes[labels] > 1
    if not kept.any():
        return 0.0
    labels, code = labels[kept], code[kept]
    everyone = np.sort(code)
    total = np.zeros(4)
    for label in np.flatnonzero(sizes > 1):
        x = np.sort(code[labels == label])
        k = min(neighbours, x.size - 1)
        m = _closer(everyone, x, _neighbour_distance(x, k))
        total += x.size, x.size * digamma(k), x.size * digamma(x.size), digamma(m).sum()
    n, k_term, class_term, m_term = total
    information = float(digamma(n) + (k_term - class_term - m_term) / n)
    return float(np.clip(information, 0.0, entropy(labels)))


def _neighbour_distance(x: Floats, k: int) -> Floats:
    """Distance to the k-th nearest other value; on a line the k + 1 nearest are consecutive."""
    distance = np.full(x.size, np.inf)
    width = x.size - k
    for left in range(k + 1):
        inside = slice(left, left + width)
        reach = np.maximum(x[inside] - x[:width], x[k:] - x[inside])
        distance[inside] = np.minimum(distance[inside], reach)
    return distance


def _closer(everyone: Floats, x: Floats, radius: Floats) -> NDArray[np.intp]:
    """How many values lie within less than `radius` of each x, by differences, as they round."""
    low = np.searchsorted(everyone, np.nextafter(x - radius, -np.inf), "left")
    high = np.searchsorted(everyone, np.nextafter(x + radius, np.inf), "right")
    while (outside := x - everyone[low] >= radius).any():
        low += outside
    while (outside := everyone[high - 1] - x >= radius).any():
        high -= outside
    return high - low
