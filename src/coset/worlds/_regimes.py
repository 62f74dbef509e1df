"""Normal latents whose variances follow a hidden state, mixed linearly.

Sequences, not rows that are drawn one by one: NumPy in float64, and no `World`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._core import Floats


@dataclass(frozen=True, eq=False)
class Sequences:
    """What was drawn, sequence by sequence.

    Example:
        >>> Sequences(*np.zeros((2, 3, 10, 2)), np.zeros((3, 10), int)).latents.shape
        (3, 10, 2)
    """

    latents: Floats
    """(sequences, steps, d)."""
    observations: Floats
    """(sequences, steps, d)."""
    states: NDArray[np.int64]
    """(sequences, steps)."""


@dataclass(frozen=True, eq=False)
class Regimes:
    """x = M z, z normal with the law of a state that stays or moves on at random.

    Example:
        >>> regimes = Regimes(np.eye(2), np.zeros((3, 2)), np.ones((3, 2)), stay=0.9)
        >>> regimes.sample(np.random.default_rng(0), 1, 5).states.shape
        (1, 5)
    """

    mixing: Floats
    """M (d, d)."""
    means: Floats
    """(states, d)."""
    variances: Floats
    """(states, d)."""
    stay: float
    """Probability to stay; 1 makes the rows of a sequence exchangeable."""

    def sample(self, rng: np.random.Generator, sequences: int, steps: int) -> Sequences:
        """Sequences that start in any state.

        Example:
            >>> drawn = random_regimes(np.random.default_rng(0), 2).sample(
            ...     np.random.default_rng(1), 3, 10
            ... )
            >>> drawn.observations.shape, drawn.states.shape
            ((3, 10, 2), (3, 10))
        """
        count = len(self.means)
        moves = rng.integers(1, count, (sequences, steps)) * (
            rng.random((sequences, steps)) >= self.stay
        )
        moves[:, 0] = rng.integers(count, size=sequences)
        states = np.cumsum(moves, axis=1) % count
        normal = rng.standard_normal((sequences, steps, len(self.mixing)))
        latents = self.means[states] + np.sqrt(self.variances[states]) * normal
        return Sequences(latents, latents @ self.mixing.T, states)


def random_regimes(
    rng: np.random.Generator, d: int, *, stay: float = 0.95, proportional: bool = False
) -> Regimes:
    """Entries of M from N(0, 1), d + 1 states of mean 0 and variances |N(0, 1)| / 2.

    Args:
        rng: draws all of it.
        d: latents, and observed columns.
        stay: probability to stay in a state.
        proportional: variances of a state are those of the first times a factor instead.

    Example:
        >>> random_regimes(np.random.default_rng(0), 2).variances.shape
        (3, 2)
    """
    mixing, variances = rng.standard_normal((d, d)), np.abs(rng.standard_normal((d + 1, d))) / 2
    if proportional:
        variances = np.geomspace(1 / 16, 16, d + 1)[:, None] * variances[0]
    return Regimes(mixing, np.zeros((d + 1, d)), variances, stay)
