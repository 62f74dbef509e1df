"""The contrast of column lengths and volume: closed forms, a naive loop, invariance."""

from __future__ import annotations

import numpy as np
import pytest

from coset._core import BadInput
from coset.metrics import ima_contrast


def turn(rng, d):
    return np.linalg.qr(rng.normal(size=(d, d)))[0]


def naive(jacobian):
    square = jacobian.T @ jacobian
    return 0.5 * (np.log(np.diag(square)).sum() - np.linalg.slogdet(square)[1])


def test_orthogonal_columns_score_0_at_any_length():
    rng = np.random.default_rng(0)
    stack = [turn(rng, 4) * rng.uniform(0.1, 10, 4) for _ in range(20)]
    found = ima_contrast(stack)
    np.testing.assert_allclose(found.pointwise, 0, atol=1e-12)
    assert found.value >= 0


def test_hadamards_inequality_of_a_plane():
    for angle in (0.1, 1.0, np.pi / 2):
        columns = np.array([[1.0, 3 * np.cos(angle)], [0.0, 3 * np.sin(angle)]])
        assert ima_contrast(columns).value == pytest.approx(-np.log(np.sin(angle)), abs=1e-12)


def test_is_the_formula_and_averages_points_not_jacobians():
    rng = np.random.default_rng(0)
    stack = rng.normal(size=(30, 5, 3))
    found = ima_contrast(stack)
    np.testing.assert_allclose(found.pointwise, [naive(one) for one in stack], rtol=1e-10)
    assert found.value == pytest.approx(np.mean([naive(one) for one in stack]))
    assert found.of_mean == pytest.approx(naive(stack.mean(0)))
    turns = np.stack([turn(rng, 3) for _ in range(9)])
    assert ima_contrast(turns).value < 1e-12 < ima_contrast(turns).of_mean


def test_unchanged_by_order_and_units_of_latents_and_by_rotated_observations():
    rng = np.random.default_rng(0)
    stack = rng.normal(size=(10, 4, 4))
    before = ima_contrast(stack).pointwise
    for after in (stack[:, :, [2, 0, 3, 1]], stack * [1e-9, 1, -5, 1e9], turn(rng, 4) @ stack):
        np.testing.assert_allclose(ima_contrast(after).pointwise, before, rtol=1e-9)
    assert not np.allclose(ima_contrast(stack @ turn(rng, 4)).pointwise, before)


def test_dependent_columns_are_infinite():
    assert ima_contrast([[1.0, 0.0], [1.0, 0.0]]).value == np.inf


@pytest.mark.parametrize("shape", [(3,), (0, 2, 2), (4, 2, 3), (1, 2, 2, 2)])
def test_shapes_are_refused(shape):
    with pytest.raises(BadInput, match="shape"):
        ima_contrast(np.ones(shape))


def test_nan_is_refused():
    with pytest.raises(BadInput, match="NaN"):
        ima_contrast([[np.nan, 0.0], [0.0, 1.0]])
