"""Do two codes agree about who is near to whom?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._arrays import as_matrix, as_pair
from .._core import BadInput, Score
from ._checks import whole_number
from ._nearest import Indices, Metric, neighbours


@dataclass(frozen=True, eq=False, repr=False)
class Overlap(Score):
    """Mean share of the k nearest neighbours that two codes have in common."""

    chance: float
    """k / (n - 1): what unrelated codes share."""
    k: int
    metric: str


@dataclass(frozen=True, eq=False, repr=False)
class Recall(Score):
    """Share of the true nearest neighbours that were found; the value is that of the largest k."""

    at: dict[int, float]
    chance: dict[int, float]
    metric: str


def knn_overlap(a: Any, b: Any, *, k: int = 10, metric: Metric = "cosine") -> Overlap:
    """(1/n) sum_i |N_k(a_i) ∩ N_k(b_i)| / k, a row never its own neighbour.

    Symmetric. Unchanged by rotation and one scale of either side ("euclidean": by offsets as well;
    "cosine": by a scale of each row). Ties go to the row that comes first, so that codes full of
    equal rows agree partly by that rule.

    Args:
        a: rows of observations (n, p).
        b: rows of observations (n, q), row i of the same thing as row i of a.
        k: neighbours per row, at most n - 1.
        metric: "cosine" (a row of zeros has cosine 0 with every row) or "euclidean".

    Example:
        >>> a = np.random.default_rng(0).standard_normal((50, 4))
        >>> knn_overlap(a, 3 * a[:, ::-1], k=5)
        Overlap(1, chance=0.102041, k=5, metric='cosine')

    References:
        huh2024
    """
    a, b = as_pair(a, b)
    near_a = neighbours(a, a, k, metric, exclude_self=True)
    near_b = neighbours(b, b, k, metric, exclude_self=True)
    return Overlap(_shared(near_a, near_b), k / (len(a) - 1), k, metric)


def recall(
    queries: Any,
    index: Any,
    truth_queries: Any,
    ks: Sequence[int] = (1, 10),
    *,
    metric: Metric = "cosine",
    exclude_self: bool | Any = False,
) -> Recall:
    """Can these queries search this index? mean_i |N_k(query_i) ∩ N_k(truth_i)| / k in one index.

    Args:
        queries: what searches now, carried over to the space of the index (m, p).
        index: what is searched (n, p).
        truth_queries: what searched before (m, p): its neighbours are the truth.
        ks: numbers of neighbours.
        metric: "cosine" or "euclidean".
        exclude_self: as in `neighbours`; a query that is itself in the index would find itself.

    Example:
        >>> index = np.random.default_rng(0).standard_normal((50, 4))
        >>> recall(index[:9] + 1e-6, index, index[:9], ks=(1, 5), exclude_self=np.arange(9)).at
        {1: 1.0, 5: 1.0}
    """
    queries, truth_queries = as_pair(queries, truth_queries, ("queries", "truth_queries"))
    index = as_matrix(index, "index")
    if not len(ks):
        raise BadInput("ks is empty; give the numbers of neighbours, such as (1, 10)")
    largest = max(whole_number(k, "ks", 1) for k in ks)
    found = neighbours(queries, index, largest, metric, exclude_self=exclude_self)
    truth = neighbours(truth_queries, index, largest, metric, exclude_self=exclude_self)
    at = {int(k): _shared(found[:, :k], truth[:, :k]) for k in ks}
    others = len(index) - (exclude_self is not False)
    return Recall(at[largest], at, {int(k): k / others for k in ks}, metric)


def _shared(a: Indices, b: Indices) -> float:
    """Mean share of the entries of a row of a that are in the same row of b."""
    both = np.sort(np.hstack([a, b]), axis=1)
    return float(np.count_nonzero(both[:, 1:] == both[:, :-1]) / a.size)
