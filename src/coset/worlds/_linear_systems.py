"""Linear dynamics driven by normal controls, in environments that differ in their law.

Trajectories, not rows that are drawn one by one: NumPy in float64, and no `World`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.linalg import expm

from .._core import BadInput, Floats
from .._recurrence import recur

RADIUS = 0.9
"""Of the spectrum of a random transition."""
Variability = Literal["random", "maximal", "narrow", "proportional"]


@dataclass(frozen=True, eq=False)
class Trajectories:
    """One trajectory of each environment; the controls of step t lead to the observation t + 1.

    Example:
        >>> Trajectories(np.zeros((3, 100, 2)), np.zeros((3, 101, 2))).controls.shape
        (3, 100, 2)
    """

    controls: Floats
    """(environments, steps, k)."""
    observations: Floats
    """(environments, steps + 1, d)."""


@dataclass(frozen=True, eq=False)
class LinearSystem:
    """x_{t+1} = A x_t + B u_t, y_t = C x_t + noise, x_0 = 0, u_t normal with independent parts.

    Example:
        >>> LinearSystem(*np.full((5, 1, 1), 0.5)).markov(2).ravel().tolist()
        [0.25, 0.125]
    """

    transition: Floats
    """A (d, d)."""
    input: Floats
    """B (d, k)."""
    output: Floats
    """C (d, d)."""
    means: Floats
    """(environments, k), of the controls."""
    variances: Floats
    """(environments, k), of the controls."""
    noise: float = 0.0
    """Variance of the white noise of each observed column."""

    def simulate(self, rng: np.random.Generator, steps: int) -> Trajectories:
        """A trajectory of each environment.

        Example:
            >>> system = random_system(np.random.default_rng(0), 2)
            >>> found = system.simulate(np.random.default_rng(1), 100)
            >>> found.controls.shape, found.observations.shape
            ((3, 100, 2), (3, 101, 2))
        """
        shape = (len(self.means), steps, self.means.shape[1])
        spread = np.sqrt(self.variances)[:, None]
        controls = self.means[:, None] + spread * rng.standard_normal(shape)
        states = np.zeros((shape[0], steps + 1, len(self.transition)))
        states[:, 1:] = recur(controls @ self.input.T, self.transition)
        observations = states @ self.output.T
        if self.noise:
            observations += np.sqrt(self.noise) * rng.standard_normal(observations.shape)
        return Trajectories(controls, observations)

    def markov(self, count: int) -> Floats:
        """C Aᵏ B for k = 0, 1, … (count, d, k)."""
        found = [self.input]
        for _ in range(count - 1):
            found.append(self.transition @ found[-1])
        return np.stack([self.output @ one for one in found])


def random_system(
    rng: np.random.Generator,
    d: int,
    *,
    mixed_input: bool = True,
    mixed_output: bool = True,
    means: bool = True,
    environments: int | None = None,
    variability: Variability = "random",
    noise: float = 0.0,
) -> LinearSystem:
    """Entries of A, B and C from N(0, 1), A scaled to spectral radius 0.9.

    Such a system is controllable and observable with probability 1.

    Args:
        rng: draws all of it.
        d: states, controls and observed columns.
        mixed_input: B is random, else the identity.
        mixed_output: C is random, else the identity.
        means: those of the controls are from N(0, 1), else 0.
        environments: how many, d + 1 where None.
        variability: "random" variances |N(0, 1)| / 2; "maximal": 10⁻⁴, and 1 for one control in
            each environment but the first; "narrow": between 0.9 and 1.1; "proportional": random
            ones of the first environment times a factor of each.
        noise: variance of that of the observations.

    Example:
        >>> random_system(np.random.default_rng(0), 2).variances.shape
        (3, 2)

    References:
        rajendran2024
    """
    a = rng.standard_normal((d, d))
    a *= RADIUS / np.abs(np.linalg.eigvals(a)).max()
    b, c = rng.standard_normal((2, d, d))
    variances = _variances(rng, d, environments or d + 1, variability)
    centres = rng.standard_normal(variances.shape)
    return LinearSystem(
        transition=a,
        input=b if mixed_input else np.eye(d),
        output=c if mixed_output else np.eye(d),
        means=centres if means else np.zeros_like(centres),
        variances=variances,
        noise=noise,
    )


def dc_motor(
    rng: np.random.Generator, *, environments: int = 3, step: float = 0.01
) -> LinearSystem:
    """Current and speed of a motor driven by one voltage, which a zero-order hold keeps for a step.

    Resistance 1, inductance 0.5, motor constant 0.01, inertia 0.01, damping 0.1. Mean and variance
    of the voltage are drawn as in `random_system`.

    Example:
        >>> dc_motor(np.random.default_rng(0)).transition.shape
        (2, 2)

    References:
        rajendran2024
    """
    resistance, inductance, constant, inertia, damping = 1.0, 0.5, 0.01, 0.01, 0.1
    continuous = np.zeros((3, 3))
    continuous[0] = [-resistance / inductance, -constant / inductance, 1 / inductance]
    continuous[1, :2] = [constant / inertia, -damping / inertia]
    held = expm(continuous * step)
    return LinearSystem(
        transition=held[:2, :2],
        input=held[:2, 2:],
        output=np.eye(2),
        means=rng.standard_normal((environments, 1)),
        variances=np.abs(rng.standard_normal((environments, 1))) / 2,
    )


def _variances(
    rng: np.random.Generator, d: int, environments: int, variability: Variability
) -> Floats:
    """Of every environment and control."""
    random = np.abs(rng.standard_normal((environments, d))) / 2
    if variability == "random":
        return random
    if variability == "maximal":
        return np.eye(environments, d, -1) * (1 - 1e-4) + 1e-4
    if variability == "narrow":
        return rng.uniform(0.9, 1.1, random.shape)
    if variability == "proportional":
        return np.linspace(0.5, 2.0, environments)[:, None] * random[0]
    raise BadInput(
        f"variability={variability!r}; random, maximal, narrow and proportional are possible"
    )
