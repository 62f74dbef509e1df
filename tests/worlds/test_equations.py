"""Structural equations: triangular in some order, of the declared weights, and undone."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coset._core import BadInput
from coset._lab import one_of, stacked
from coset.worlds import StructuralEquations


def reordered(mixing):
    """Unmixing with variables in the order of their latents."""
    return np.asarray(mixing.unmixing, float)[:, np.asarray(mixing.variables)]


@pytest.mark.parametrize("density", [0.0, 0.5, 1.0])
def test_triangular_with_a_chain(density):
    for seed in range(5):
        mixing = StructuralEquations(seed, 6, density)
        weights = reordered(mixing)
        assert not np.triu(weights, 1).any()
        assert (np.diag(weights) > 0).all()
        assert (np.diag(weights, -1) > 0).all()
        further = (np.tril(weights, -2) != 0).sum()
        assert further == (0 if density == 0 else 10 if density == 1 else further)
        np.testing.assert_allclose(np.linalg.norm(mixing.matrix, axis=1), 1, rtol=1e-3)


def test_weights_follow_their_law():
    """Undoing D: rows of W, whose entries are uniform on (0.2, 1.2)."""
    found, far = [], []
    for seed in range(200):
        mixing = StructuralEquations(seed, 4, 0.5, least=0.2)
        weights = reordered(mixing)
        gains = np.linalg.inv(weights)
        scale = weights / np.diag(weights)
        found += [weights[weights != 0]]
        far += [scale[2, 0] != 0, scale[3, 0] != 0, scale[3, 1] != 0]
        assert np.linalg.norm(gains, axis=1) == pytest.approx(1, rel=1e-3)
    assert 0.4 < np.mean(far) < 0.6


def test_edges_are_what_an_intervention_moves():
    """A variable that is set moves those that depend on it directly, given all others."""
    mixing = StructuralEquations(3, 5, 0.4)
    weights, order = reordered(mixing), np.asarray(mixing.variables)
    edges = np.zeros((5, 5), dtype=bool)
    for effect in range(5):
        for cause in range(effect):
            edges[order[cause], order[effect]] = weights[effect, cause] != 0
    np.testing.assert_array_equal(mixing.edges, edges)
    assert not np.diag(np.asarray(mixing.edges)).any()


def test_bent_equations_have_the_same_graph_and_can_be_undone():
    linear, bent = StructuralEquations(0, 4), StructuralEquations(0, 4, slope=0.25)
    np.testing.assert_array_equal(linear.edges, bent.edges)
    z = jax.random.uniform(jax.random.key(0), (100, 4)) - 0.5
    x = jax.vmap(bent)(z)
    np.testing.assert_allclose(jax.vmap(bent.inverse)(x), z, atol=1e-3)
    assert float(jnp.abs(x - jax.vmap(linear)(z)).max()) > 0.1


def test_seeds_stack():
    members = [StructuralEquations(seed, 3) for seed in range(2)]
    again = one_of(stacked(members), 1)
    np.testing.assert_array_equal(again.edges, members[1].edges)


def test_refusals():
    for wrong in ({"d": 1}, {"density": 1.5}, {"slope": 0.0}, {"least": 0.0}):
        with pytest.raises(BadInput, match="equations need"):
            StructuralEquations(0, **{"d": 3, **wrong})
