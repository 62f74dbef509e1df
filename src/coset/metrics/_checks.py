"""Counts, seeds and values that are too small: what is refused, in a sentence."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from .._core import BadInput, Floats

FAINT = 1e-145
"""Below it a square keeps no digits to spare: 1e-290 times rounding is where floats end."""
TOO_SMALL = "values are too small to be squared; multiply the columns first"


def whole_number(value: Any, name: str, least: int = 0) -> int:
    """A count or a seed as an int; refused unless it is whole and at least `least`.

    Example:
        >>> whole_number(np.int64(3), "folds", 2)
        3
    """
    try:
        number = index(value)
    except TypeError:
        number = least - 1
    if number < least or isinstance(value, bool | np.bool_):
        raise BadInput(f"{name}={value!r}; a whole number of at least {least} is needed")
    return number


def generator(seed: Any) -> np.random.Generator:
    """The random numbers of a seed."""
    return np.random.default_rng(whole_number(seed, "seed"))


def refuse_faint(*sides: Floats) -> None:
    """Refuse rows that vary, but by so little in every column that squares of it vanish."""
    for x in sides:
        if 0 < np.ptp(x, axis=0).max() < FAINT:
            raise BadInput(TOO_SMALL)
