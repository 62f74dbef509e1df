"""Projection-weighted correlations where correlations tie: nothing arbitrary shows."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from coset.metrics import Moments, pwcca
from coset.metrics._pwcca import _mean_size

GRID = np.array(list(itertools.product(range(3), repeat=4)), dtype=float)


def shared(rng):
    """Six dimensions in common: six correlations of 1."""
    common, own_a, own_b = rng.normal(size=(3, 500, 6))
    return np.hstack([common, own_a]), np.hstack([common @ rng.normal(size=(6, 6)), own_b])


TIED = {
    "shared": shared,
    "saturated": lambda rng: (rng.normal(size=(50, 40)), rng.normal(size=(50, 30))),
    # a full grid: correlations of 1 and of 0, and more variates of 0 in b than in a
    "grid": lambda rng: (GRID[:, :2], GRID[:, [0, 2, 3]]),
}


@pytest.mark.parametrize("direction", ["a", "b", "mean"])
@pytest.mark.parametrize("name", TIED)
def test_order_shift_route_and_merging_do_not_matter(name, direction):
    rng = np.random.default_rng(0)
    a, b = TIED[name](rng)
    expected = pwcca(a, b, direction=direction)
    for _ in range(5):
        order = rng.permutation(len(a))
        parts = [Moments().update(a[i], b[i]) for i in np.array_split(order, 7)]
        for found in (
            pwcca(a[order], b[order], direction=direction),
            pwcca(a[order] + 1, b[order] - 2, direction=direction, route="exact"),
            parts[0].merge(*parts[1:]).pwcca(direction=direction),
        ):
            assert found.value == pytest.approx(expected.value, abs=1e-9)
            np.testing.assert_allclose(found.weights, expected.weights, atol=1e-9)


@pytest.mark.parametrize("direction", ["a", "b"])
def test_weights_of_ties_are_means_over_bases(direction):
    rng = np.random.default_rng(0)
    a, b = (x - x.mean(0) for x in shared(rng))
    score = pwcca(a, b, direction=direction)
    bases = [np.linalg.qr(x)[0] for x in (a, b)]
    left, _, right = np.linalg.svd(bases[0].T @ bases[1])
    side, variates = (a, bases[0] @ left) if direction == "a" else (b, bases[1] @ right.T)
    carried = np.abs(variates.T @ side).sum(1)
    turns = [np.linalg.qr(rng.normal(size=(6, 6)))[0] for _ in range(2000)]
    drawn = [np.abs((variates[:, :6] @ turn).T @ side).sum() for turn in turns]
    carried[:6] = np.mean(drawn) / 6
    # 6 standard errors of the total, so a false failure has probability 2e-9
    error = 6 * np.std(drawn) / np.sqrt(2000) / np.mean(drawn)
    np.testing.assert_allclose(score.weights, carried / carried.sum(), rtol=error)


def test_mean_size_of_an_entry_of_a_unit_vector():
    # the mean of |cos| over a circle is 2/pi; over a sphere, 1/2 (Archimedes)
    assert [_mean_size(m) for m in (1, 2, 3)] == pytest.approx([1, 2 / np.pi, 1 / 2], abs=1e-14)


def test_untied_correlations_are_weighed_one_by_one():
    rng = np.random.default_rng(0)
    a, b = shared(rng)
    near = pwcca(a + 1e-2 * rng.normal(size=a.shape), b, direction="a").weights
    assert len(np.unique(near[:6])) == 6
    assert np.ptp(pwcca(a, b, direction="a").weights[:6]) == 0
