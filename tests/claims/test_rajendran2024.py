"""Cells of linear systems and hidden environments: scores and learners."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import coset
from coset.claims import CLAIMS
from coset.claims._learners import known_laws, likelihood, published, successive
from coset.claims._systems import (
    RandomMap,
    Seen,
    Systems,
    batch_mcc,
    markov_error,
    pooled_mcc,
    spectrum_error,
    whitened,
)
from coset.solvers import IdentifiedSystem
from coset.worlds import LinearSystem, random_system


def seen(seed, d, steps, **options):
    system = random_system(np.random.default_rng(seed), d, **options)
    drawn = system.simulate(np.random.default_rng([seed, 1]), steps)
    return system, Seen(drawn.observations, system.means, system.variances)


def test_a_true_system_has_no_error(rng):
    """In another basis of states, order, scale and sign of controls."""
    system = random_system(rng, 3)
    change = system.output @ system.input @ np.diag([2.0, -0.5, 1.0])[:, [2, 0, 1]]
    moved = system.output @ system.transition @ np.linalg.inv(system.output)
    empty = np.zeros((0, 3))
    found = IdentifiedSystem(
        moved, change, np.linalg.inv(change), np.arange(0.0), empty, empty, empty, 0
    )
    assert markov_error(system, found) < 1e-9
    assert spectrum_error(system, found) < 1e-9
    assert markov_error(system, whitened(found)) > 0.1
    other = LinearSystem(
        0.9 * system.transition, system.input, system.output, system.means, system.variances
    )
    assert spectrum_error(other, found) == pytest.approx(0.09, abs=1e-6)


def test_scores_of_codes(rng):
    u = rng.normal(size=(2, 500, 3))
    assert pooled_mcc(u, u[..., ::-1] * -2) == pytest.approx(1)
    assert pooled_mcc(u, np.zeros_like(u)) == 0
    assert batch_mcc(u, u, rng) == pytest.approx(1)
    assert 0.1 < batch_mcc(u, rng.normal(size=u.shape), rng) < 0.25
    assert np.allclose(
        RandomMap.of(rng, 3, 2).rows @ RandomMap.of(rng, 3, 2).rows.T @ np.eye(2), 0, atol=1.1
    )
    rows = RandomMap.of(rng, 3, 2).rows
    assert np.allclose(rows @ rows.T, np.eye(2))


def mean_loss(given, map_):
    """Row by row, as published."""
    before, after, labels = successive(given)
    return np.mean([
        ((map_ @ np.hstack([y, later]) - given.means[e]) ** 2 / given.variances[e]).sum() / 2
        for y, later, e in zip(before, after, labels, strict=True)
    ])  # fmt: skip


def test_the_published_objective_goes_to_its_optimum():
    """That of the linear system of equations, where there are means."""
    _, given = seen(0, 2, 1500)
    first, trained = (published([given], [0], steps=n)[0].map for n in (0, 10_000))
    (solved,) = known_laws([given], [0], log_det=False)
    best = mean_loss(given, solved.map)
    assert np.allclose(first @ first.T, np.eye(2), atol=1e-6)
    assert best < mean_loss(given, trained) < best + 0.05 * (mean_loss(given, first) - best)


def test_the_published_objective_forgets_controls_without_means():
    _, given = seen(1, 2, 1500, means=False)
    trained = published([given], [0], steps=10_000)[0].map
    assert np.linalg.norm(trained) < 0.5
    assert not known_laws([given], [0], log_det=False)[0].map.any()


def test_likelihood_says_what_its_system_says():
    _, given = seen(2, 3, 2000)
    (found,) = likelihood([given], [0])
    before, after, _ = successive(given)
    flat = found.controls(given.observations).reshape(-1, 3)
    assert np.allclose(flat, found.system.controls(before, after))


def test_cells_run_alike_and_keep_their_order():
    cell = Systems(partial(random_system, d=2), likelihood, 500)
    both, one = cell.run((0, 1)), cell.run((1,))
    for name, scores in both.scores.items():
        assert scores.trained[1] == one.scores[name].trained[0]
    assert set(both.scores) == {"mcc_pearson", "mcc_batches", "markov", "spectrum"}


CHEAP = ("markov", "motor", "exchangeable")


@pytest.mark.parametrize("name", CHEAP)
def test_claims_at_smoke(name):
    found = coset.verify(f"rajendran2024.{name}", scale="smoke", seeds=2)
    assert found.status == "supported", found.reason


def test_every_row_of_the_table_has_its_number():
    cases = CLAIMS["rajendran2024.table"].cases("small")
    held = [case for case in cases if case.role == "holds" and case.metric == "mcc_pearson"]
    assert len(held) == 45
    assert all(case.published for case in held)
