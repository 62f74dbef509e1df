"""Orthogonal alignment and matched correlations against SciPy and closed forms."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.linalg
import scipy.spatial

from coset._core import BadInput
from coset.metrics import mcc, procrustes


def turn(d, seed=0, determinant=1):
    q = np.linalg.qr(np.random.default_rng(seed).normal(size=(d, d)))[0]
    if np.linalg.det(q) * determinant < 0:
        q[:, 0] *= -1
    return q


def test_residual_is_that_of_scipy():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 60, 4))
    *_, disparity = scipy.spatial.procrustes(a, b)
    assert 1 - procrustes(a, b).value ** 2 == pytest.approx(disparity, abs=1e-10)
    rotation, _ = scipy.linalg.orthogonal_procrustes(a - a.mean(0), b - b.mean(0))
    np.testing.assert_allclose(procrustes(a, b).rotation, rotation, atol=1e-10)


@pytest.mark.parametrize("determinant", [1, -1])
def test_recovers_rotation_scale_and_sign(determinant):
    a = np.random.default_rng(1).normal(size=(80, 3))
    q = turn(3, determinant=determinant)
    found = procrustes(a, 2.5 * a @ q + 7)
    np.testing.assert_allclose(found.rotation, q, atol=1e-9)
    assert found.scale == pytest.approx(2.5)
    assert found.determinant == determinant
    proper = procrustes(a, 2.5 * a @ q + 7, proper=True)
    assert proper.determinant == 1
    assert (proper.value == pytest.approx(1)) == (determinant == 1)


def test_proper_is_the_best_rotation():
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(2, 50, 2))
    a, b = a - a.mean(0), b - b.mean(0)
    angles = np.linspace(0, 2 * np.pi, 20_001)
    cross = a.T @ b
    best = max(
        np.cos(t) * (cross[0, 0] + cross[1, 1]) + np.sin(t) * (cross[0, 1] - cross[1, 0])
        for t in angles
    )
    expected = best / np.linalg.norm(a) / np.linalg.norm(b)
    assert procrustes(a, b, proper=True).value == pytest.approx(expected, abs=1e-7)


def test_unequal_widths():
    a = np.random.default_rng(3).normal(size=(90, 3))
    wide = a @ turn(5)[:3]
    assert procrustes(a, wide).value == pytest.approx(1)
    assert procrustes(a, wide).determinant is None
    with pytest.raises(BadInput, match="equal widths"):
        procrustes(a, wide, proper=True)


def test_mcc_is_the_best_matching():
    rng = np.random.default_rng(4)
    a = rng.normal(size=(100, 4))
    b = rng.normal(size=(100, 4)) + a @ rng.normal(size=(4, 4))
    table = np.abs(np.corrcoef(a.T, b.T)[:4, 4:])
    best = max(table[range(4), order].mean() for order in itertools.permutations(range(4)))
    assert mcc(a, b).value == pytest.approx(best, abs=1e-12)


def test_mcc_matching_and_signs():
    a = np.random.default_rng(5).normal(size=(50, 3))
    found = mcc(a, a[:, [2, 0, 1]] * [-1, 2, -3] + 4)
    assert found.value == pytest.approx(1)
    assert found.matching.tolist() == [[0, 1], [1, 2], [2, 0]]
    assert found.signs.tolist() == [1, -1, -1]


@pytest.mark.parametrize(("d", "published"), [(1, 0.059), (5, 0.101), (20, 0.142), (50, 0.166)])
def test_chance_of_mcc_grows_with_columns(d, published):
    # similarity survey: 0.059, 0.101, 0.142, 0.166 at n = 200; spread over 100 draws below 0.05
    values = [mcc(*np.random.default_rng(s).normal(size=(2, 200, d))).value for s in range(30)]
    assert np.mean(values) == pytest.approx(published, abs=0.02)


def test_random_rotation_of_five_latents_scores_as_known():
    scores = []
    for seed in range(40):
        z = np.random.default_rng(seed).normal(size=(2000, 5))
        scores.append(mcc(z, z @ turn(5, seed)).value)
    assert np.mean(scores) == pytest.approx(0.715, abs=0.03)


def test_narrower_side_and_constant_columns():
    a = np.random.default_rng(6).normal(size=(50, 4))
    assert mcc(a, a[:, 1:3]).value == pytest.approx(1)
    with pytest.warns(UserWarning, match="0 columns of a and 1 of b are constant"):
        found = mcc(a, np.column_stack([a[:, :3], np.ones(50)]))
    assert found.value == pytest.approx(3 / 4)


def test_spearman_sees_through_monotone_changes():
    a = np.random.default_rng(7).normal(size=(200, 3))
    assert mcc(a, np.exp(3 * a), correlation="spearman").value == pytest.approx(1)
    assert mcc(a, np.exp(3 * a)).value < 0.7
    with pytest.raises(BadInput, match="'pearson' or 'spearman'"):
        mcc(a, a, correlation="kendall")
