"""Canonical correlations against closed forms, theory and peers."""

from __future__ import annotations

import numpy as np
import pytest

from coset._core import BadInput
from coset.metrics import cca, pwcca, svcca

ROUTES = pytest.mark.parametrize("route", ["gram", "exact"])


def pair(n=400, p=6, q=4, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(n, p))
    return a, a @ rng.normal(size=(p, q)) + 2 * rng.normal(size=(n, q))


def by_definition(a, b):
    """Singular values of the product of orthonormal bases, ranks cut at 1e-12."""
    bases = []
    for x in (a, b):
        u, s, _ = np.linalg.svd(x - x.mean(0), full_matrices=False)
        bases.append(u[:, s > s[0] * 1e-12])
    return np.linalg.svd(bases[0].T @ bases[1], compute_uv=False)


@ROUTES
def test_correlations_by_definition(route):
    a, b = pair()
    score = cca(a, b, route=route)
    np.testing.assert_allclose(score.correlations, by_definition(a, b), atol=1e-10)
    assert score.ranks == (6, 4)
    assert not score.saturated
    assert score.route == route


def test_agrees_with_statsmodels():
    from statsmodels.multivariate.cancorr import CanCorr

    a, b = pair()
    np.testing.assert_allclose(cca(a, b).correlations, CanCorr(b, a).cancorr, atol=1e-9)


@ROUTES
def test_known_population_correlations(route):
    # b_i = r_i a_i + sqrt(1 - r_i^2) e: sampling error of each is below 4 / sqrt(n)
    rng = np.random.default_rng(1)
    r = np.array([0.9, 0.6, 0.3])
    a = rng.normal(size=(100_000, 3))
    b = r * a + np.sqrt(1 - r**2) * rng.normal(size=a.shape)
    np.testing.assert_allclose(cca(a, b, route=route).correlations, r, atol=4 / np.sqrt(100_000))


@ROUTES
@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_column_scales(route, scale):
    a, b = pair()
    a[:, ::2] *= scale
    np.testing.assert_allclose(
        cca(a, b, route=route).correlations, by_definition(*pair()), atol=1e-9
    )


@ROUTES
def test_deficient_rank(route):
    a, b = pair()
    wide = np.column_stack([a, a[:, 0], a[:, 1] + a[:, 2], np.full(len(a), 3.3)])
    score = cca(wide, b, route=route)
    np.testing.assert_allclose(score.correlations, by_definition(a, b), atol=1e-9)
    assert score.ranks == (6, 4)


@pytest.mark.parametrize("condition", [1e6, 1e8, 1e10])
def test_ill_conditioned_data_take_the_exact_route(condition):
    rng = np.random.default_rng(0)
    u, v = (np.linalg.qr(rng.normal(size=(4, 4)))[0] for _ in range(2))
    a = rng.normal(size=(1000, 4)) @ (u * np.geomspace(1, 1 / condition, 4)) @ v
    score = cca(a, a @ rng.normal(size=(4, 4)))
    assert score.route == "exact"
    assert score.ranks == (4, 4)
    np.testing.assert_allclose(score.correlations, 1, atol=1e-5)


def test_large_mean():
    a, b = pair()
    np.testing.assert_allclose(cca(a + 1e7, b - 1e7).correlations, by_definition(a, b), atol=1e-7)


@ROUTES
@pytest.mark.parametrize(("n", "p", "q", "ones"), [(50, 40, 30, 21), (50, 80, 90, 49)])
def test_saturation_is_counted_and_said(route, n, p, q, ones):
    # p + q - (n - 1) correlations are 1 whatever the data, although n exceeds p and q
    rng = np.random.default_rng(0)
    score = cca(rng.normal(size=(n, p)), rng.normal(size=(n, q)), route=route)
    assert score.saturated
    assert (score.correlations > 1 - 1e-7).sum() == ones


def test_chance_level_follows_theory():
    # mean rho^2 = max(p, q) / (n - 1); largest at Wachter's edge
    rng = np.random.default_rng(0)
    n, p, q = 2000, 200, 100
    rho = cca(rng.normal(size=(n, p)), rng.normal(size=(n, q))).correlations
    assert np.mean(rho**2) == pytest.approx(p / (n - 1), rel=0.02)
    x, y = p / n, q / n
    edge = np.sqrt(x * (1 - y)) + np.sqrt(y * (1 - x))
    assert rho[0] == pytest.approx(edge, abs=0.02)


@ROUTES
def test_constant_side_is_refused(route):
    a, _ = pair()
    with pytest.raises(BadInput, match="constant"):
        cca(np.ones((400, 2)), a, route=route)


@ROUTES
def test_svcca_by_definition(route):
    a, b = pair()
    a = a * np.geomspace(1, 30, 6)
    score = svcca(a, b, variance=0.95, route=route)
    cut = []
    for x in (a, b):
        u, s, _ = np.linalg.svd(x - x.mean(0), full_matrices=False)
        keep = int(np.argmax(np.cumsum(s**2) / (s**2).sum() >= 0.95)) + 1
        cut.append(u[:, :keep] * s[:keep])
    assert score.kept == (cut[0].shape[1], cut[1].shape[1])
    np.testing.assert_allclose(score.correlations, by_definition(*cut), atol=1e-9)


def test_svcca_components():
    a, b = pair()
    assert svcca(a, b, components=2).kept == (2, 2)
    assert svcca(a, b, components=99).kept == (6, 4)
    assert svcca(a, b, variance=1.0).kept == (6, 4)
    for bad in ({"components": 0}, {"variance": 0.0}, {"variance": 1.5}):
        with pytest.raises(BadInput):
            svcca(a, b, **bad)


@ROUTES
@pytest.mark.parametrize("direction", ["a", "b"])
def test_pwcca_by_definition(route, direction):
    a, b = pair(p=5, q=8)
    a = a * np.geomspace(1, 9, 5) + 100
    x, y = a - a.mean(0), b - b.mean(0)
    ux, uy = (np.linalg.svd(side, full_matrices=False)[0] for side in (x, y))
    left, rho, right = np.linalg.svd(ux.T @ uy, full_matrices=False)
    variates, side = (ux @ left, x) if direction == "a" else (uy @ right.T, y)
    weights = np.abs(variates.T @ side).sum(1)
    score = pwcca(a, b, direction=direction, route=route)
    assert score.value == pytest.approx(weights @ rho / weights.sum(), abs=1e-10)
    np.testing.assert_allclose(score.weights, weights / weights.sum(), atol=1e-10)


def test_pwcca_mean_is_the_mean_and_directions_are_named():
    a, b = pair()
    both = pwcca(a, b, direction="a").value + pwcca(a, b, direction="b").value
    assert pwcca(a, b).value == pytest.approx(both / 2)
    with pytest.raises(BadInput, match="'a', 'b' or 'mean'"):
        pwcca(a, b, direction="left")


def test_float32_rounding_is_no_direction():
    # a column that is the sum of two others, up to float32 rounding, adds no rank
    a, b = pair()
    single = np.column_stack([a, a[:, 0] + a[:, 1]]).astype(np.float32)
    for route in ("gram", "exact"):
        assert cca(single, b.astype(np.float32), route=route).ranks == (6, 4)
