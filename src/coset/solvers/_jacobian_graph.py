"""A causal graph read off the Jacobian of what undoes structural equations."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from .._arrays import as_matrix
from .._core import BadInput, Floats

MOST = 15
"""Variables whose orders can be searched: 2^15 sets of them."""
FAINT = 1e-12
"""Entries below this share of the largest count as this share where they divide."""


@dataclass(frozen=True, eq=False)
class JacobianGraph:
    """What causes what, as far as a triangular order of the Jacobian says."""

    edges: NDArray[np.bool_]
    """(d, d): does variable i cause j?"""
    order: tuple[int, ...]
    """Variables, causes before effects."""
    codes: NDArray[np.int64]
    """The code of each variable's own noise."""
    strengths: Floats
    """(d, d): of i on j, in standard deviations of both."""
    against: float
    """The share of strengths from the threshold on that point against the order: 0 where a graph
    explains them all."""


def jacobian_graph(sizes: Any, *, threshold: float = 0.1) -> JacobianGraph:
    """The graph of d variables from |∂code/∂variable|, whatever the order of either.

    Codes that are the noises of structural equations depend on a variable and its causes: up to
    permutations the Jacobian is triangular. In units of standard deviations of variables and codes
    its diagonal is at least 1 where the equations are linear, for an own noise never makes a
    variable vary less. So each variable j gets the code k(j) that makes Σ_j J_k(j)j⁻² least. Then
    s_ij = J_k(j)i / J_k(j)j is the strength of i on j, and the order is the one of all d! that
    leaves the least Σ s² against it. Edges are strengths along the order, from a threshold on.

    Args:
        sizes: (d, d), mean absolute derivatives of codes (rows) by variables, times the standard
            deviation of the variable over that of the code.
        threshold: of an edge.

    Example:
        >>> found = jacobian_graph([[0.0, 2.0, 1.0], [0.0, 1.0, 0.0], [3.0, 0.0, 1.5]])
        >>> found.order, found.edges.astype(int).tolist()
        ((1, 2, 0), [[0, 0, 0], [0, 0, 1], [1, 0, 0]])

    References:
        reizinger2023, shimizu2006
    """
    sizes = np.abs(as_matrix(sizes, "sizes"))
    d = len(sizes)
    if sizes.shape != (d, d):
        raise BadInput(
            f"a Jacobian of shape {sizes.shape}; a square one is needed, with a code for each "
            f"variable"
        )
    if d > MOST:
        raise BadInput(f"{d} variables; orders of at most {MOST} can be searched")
    floored = np.maximum(sizes, FAINT * (sizes.max() or 1.0))
    _, codes = linear_sum_assignment(floored.T**-2.0)
    own = floored[codes, np.arange(d)]
    strengths = (sizes[codes] / own[:, None]).T
    np.fill_diagonal(strengths, 0.0)
    order, _ = _best_order(strengths**2)
    rank = np.argsort(order)
    strong = strengths >= threshold
    edges = strong & (rank[:, None] < rank)
    against = float((strong & ~edges).sum() / max(strong.sum(), 1))
    return JacobianGraph(edges, order, codes, strengths, against)


def _best_order(squares: Floats) -> tuple[tuple[int, ...], float]:
    """The order with the least against it, found set by set: the cost of placing j after a set is
    what j does to the variables in it.
    """
    d = len(squares)
    costs: dict[frozenset[int], tuple[float, tuple[int, ...]]] = {frozenset(): (0.0, ())}
    for size in range(1, d + 1):
        step = {}
        for chosen in combinations(range(d), size):
            members = frozenset(chosen)
            options = []
            for last in chosen:
                before, order = costs[members - {last}]
                against = float(squares[last, [i for i in chosen if i != last]].sum())
                options.append((before + against, (*order, last)))
            step[members] = min(options)
        costs = step
    against, order = costs[frozenset(range(d))]
    return order, against
