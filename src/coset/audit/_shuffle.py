"""The same two codes with the rows of b shuffled: what chance gives."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .._core import Floats
from ..metrics._moments import Moments
from ._folds import Fold, split_rows
from ._pass import Summary

Pairing = tuple[Fold, Fold]
Rows = tuple[Floats, Floats, list[Floats], list[Floats]]


DRAWS = 10
DRAWS_AT_SCALE = 3
"""With rows by the thousand the score that chance gives hardly varies."""


def pairings(summary: Summary) -> Iterator[Pairing]:
    """One fold of a shuffled pairing at a time, both ways; the fold changes with the draw.

    Where the sample holds every row they are really shuffled. Otherwise the shuffled cross-moments
    are drawn from the law that shuffling Gaussian rows has: no second pass over the data is needed.
    """
    generator = np.random.default_rng((summary.deal.seed, 3))
    everything = len(summary.sampled) == summary.deal.rows
    for draw in range(DRAWS if everything else DRAWS_AT_SCALE):
        k = draw % summary.deal.folds
        train_a, train_b, tests_a, tests_b = _shuffled_rows(split_rows(summary, k), generator)
        if everything:
            rows = train_a, train_b, tests_a, tests_b
            if not summary.once.all():
                rows = _shuffled_rows(split_rows(summary, k, copies=True), generator)
            train = Moments().update(*rows[:2])
            tests = [Moments().update(a, b) for a, b in zip(*rows[2:], strict=True)]
        else:
            train = shuffled_moments(summary.gram(apart_from=k), generator)
            tests = [shuffled_moments(summary.gram(only=k), generator)]
        shuffled = Fold(train, tests, train_a, train_b, tests_a, tests_b)
        yield shuffled, shuffled.swapped()


def shuffled_moments(whole: Moments, generator: np.random.Generator) -> Moments:
    """Moments under a shuffled pairing, drawn from the law of shuffled Gaussian rows.

    The coherence of independent codes is that of two random frames in n - 1 dimensions; it is put
    between the roots of the two Gram matrices at hand. Where the frames leave room for each other
    it comes from the blocks of a Wishart matrix, without drawing the frames.
    """
    free = whole.n - 1
    root_a, root_b = _root(whole.aa, free), _root(whole.bb, free)
    p, q = root_a.shape[1], root_b.shape[1]
    if p + q > free:
        frames = (np.linalg.qr(generator.standard_normal((free, k)))[0] for k in (p, q))
        coherence = next(frames).T @ next(frames)
    else:
        across = generator.standard_normal((q, p))
        own = _wishart_root(q, free - p, generator)
        root = np.linalg.cholesky(across @ across.T + own @ own.T)
        coherence = np.linalg.solve(root, across).T
    return whole.with_cross(root_a @ coherence @ root_b.T)


def permuted_moments(whole: Moments, a: Floats, b: Floats, order: NDArray[np.intp]) -> Moments:
    """Moments of a and b[order], where `whole` holds those of a and b."""
    a, b = a - whole.mean_a, b[order] - whole.mean_b
    product = np.einsum("ij,ij->i", a, a) @ np.einsum("ij,ij->i", b, b)
    return whole.with_cross(a.T @ b, float(product))


def _shuffled_rows(rows: Rows, generator: np.random.Generator) -> Rows:
    """Shuffle b across the whole of a fold's rows, train and tests together."""
    train_a, train_b, tests_a, tests_b = rows
    sizes = [len(test) for test in tests_b]
    shuffled = generator.permutation(np.concatenate([train_b, *tests_b]))
    parts = np.split(shuffled, np.cumsum([len(train_b), *sizes[:-1]]))
    return train_a, parts[0], tests_a, list(parts[1:])


def _wishart_root(size: int, degrees: int, generator: np.random.Generator) -> Floats:
    """Bartlett's triangular factor."""
    root = np.tril(generator.standard_normal((size, size)), -1)
    root[np.diag_indices(size)] = np.sqrt(generator.chisquare(degrees - np.arange(size)))
    return root


def _root(gram: Floats, most: int) -> Floats:
    """(p, r) with root rootᵀ = gram, r at most `most` columns."""
    if len(gram) <= most:
        try:
            return np.asarray(np.linalg.cholesky(gram), dtype=np.float64)
        except np.linalg.LinAlgError:  # columns that depend on one another
            pass
    values, vectors = np.linalg.eigh(gram)
    return vectors[:, -most:] * np.sqrt(np.maximum(values[-most:], 0.0))
