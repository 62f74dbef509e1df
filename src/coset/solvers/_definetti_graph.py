"""Which of several discrete variables cause which? Read off how they vary between environments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import BadInput, Floats
from ._g_test import g_test, tables

LARGEST = 2**22
"""Cells of the table of all variables in two samples."""


@dataclass(frozen=True, eq=False)
class Graph:
    """What causes what, and the tests that said so."""

    edges: NDArray[np.bool_]
    """(d, d): does i cause j?"""
    levels: tuple[tuple[int, ...], ...]
    """Variables that cause none of those in later levels, the last effects first."""
    decided: bool
    """Every level passed its tests; otherwise the best variable was taken for a sink."""
    sink_p_values: Floats
    """(d,): the smallest p-value of the tests by which a variable was taken for a sink."""
    edge_p_values: Floats
    """(d, d): of i ⊥ j given what else may cause j; NaN where order alone excludes the edge."""


def definetti_graph(samples: Any, *, level: float = 0.05, values: int = 2) -> Graph:
    """The graph of discrete variables from two samples in each of many environments.

    With R the variables that are left, i is a sink of R where for all other k in R its first
    sample is independent of the second sample of k, given the first samples of all others:
    X_i1 ⊥ X_k2 | X_(R without i)1. Sinks form a level and are taken away, until nothing is left.
    Then j of a later level causes i where they are dependent in the first sample, given all other
    variables of later levels than that of i: those hold all causes of i and none of its effects.

    Args:
        samples: (environments, 2, d), whole numbers from 0.
        level: p-values from here on count as independence.
        values: how many values a variable has.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> rates = rng.beta(1, 3, (4000, 1, 2))
        >>> x, flip = (rng.random((4000, 2, 2)) < rates).transpose(2, 0, 1)
        >>> found = definetti_graph(np.stack([x, x ^ flip], axis=2))
        >>> found.levels, found.edges.tolist()
        (((1,), (0,)), [[False, True], [False, False]])

    References:
        guo2023
    """
    rows = np.asarray(samples)
    if rows.ndim != 3 or rows.shape[1] != 2 or 0 in rows.shape:
        raise BadInput(
            f"samples have shape {rows.shape}; two samples of each environment are needed "
            f"(environments, 2, d)"
        )
    d = rows.shape[2]
    if values ** (2 * d) > LARGEST:
        raise BadInput(
            f"{d} variables of {values} values; a table of two samples of all of them must have "
            f"at most {LARGEST} cells: choose fewer variables"
        )
    if not 0 < level < 1:
        raise BadInput(f"level={level}; a probability between 0 and 1 is needed")
    counts = tables(rows.reshape(len(rows), 2 * d), values)
    levels, sink_p_values, decided = _levels(counts, d, level)
    edges, edge_p_values = _edges(counts, levels, d, level)
    return Graph(edges, levels, decided, sink_p_values, edge_p_values)


def _levels(
    counts: Floats, d: int, level: float
) -> tuple[tuple[tuple[int, ...], ...], Floats, bool]:
    left, found, decided = list(range(d)), [], True
    smallest = np.ones(d)
    while left:
        smallest[left] = _sink_p_values(counts, left, d).min(1) if len(left) > 1 else 1.0
        sinks = [i for i in left if smallest[i] >= level]
        if not sinks:
            sinks, decided = [max(left, key=lambda i: smallest[i])], False
        found.append(tuple(sinks))
        left = [i for i in left if i not in sinks]
    return tuple(found), smallest, decided


def _sink_p_values(counts: Floats, left: Sequence[int], d: int) -> Floats:
    """Of each variable that is left (rows), a test with each other one."""
    tested = [
        _table(counts, i, d + k, [other for other in left if other != i])
        for i in left
        for k in left
        if k != i
    ]
    return g_test(np.stack(tested)).p_value.reshape(len(left), -1)


def _edges(
    counts: Floats, levels: tuple[tuple[int, ...], ...], d: int, level: float
) -> tuple[NDArray[np.bool_], Floats]:
    p_values = np.full((d, d), np.nan)
    for depth, effects in enumerate(levels[:-1]):
        causes = [j for later in levels[depth + 1 :] for j in later]
        pairs = [(j, i) for i in effects for j in causes]
        tested = [_table(counts, i, j, [k for k in causes if k != j]) for j, i in pairs]
        for pair, p_value in zip(pairs, g_test(np.stack(tested)).p_value, strict=True):
            p_values[pair] = p_value
    return p_values < level, p_values


def _table(counts: Floats, a: int, b: int, given: Sequence[int]) -> Floats:
    """Counts of a and b in every stratum of what is given."""
    kept = (a, b, *given)
    others = tuple(axis for axis in range(counts.ndim) if axis not in kept)
    marginal = counts.sum(others)
    remaining = sorted(kept)
    marginal = marginal.transpose([remaining.index(axis) for axis in kept])
    return marginal.reshape(*marginal.shape[:2], -1)
