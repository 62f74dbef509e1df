"""A linear recurrence over all steps at once."""

from __future__ import annotations

import numpy as np

from ._core import Floats

FORGOTTEN = 1e-13


def recur(pushes: Floats, transition: Floats) -> Floats:
    """x_0 = push_0, x_t = A x_{t-1} + push_t, for rows (..., steps, d).

    x_t = Σ_k Aᵏ push_{t-k}: sums over 1, 2, 4, … steps, each of two of the one before, until Aᵏ
    has died away.

    Example:
        >>> recur(np.ones((3, 1)), np.array([[0.5]])).ravel()
        array([1.  , 1.5 , 1.75])
    """
    found, power, reach = pushes, transition, 1
    while reach < pushes.shape[-2] and np.abs(power).max() > FORGOTTEN:
        later = found[..., reach:, :] + found[..., :-reach, :] @ power.T
        found = np.concatenate([found[..., :reach, :], later], axis=-2)
        power, reach = power @ power, 2 * reach
    return found
