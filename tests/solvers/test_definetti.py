"""Causal de Finetti: the rule, known structures, and what it must not see."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from coset._core import BadInput
from coset.solvers import STRUCTURES, definetti_graph, definetti_pair, pairwise_lingam
from coset.solvers._definetti_pair import decide


def pair(n=400, seed=0, varies=1.0):
    """A cause and its effect, whose parameters vary plainly."""
    rng = np.random.default_rng(seed)
    of_cause, of_mechanism = varies * rng.uniform(-3, 3, (2, n, 1))
    x = of_cause + rng.laplace(size=(n, 2))
    return x, 2 * x + of_mechanism + rng.laplace(size=(n, 2))


def switches(n=20_000, seed=0):
    """A chain into a collider, 1 → 0 → 3 ← 2, of binary variables in two samples."""
    rng = np.random.default_rng(seed)
    values = rng.random((n, 2, 4)) < rng.beta(1, 3, (n, 1, 4))
    values[..., 0] ^= values[..., 1]
    values[..., 3] ^= values[..., 0] & values[..., 2]
    edges = np.zeros((4, 4), dtype=bool)
    edges[[1, 0, 2], [0, 3, 3]] = True
    return values, edges


def test_the_rule():
    """Of all eight patterns three have a name, the others go to the largest p-value."""
    for pattern in itertools.product([0.01, 0.5], repeat=3):
        p_values = tuple(p + 0.001 * k for k, p in enumerate(pattern))
        found = decide(p_values, 0.05)
        independent = tuple(p >= 0.05 for p in p_values)
        named = {
            (True, False, False): 0,
            (False, True, False): 1,
            (True, True, True): 2,
        }.get(independent)
        assert found.decided == (named is not None)
        assert found.structure == STRUCTURES[int(np.argmax(p_values)) if named is None else named]
        assert found.p_values == p_values
    assert decide((0.05, 0.0, 0.0), 0.05).decided


def test_direction_and_its_mirror():
    x, y = pair()
    assert definetti_pair(x, y).structure == "x -> y"
    mirrored = definetti_pair(y, x)
    assert mirrored.structure == "y -> x"
    assert mirrored.decided
    noise = np.random.default_rng(1).laplace(size=x.shape)
    assert definetti_pair(x, noise).structure == "none"


def test_without_variability_the_tests_do_not_decide():
    """Rows are independent: neither conditional test can see an edge that the third one sees."""
    x, y = pair(varies=0.0)
    found = definetti_pair(x, y)
    assert found.p_values[2] < 1e-6
    assert min(found.p_values[:2]) > 0.05
    assert not found.decided


def test_graph_of_four_variables():
    values, edges = switches()
    found = definetti_graph(values, level=0.001)
    np.testing.assert_array_equal(found.edges, edges)
    assert found.decided
    assert sorted(i for level in found.levels for i in level) == list(range(4))
    depth = {i: k for k, level in enumerate(found.levels) for i in level}
    assert all(depth[j] < depth[i] for i, j in np.argwhere(edges))
    tested = ~np.isnan(found.edge_p_values)
    np.testing.assert_array_equal(found.edge_p_values[tested] < 0.001, edges[tested])


def test_graph_follows_its_variables():
    values, edges = switches()
    order = np.random.default_rng(1).permutation(4)
    found = definetti_graph(values[..., order].astype(int), level=0.001)
    np.testing.assert_array_equal(found.edges, edges[np.ix_(order, order)])


def test_co_parents_are_given():
    """0 → 1, 0 → 2 and 1 → 2: that 0 causes 2 shows beside 1, and an edge 0 → 2 that is not there
    does not, although 0 and 2 are dependent through 1."""
    rng = np.random.default_rng(2)
    rates = rng.beta(1, 3, (20_000, 1, 3))
    for direct in (False, True):
        values = rng.random((20_000, 2, 3)) < rates
        values[..., 1] ^= values[..., 0]
        values[..., 2] ^= values[..., 1] & values[..., 0] if direct else values[..., 1]
        assert definetti_graph(values, level=0.001).edges[0, 2] == direct


def test_without_variability_every_variable_passes_for_a_sink():
    rng = np.random.default_rng(3)
    values = rng.random((5000, 2, 3)) < 0.3
    values[..., 1] ^= values[..., 0]
    found = definetti_graph(values, level=0.001)
    assert found.levels == ((0, 1, 2),)
    assert not found.edges.any()


def test_where_no_variable_passes_the_best_one_is_taken():
    """Both variables are noisy copies of what an environment hides: neither is a sink."""
    rng = np.random.default_rng(4)
    hidden = rng.random((2000, 1, 1)) < 0.5
    found = definetti_graph(hidden ^ (rng.random((2000, 2, 2)) < 0.1))
    assert not found.decided
    assert len(found.levels) == 2


def test_linear_model_of_rows():
    rng = np.random.default_rng(5)
    x, noise = rng.laplace(size=(2, 2000))
    assert pairwise_lingam(x, 3 * x + noise).structure == "x -> y"
    assert pairwise_lingam(3 * x + noise, x).structure == "y -> x"
    assert pairwise_lingam(x, noise).structure == "none"
    forth, back = (pairwise_lingam(*sides).log_ratio for sides in ((x, x + noise), (x + noise, x)))
    assert forth == pytest.approx(-back)
    ratios = []
    for seed in range(200):
        a, b = np.random.default_rng([6, seed]).normal(size=(2, 300))
        ratios.append(pairwise_lingam(a, a + b).log_ratio > 0)
    assert 60 <= sum(ratios) <= 140, "normal noise says nothing: 1e-8 of a fair coin are outside"


def test_refusals():
    x, y = pair(20)
    with pytest.raises(BadInput, match="two samples"):
        definetti_pair(x[:, :1], y)
    with pytest.raises(BadInput, match="rows"):
        definetti_pair(x[:-1], y)
    with pytest.raises(BadInput, match="level"):
        definetti_pair(x, y, level=0.0)
    with pytest.raises(BadInput, match="two samples"):
        definetti_graph(np.zeros((10, 3, 2), dtype=int))
    with pytest.raises(BadInput, match="fewer variables"):
        definetti_graph(np.zeros((10, 2, 12), dtype=int))
    with pytest.raises(BadInput, match="level"):
        definetti_graph(np.zeros((10, 2, 2), dtype=int), level=1.0)
    with pytest.raises(BadInput, match="vary"):
        pairwise_lingam(np.ones(10), np.arange(10.0))
