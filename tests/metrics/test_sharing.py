"""Batches of rows that share a latent: fitted and scored on separate halves."""

from __future__ import annotations

import numpy as np
import pytest

from coset._core import BadInput
from coset.metrics import beta_vae, factor_vae, score
from coset.metrics._sharing import Sharing, halves

METRICS = pytest.mark.parametrize("metric", [beta_vae, factor_vae])


@METRICS
@pytest.mark.parametrize(
    ("n", "k", "margin"), [(50, 10, 0.1), (100, 20, 0.1), (400, 40, 0.05), (1000, 40, 0.05)]
)
def test_noise_scores_at_chance(metric, n, k, margin):
    # A single score deviates by at most 0.105 (n = 50, 100) or 0.058 (n = 400, 1000) over 300
    # seeds, so the mean of 40 by 0.017 or 0.009: a margin of 5.4 deviations, failing 7 in 1e8.
    # Drawn from the same rows, the means of beta_vae were 0.67, 0.68, 0.49 and 0.38.
    found = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        z, c = rng.normal(size=(n, 3)), rng.normal(size=(n, k))
        found.append(metric(z, c, batches=100, seed=seed))
    assert found[0].chance == pytest.approx(1 / 3)
    assert np.mean([x.value for x in found]) == pytest.approx(1 / 3, abs=margin)


@METRICS
@pytest.mark.parametrize("n", [50, 200])
def test_few_rows_of_perfect_codes_still_score_high(metric, n):
    # at worst (factor_vae, n = 50) 0.984, deviation 0.038 over 40 other seeds: 0.9 is seven
    # deviations of the mean of ten away
    found = []
    for seed in range(10):
        z = np.random.default_rng(seed).uniform(-1, 1, size=(n, 3))
        found.append(metric(z, z[:, ::-1] * [1, -3, 10], batches=300, seed=seed).value)
    assert np.mean(found) > 0.9


def test_halves_have_no_row_in_common():
    rng = np.random.default_rng(0)
    z = np.column_stack([rng.normal(size=101), rng.integers(0, 4, 101)])
    fitted, held_out = halves(z, np.array([False, True]), 20, rng)
    seen = [
        set(np.concatenate([np.concatenate(s.pairs(2000, rng)) for s in side]))
        | set(np.concatenate([s.batch(20, rng) for s in side for _ in range(200)]))
        for side in (fitted, held_out)
    ]
    assert not seen[0] & seen[1]
    assert len(seen[0] | seen[1]) == 101


def test_shared_rows_are_among_those_that_were_named():
    labels = np.array([0, 2, 1, 0, 1, 1, 2, 0, 3, 0])
    sharing = Sharing(labels, np.array([0, 3, 4, 5, 6, 8, 9]))
    rng = np.random.default_rng(0)
    first, second = sharing.pairs(500, rng)
    assert (labels[first] == labels[second]).all()
    assert (first != second).all()
    assert set(first) == set(second) == {0, 3, 4, 5, 9}
    for _ in range(20):
        rows = sharing.batch(10, rng)
        assert len(set(labels[rows])) == 1
        assert set(rows) <= {0, 3, 4, 5, 9}


@METRICS
def test_too_few_rows_for_two_halves_are_refused(metric):
    z = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    # a half is two rows, which cannot share both latents
    with pytest.raises(BadInput, match=r"in a half of 2 rows.*give more rows") as refused:
        metric(z, z, discrete=True)
    assert "\n" not in str(refused.value)
    assert "half of 2 rows" in score(z * 1.5, z).notes[metric.__name__]
