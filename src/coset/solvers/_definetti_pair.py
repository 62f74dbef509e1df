"""Which of two variables causes the other? Read off how they vary between environments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from .._arrays import as_matrix, refuse_unequal
from .._core import BadInput, Floats
from ._kernel_test import kernel_test

Structure = Literal["x -> y", "y -> x", "none"]
STRUCTURES: tuple[Structure, ...] = ("x -> y", "y -> x", "none")


@dataclass(frozen=True)
class Direction:
    """What causes what, and the tests that said so."""

    structure: Structure
    decided: bool
    """The tests agree on one structure; otherwise the largest p-value decided."""
    p_values: tuple[float, float, float]
    """Of x₁ ⊥ y₂ | x₂, of y₁ ⊥ x₂ | y₂, and of x₁ ⊥ y₁."""


def definetti_pair(x: Any, y: Any, *, level: float = 0.05) -> Direction:
    """The structure of two variables from two samples in each of many environments.

    Within an environment samples are independent given its parameters, which nobody sees; those of
    a cause and of its mechanism vary independently. Then the second sample of the effect says
    something of the first sample of the cause only through the second sample of the cause:

    - x → y: x₁ ⊥ y₂ | x₂, and neither y₁ ⊥ x₂ | y₂ nor x₁ ⊥ y₁;
    - y → x: y₁ ⊥ x₂ | y₂, and neither x₁ ⊥ y₂ | x₂ nor x₁ ⊥ y₁;
    - none: all three.

    Where the tests agree on none of these, the largest of the three p-values names the structure
    that begins with it.

    Args:
        x: (environments, 2), two samples of each.
        y: (environments, 2), the same samples.
        level: p-values from here on count as independence.

    Example:
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> cause, mechanism = rng.uniform(-3, 3, (2, 400, 1))
        >>> x = cause + rng.laplace(size=(400, 2))
        >>> found = definetti_pair(x, x + mechanism + rng.laplace(size=(400, 2)))
        >>> found.structure, found.decided
        ('x -> y', True)

    References:
        guo2023
    """
    x, y = _two_samples(x, "x"), _two_samples(y, "y")
    refuse_unequal(len(x), len(y), ("x", "y"))
    if not 0 < level < 1:
        raise BadInput(f"level={level}; a probability between 0 and 1 is needed")
    p_values = (
        kernel_test(x[:, 0], y[:, 1], x[:, 1]).p_value,
        kernel_test(y[:, 0], x[:, 1], y[:, 1]).p_value,
        kernel_test(x[:, 0], y[:, 0]).p_value,
    )
    return decide(p_values, level)


def decide(p_values: tuple[float, float, float], level: float) -> Direction:
    """The structure that the three tests agree on, or else the one of the largest p-value."""
    patterns = ((True, False, False), (False, True, False), (True, True, True))
    pattern = tuple(p >= level for p in p_values)
    if pattern in patterns:
        return Direction(STRUCTURES[patterns.index(pattern)], decided=True, p_values=p_values)
    largest = max(range(3), key=lambda k: p_values[k])
    return Direction(STRUCTURES[largest], decided=False, p_values=p_values)


def _two_samples(values: Any, name: str) -> Floats:
    rows = as_matrix(values, name)
    if rows.shape[1] != 2:
        raise BadInput(
            f"{name} has shape {rows.shape}; two samples of each environment are needed "
            f"(environments, 2): keep two columns"
        )
    return rows
