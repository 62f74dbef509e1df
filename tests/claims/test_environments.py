"""Data from environments: laws that moments pin, and what does not vary stays."""

from __future__ import annotations

import numpy as np
import pytest

from coset._core import BadInput
from coset.claims._environments import Pairs, Switches, _depths
from coset.solvers import STRUCTURES, Structure

MANY = 40_000
"""Deviations below are of six standard errors at least: once in 1e8."""


def drawn(world: Pairs, structure: Structure, seed=0):
    """The first draw of that structure: cause, effect (or both variables)."""
    for attempt in range(100):
        found, x, y = world.sample(np.random.default_rng([seed, attempt]), MANY)
        if found == structure:
            return (y, x) if structure == "y -> x" else (x, y)
    raise AssertionError(structure)


@pytest.mark.parametrize("structure", STRUCTURES[:2])
def test_the_cause_is_its_noise(structure):
    """Laplace around a uniform parameter that both samples share: 2 + s²/3, and s²/3 in common."""
    for spread in (1.0, 3.0):
        cause, _ = drawn(Pairs(spread=spread), structure)
        covariance = np.cov(cause.T)
        assert np.diag(covariance) == pytest.approx(2 + spread**2 / 3, rel=0.06)
        assert covariance[0, 1] == pytest.approx(spread**2 / 3, abs=0.1)


@pytest.mark.parametrize(("cause", "mechanism"), [(True, False), (False, True), (False, False)])
def test_what_does_not_vary_keeps_its_noise_and_shares_nothing(cause, mechanism):
    world = Pairs(cause=cause, mechanism=mechanism, spread=3.0)
    for structure in ("x -> y", "y -> x"):
        of_cause, of_effect = drawn(world, structure)
        shared = np.corrcoef(of_cause.T)[0, 1]
        assert of_cause.var() > 1.8
        assert (shared > 0.5) == cause
        assert cause or abs(shared) < 0.03
        if not cause and not mechanism:
            assert abs(np.corrcoef(of_effect.T)[0, 1]) < 0.05


def test_variables_without_an_edge_are_independent():
    for seed in range(3):
        x, y = drawn(Pairs(spread=3.0), "none", seed)
        assert abs(np.corrcoef(x[:, 0], y[:, 0])[0, 1]) < 0.03
        assert abs(np.corrcoef(np.abs(x[:, 0]), np.abs(y[:, 0]))[0, 1]) < 0.03


def test_structures_are_equally_frequent():
    found = [Pairs().sample(np.random.default_rng(seed), 1)[0] for seed in range(900)]
    for structure in STRUCTURES:
        assert 215 < found.count(structure) < 385


def test_switches_follow_their_graph():
    """Rates are Beta(1, 3): a root is on in a quarter of all samples, twice in a row in a tenth."""
    world = Switches()
    for seed in range(5):
        rng = np.random.default_rng(seed)
        edges, values = world.sample(rng, MANY)
        assert (_depths(edges) < 3).all(), "no cycles"
        assert (edges.any(0) | edges.any(1)).all()
        for i in np.flatnonzero(~edges.any(0)):
            assert values[..., i].mean() == pytest.approx(1 / 4, abs=0.01)
            assert values[..., i].all(1).mean() == pytest.approx(1 / 10, abs=0.01)
        for i in np.flatnonzero(edges.any(0)):
            on = values[..., edges[:, i]].all(-1)
            assert values[..., i][~on].mean() == pytest.approx(1 / 4, abs=0.012)
            assert values[..., i][on].mean() == pytest.approx(3 / 4, abs=0.04)


def test_switches_that_do_not_vary_share_nothing():
    _, values = Switches(varies=False).sample(np.random.default_rng(0), MANY)
    for i in range(3):
        assert abs(np.corrcoef(values[..., i].T)[0, 1]) < 0.04
    with pytest.raises(BadInput, match="2 variables"):
        Switches(d=1)
