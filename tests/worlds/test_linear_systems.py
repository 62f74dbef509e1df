"""Linear systems and regimes: step by step, and the laws that are promised."""

from __future__ import annotations

import numpy as np
import pytest

from coset._core import BadInput
from coset._recurrence import recur
from coset.worlds import dc_motor, random_regimes, random_system


@pytest.mark.parametrize("radius", [0.0, 0.5, 1.0, 1.01])
def test_recurrence_is_that_of_a_loop(rng, radius):
    transition = rng.normal(size=(3, 3))
    transition *= radius / np.abs(np.linalg.eigvals(transition)).max()
    pushes = rng.normal(size=(2, 77, 3))
    found = recur(pushes, transition)
    state = np.zeros((2, 3))
    for t in range(77):
        state = state @ transition.T + pushes[:, t]
        assert np.allclose(found[:, t], state)


def test_trajectories_follow_the_equations_step_by_step(rng):
    system = random_system(rng, 3)
    drawn = system.simulate(rng, 300)
    for controls, observations in zip(drawn.controls, drawn.observations, strict=True):
        state = np.zeros(3)
        for t, u in enumerate(controls):
            assert np.allclose(observations[t], system.output @ state)
            state = system.transition @ state + system.input @ u
    assert np.allclose(drawn.controls.mean(1), system.means, atol=0.3)
    assert np.abs(np.linalg.eigvals(system.transition)).max() == pytest.approx(0.9)


def test_noise_has_the_variance_that_is_named():
    options = {"mixed_output": False, "variability": "maximal"}
    quiet, loud = (random_system(np.random.default_rng(0), 2, noise=v, **options) for v in (0, 0.2))
    a, b = (one.simulate(np.random.default_rng(1), 5000).observations for one in (quiet, loud))
    assert np.var(b - a) == pytest.approx(0.2, rel=0.05)


@pytest.mark.parametrize(
    ("variability", "rank", "count"),
    [("random", 4, 5), ("maximal", 4, 5), ("narrow", 4, 5), ("proportional", 1, 5)],
)
def test_diversity_of_variances(variability, rank, count):
    """Rank of 1/s_e - 1/s_0 (the theorem's condition), in the variances' own units."""
    system = random_system(np.random.default_rng(0), 4, variability=variability)
    single = random_system(np.random.default_rng(0), 4, environments=1)
    assert len(single.means) == len(single.variances) == 1
    inverse = 1 / system.variances
    assert len(inverse) == count
    assert np.linalg.matrix_rank((inverse[1:] - inverse[:1]) * system.variances[0], 1e-6) == rank


def test_the_motor_is_that_of_its_equations(rng):
    """Many small steps of Euler's method under a voltage that is held."""
    motor = dc_motor(rng)
    state, voltage, small = np.array([0.3, -0.2]), 1.5, 1e-6
    exact = motor.transition @ state + motor.input[:, 0] * voltage
    for _ in range(10_000):
        current, speed = state
        slope = [(voltage - current - 0.01 * speed) / 0.5, (0.01 * current - 0.1 * speed) / 0.01]
        state = state + small * np.array(slope)
    assert np.allclose(exact, state, atol=1e-5)


def test_regimes_stay_and_move_on(rng):
    drawn = random_regimes(rng, 2, stay=0.8).sample(rng, 50, 200)
    assert np.mean(drawn.states[:, 1:] == drawn.states[:, :-1]) == pytest.approx(0.8, abs=0.02)
    assert np.allclose(np.bincount(drawn.states.ravel()) / 10_000, 1 / 3, atol=0.08)
    shared = random_regimes(rng, 2, stay=1.0).sample(rng, 50, 20)
    assert (np.ptp(shared.states, axis=1) == 0).all()
    alike = random_regimes(rng, 3, proportional=True).variances
    assert np.allclose(alike / alike[0], (alike / alike[0])[:, :1])


def test_refusals():
    with pytest.raises(BadInput, match="are possible"):
        random_system(np.random.default_rng(0), 2, variability="some")
