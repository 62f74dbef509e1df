"""Which of two variables causes the other, if all is linear and nothing is normal?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import pearsonr

from .._arrays import as_pair
from .._core import BadInput, Floats
from ._definetti_pair import Structure

LOG_COSH, ODD = 79.047, 7.4129
OF_NORMAL = 0.37457
"""E log cosh of a standard normal variable, as published."""


@dataclass(frozen=True)
class Ratio:
    """What causes what, and by how much."""

    structure: Structure
    log_ratio: float
    """Of likelihoods for each row: x → y over y → x."""
    p_value: float
    """Of no correlation."""


def pairwise_lingam(x: Any, y: Any, *, level: float = 0.05) -> Ratio:
    """The structure of two variables by the ratio of two linear models' likelihoods.

    With r(y|x) the residual of regressing y on x, all standardised, the logarithm for each row is
    H(y) + H(r(x|y)) - H(x) - H(r(y|x)), H the approximate entropy
    (1 + log 2π)/2 - 79.047 (E log cosh u - 0.37457)² - 7.4129 (E u e^{-u²/2})².
    None is answered where no correlation is seen.

    Args:
        x: (n,) rows without environments.
        y: (n,) the same rows.
        level: p-values from here on count as no correlation.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> x, noise = rng.laplace(size=(2, 1000))
        >>> pairwise_lingam(x, x + noise).structure, pairwise_lingam(noise, x).structure
        ('x -> y', 'none')

    References:
        shimizu2006, hyvarinen2013
    """
    x, y = (side.ravel() for side in as_pair(np.ravel(x), np.ravel(y), ("x", "y")))
    if len(x) < 3 or not x.std() > 0 or not y.std() > 0:
        raise BadInput(f"{len(x)} rows given; at least 3 that vary on both sides are needed")
    x, y = _unit(x), _unit(y)
    correlation, p_value = pearsonr(x, y)
    slope = float(correlation)
    if p_value >= level:
        return Ratio("none", 0.0, float(p_value))
    if 1 - abs(slope) < 1e-12:
        return Ratio("x -> y", 0.0, float(p_value))
    ratio = _entropy(y) + _entropy(_unit(x - slope * y))
    ratio -= _entropy(x) + _entropy(_unit(y - slope * x))
    return Ratio("x -> y" if ratio > 0 else "y -> x", float(ratio), float(p_value))


def _entropy(unit: Floats) -> float:
    even = np.mean(np.logaddexp(unit, -unit)) - np.log(2) - OF_NORMAL
    odd = np.mean(unit * np.exp(-(unit**2) / 2))
    return float((1 + np.log(2 * np.pi)) / 2 - LOG_COSH * even**2 - ODD * odd**2)


def _unit(values: Floats) -> Floats:
    return (values - values.mean()) / values.std()
