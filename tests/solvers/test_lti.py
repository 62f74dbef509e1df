"""Linear systems: against naive likelihoods, against the truth, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.stats import multivariate_normal

from coset._core import BadInput
from coset.metrics import mcc
from coset.solvers import (
    IdentifiedSystem,
    fit_known_laws,
    identify_noisy_system,
    identify_system,
)
from coset.solvers._lti_noisy import _Bands, _Likelihood
from coset.worlds import random_system


def successive(y):
    d = y.shape[2]
    labels = np.repeat(np.arange(len(y)), y.shape[1] - 1)
    return y[:, :-1].reshape(-1, d), y[:, 1:].reshape(-1, d), labels


def drawn(seed, d, steps, **options):
    system = random_system(np.random.default_rng(seed), d, **options)
    return system, system.simulate(np.random.default_rng([seed, 1]), steps)


def log_likelihood(before, after, labels, transition, mixing, means, variances):
    """One environment after another, by the density of its innovations."""
    total = 0.0
    for e in range(len(means)):
        left = (after - before @ transition.T)[labels == e]
        law = multivariate_normal(mixing @ means[e], mixing @ np.diag(variances[e]) @ mixing.T)
        total += law.logpdf(left).sum()
    return total


def test_no_system_near_is_likelier(rng):
    _, one = drawn(0, 3, 400)
    given = successive(one.observations)
    found = identify_system(*given)
    best = log_likelihood(*given, found.transition, found.mixing, found.means, found.variances)
    for _ in range(50):
        shake = [1e-3 * rng.normal(size=part.shape) for part in (found.transition, found.mixing)]
        moved = log_likelihood(
            *given, found.transition + shake[0], found.mixing + shake[1] @ found.mixing,
            found.means * (1 + 1e-3 * rng.normal(size=found.means.shape)),
            found.variances * (1 + 1e-3 * rng.normal(size=found.variances.shape)),
        )  # fmt: skip
        assert moved < best


@pytest.mark.parametrize("means", [True, False])
@pytest.mark.parametrize("d", [2, 5, 10])
def test_controls_dynamics_and_laws_are_found(d, means):
    system, one = drawn(1, d, 6000, means=means)
    before, after, labels = successive(one.observations)
    found = identify_system(before, after, labels)
    controls = one.controls.reshape(-1, d)
    matched = mcc(controls, found.controls(before, after))
    assert float(matched) > 0.999
    ours = matched.matching[:, 1]
    true = np.linalg.inv(system.output)
    assert np.allclose(np.linalg.inv(found.mixing), found.unmixing, atol=1e-6)
    scale = (found.unmixing @ system.output @ system.input)[ours, range(d)]
    assert np.allclose(found.variances[:, ours] / scale**2, system.variances, rtol=0.15)
    assert np.allclose(found.means[:, ours] / scale, system.means, atol=0.2)
    wanted = system.output @ system.transition @ true
    gap = found.unmixing @ (found.transition - wanted) @ before.T
    assert gap.std() < 0.05
    assert np.allclose(found.markov(3)[2], found.transition @ found.transition @ found.mixing)


def test_predicted_errors_are_those_found():
    system, one = drawn(2, 5, 6000)
    found = identify_system(*successive(one.observations))
    scale = np.sqrt(system.variances.mean(0))
    leak = found.unmixing @ system.output @ system.input * scale
    leak = leak[:, np.abs(leak).argmax(1)]
    off = ~np.eye(5, dtype=bool)
    assert 0.5 < np.sqrt(np.mean((leak[off] / found.errors[off]) ** 2)) < 1.6


def test_fewer_controls_than_columns(rng):
    push, transition = np.array([[1.0], [0.5]]), np.array([[0.8, 0.2], [-0.3, 0.7]])
    u = rng.normal(size=(3, 2000, 1)) * np.array([0.5, 1.0, 2.0])[:, None, None]
    y = np.zeros((3, 2001, 2))
    for t in range(2000):
        y[:, t + 1] = y[:, t] @ transition.T + u[:, t] @ push.T
    before, after, labels = successive(y)
    found = identify_system(before, after, labels, controls=1)
    assert found.mixing.shape == (2, 1)
    assert float(mcc(u.reshape(-1, 1), found.controls(before, after))) > 0.999


def test_units_do_not_matter():
    _, one = drawn(3, 3, 1000)
    y = one.observations
    units = np.array([1e-6, 1.0, 1e6])
    a, b = (identify_system(*successive(rows)) for rows in (y, y * units))
    pair = successive(y)[:2]
    assert float(mcc(a.controls(*pair), b.controls(*(rows * units for rows in pair)))) > 1 - 1e-9


def test_known_laws_without_determinant_is_a_regression(rng):
    """By loops over rows; and the zero map where means are 0."""
    system, one = drawn(4, 2, 200)
    before, after, labels = successive(one.observations)
    found = fit_known_laws(before, after, labels, system.means, system.variances, log_det=False)
    z = np.hstack([before, after])
    for i in range(2):
        weights = 1 / np.sqrt(system.variances[labels, i])
        row = np.linalg.lstsq(z * weights[:, None], system.means[labels, i] * weights)[0]
        assert np.allclose(found.map[i], row)
    loss = np.mean(
        [
            ((found.map @ row - system.means[e]) ** 2 / system.variances[e]).sum() / 2
            for row, e in zip(z, labels, strict=True)
        ]
    )
    assert found.value == pytest.approx(loss)
    none = fit_known_laws(before, after, labels, 0 * system.means, system.variances, log_det=False)
    assert not none.map.any()


@pytest.mark.parametrize("means", [True, False])
def test_known_laws_name_the_controls(means):
    """Order, scale and (with means) sign come from the laws."""
    system, one = drawn(5, 3, 5000, means=means)
    before, after, labels = successive(one.observations)
    found = fit_known_laws(before, after, labels, system.means, system.variances)
    assert found.converged
    signs = (
        np.ones(3)
        if means
        else np.sign(np.diagonal(found.map[:, 3:] @ system.output @ system.input))
    )
    assert np.allclose(found.map[:, 3:] @ system.output @ system.input, np.diag(signs), atol=0.05)


@pytest.mark.parametrize("common", [False, True])
def test_slope_of_the_likelihood_with_noise(rng, common):
    _, one = drawn(6, 2, 1000, noise=0.1)
    y = one.observations
    likelihood = _Likelihood(_Bands.of(y), identify_system(*successive(y)), common)
    x = likelihood.starts()[1] + 0.05 * rng.normal(size=len(likelihood.starts()[1]))
    gap = check_grad(lambda x: likelihood(x)[0], lambda x: likelihood(x)[1], x)
    assert gap < 1e-5


def test_noise_is_told_from_controls():
    _, one = drawn(7, 2, 8000, noise=0.1)
    found = identify_noisy_system(one.observations)
    assert found.converged
    assert np.allclose(found.noise, 0.1, rtol=0.3)
    controls = found.controls(one.observations).reshape(-1, 2)
    before, after, labels = successive(one.observations)
    deaf = identify_system(before, after, labels).controls(before, after)
    wanted = one.controls.reshape(-1, 2)
    assert float(mcc(wanted, controls)) > float(mcc(wanted, deaf)) + 0.02


def test_refusals():
    rows, labels = np.random.default_rng(0).normal(size=(40, 2)), np.repeat([0, 1], 20)
    for given, says in [
        ((rows, rows[:, :1], labels), "same columns"),
        ((rows, rows, np.arange(40)), "an environment has 1 rows"),
        ((rows, rows, labels[:3]), "40 rows and environments has 3"),
    ]:
        with pytest.raises(BadInput, match=says):
            identify_system(*given)
    with pytest.raises(BadInput, match="from 1 to 2"):
        identify_system(rows, rows[::-1], labels, controls=3)
    with pytest.raises(BadInput, match="environments, steps, d"):
        identify_noisy_system(rows)
    with pytest.raises(BadInput, match="variance is not positive"):
        fit_known_laws(rows, rows[::-1], labels, np.zeros((2, 2)), np.zeros((2, 2)))
    with pytest.raises(BadInput, match="a row for each"):
        fit_known_laws(rows, rows[::-1], labels, np.zeros((1, 2)), np.ones((1, 2)))
    with pytest.raises(BadInput, match="one of each"):
        identify_noisy_system(np.stack([rows, rows[::-1]])).controls(rows[None])


def test_result_is_frozen():
    found = identify_system(*successive(drawn(8, 2, 100)[1].observations))
    assert isinstance(found, IdentifiedSystem)
    with pytest.raises(AttributeError):
        found.sweeps = 0
