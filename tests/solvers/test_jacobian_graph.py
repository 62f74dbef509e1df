"""Graphs of Jacobians: whatever the order of codes and variables."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from coset._core import BadInput
from coset.solvers import jacobian_graph
from coset.solvers._jacobian_graph import _best_order


def equations(d, density, seed):
    """|Jacobian| of codes by variables, both in some order and of variance 1, and true edges."""
    rng = np.random.default_rng(seed)
    weights = np.tril(rng.uniform(0.05, 1, (d, d)))
    weights *= (rng.random((d, d)) < density) | np.eye(d, dtype=bool)
    spreads = np.sqrt((np.linalg.inv(weights) ** 2).sum(1))
    codes, variables = rng.permutation(d), rng.permutation(d)
    edges = np.zeros((d, d), dtype=bool)
    edges[np.ix_(variables, variables)] = np.tril(weights, -1).T != 0
    jacobian = np.zeros((d, d))
    jacobian[:, variables] = weights * spreads
    return jacobian[codes], edges, variables[codes]


@pytest.mark.parametrize(("d", "density"), [(2, 1.0), (3, 1.0), (5, 0.4), (8, 1.0), (8, 0.3)])
def test_edges_come_back(d, density):
    for seed in range(5):
        jacobian, edges, variables = equations(d, density, seed)
        found = jacobian_graph(-jacobian, threshold=1e-9)
        np.testing.assert_array_equal(found.edges, edges)
        np.testing.assert_array_equal(variables[found.codes], np.arange(d))
        assert (jacobian[found.codes, np.arange(d)] >= 1 - 1e-9).all()
        assert found.against == 0


def test_the_order_is_the_best_of_all():
    squares = np.random.default_rng(0).random((5, 5)) ** 2
    np.fill_diagonal(squares, 0)

    def against(order):
        return sum(squares[j, i] for i, j in itertools.combinations(order, 2))

    order, cost = _best_order(squares)
    assert cost == pytest.approx(against(order))
    assert cost == pytest.approx(min(map(against, itertools.permutations(range(5)))))


def test_noise_is_below_the_threshold_and_cycles_are_against_every_order():
    jacobian, edges, _ = equations(4, 1.0, 0)
    noisy = jacobian + 0.001 * np.random.default_rng(1).random((4, 4))
    found = jacobian_graph(noisy, threshold=0.02)
    np.testing.assert_array_equal(found.edges, edges)
    assert found.against == 0
    ring = np.eye(3) + 0.5 * np.roll(np.eye(3), 1, axis=1)
    assert jacobian_graph(ring).against == pytest.approx(1 / 3)


def test_nothing_but_own_noises():
    found = jacobian_graph(np.eye(3)[[2, 0, 1]])
    assert not found.edges.any()
    assert found.against == 0
    assert found.codes.tolist() == [1, 2, 0]


def test_refusals():
    with pytest.raises(BadInput, match="square"):
        jacobian_graph(np.ones((2, 3)))
    with pytest.raises(BadInput, match="at most 15"):
        jacobian_graph(np.eye(16))
