"""What a score is worth by chance: permutation nulls for one pair, and for the best of many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arrays import as_matrix, as_pair, refuse_unequal
from .._core import BadInput, Floats, Score
from ._checks import generator, whole_number

Metric = Callable[[Any, Any], Any]
"""Two arrays → anything that `float()` takes; higher means more alike."""


@dataclass(frozen=True, eq=False, repr=False)
class Chance(Score):
    """The mean of the null, and where the observed score stands in it."""

    observed: float
    p_value: float
    """(1 + #{null >= observed}) / (permutations + 1); never zero."""
    threshold: float
    """Observed scores above it, and only those, have p_value <= alpha."""
    calibrated: float
    """(observed - threshold) / (maximum - threshold), 0 where that is negative."""
    null: Floats


@dataclass(frozen=True, eq=False, repr=False)
class LayerChance(Chance):
    """The same for the largest score over all pairs of layers."""

    best: tuple[int, int]
    """Which pair that is: (layer of a, layer of b)."""
    scores: Floats
    """Observed, (layers of a, layers of b)."""
    p_values: Floats
    """Per pair, adjusted: against the null of the largest."""


def chance(
    metric: Metric,
    a: Any,
    b: Any,
    *,
    permutations: int = 200,
    seed: int = 0,
    alpha: float = 0.05,
    maximum: float = 1.0,
) -> Chance:
    """Score `metric` again with the rows of b shuffled, which breaks the pairing and nothing else.

    If a and b are independent, p_value <= alpha with probability at most alpha, exactly, whatever
    the metric, the widths and the number of rows. threshold is the j-th largest of the null,
    j = floor(alpha (permutations + 1)).

    Args:
        metric: (a, b) → a number, higher the more alike.
        a: rows of observations (n, p).
        b: rows of observations (n, q), row i of the same thing as row i of a.
        permutations: draws of the null, at least 1 / alpha - 1.
        seed: of the shuffles.
        alpha: level of the threshold.
        maximum: what the metric gives for the same code, for `calibrated`.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> a = rng.standard_normal((60, 1))
        >>> correlation = lambda a, b: np.corrcoef(a[:, 0], b[:, 0])[0, 1] ** 2
        >>> chance(correlation, a, a + rng.standard_normal((60, 1))).p_value
        0.004975

    References:
        phipson2010, groger2026
    """
    a, b = as_pair(a, b)
    scores, null = _scores_and_null(metric, [a], [b], permutations, seed, alpha)
    return Chance(*_standing(float(scores[0, 0]), null, alpha, maximum), null=null)


def chance_layers(
    metric: Metric,
    layers_a: Sequence[Any],
    layers_b: Sequence[Any],
    *,
    permutations: int = 200,
    seed: int = 0,
    alpha: float = 0.05,
    maximum: float = 1.0,
) -> LayerChance:
    """The best of many pairs of layers, against the best of as many pairs by chance.

    Each draw shuffles the rows of all layers of b by one permutation and keeps the largest score,
    so the dependence between layers is kept, and the choice of the best pair is paid for: if the
    codes are independent, any of `p_values` is at most alpha with probability at most alpha.

    Args:
        metric: (a, b) → a number, higher the more alike; comparable across layers.
        layers_a: codes of the same n rows, each (n, p_i).
        layers_b: codes of the same n rows, each (n, q_j).
        permutations: draws of the null, at least 1 / alpha - 1.
        seed: of the shuffles.
        alpha: level of the threshold.
        maximum: what the metric gives for the same code, for `calibrated`.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> a, b = rng.standard_normal((2, 60, 1))
        >>> correlation = lambda a, b: np.corrcoef(a[:, 0], b[:, 0])[0, 1] ** 2
        >>> score = chance_layers(correlation, [a, a**3], [b, b + a], permutations=99)
        >>> score.best, score.p_values[0]
        ((0, 1), array([0.65, 0.01]))

    References:
        groger2026, westfall1993
    """
    rows_a = [as_matrix(x, f"layers_a[{i}]") for i, x in enumerate(layers_a)]
    rows_b = [as_matrix(x, f"layers_b[{i}]") for i, x in enumerate(layers_b)]
    if not rows_a or not rows_b:
        raise BadInput("each side needs at least one layer")
    for side, rows in (("layers_a", rows_a), ("layers_b", rows_b)):
        for i, x in enumerate(rows):
            refuse_unequal(len(rows_a[0]), len(x), ("layers_a[0]", f"{side}[{i}]"))
    scores, null = _scores_and_null(metric, rows_a, rows_b, permutations, seed, alpha)
    best = np.unravel_index(int(scores.argmax()), scores.shape)
    return LayerChance(
        *_standing(float(scores.max()), null, alpha, maximum),
        null=null,
        best=(int(best[0]), int(best[1])),
        scores=scores,
        p_values=_p_values(scores, null),
    )


def _scores_and_null(
    metric: Metric,
    layers_a: list[Floats],
    layers_b: list[Floats],
    permutations: int,
    seed: int,
    alpha: float,
) -> tuple[Floats, Floats]:
    permutations, rng = whole_number(permutations, "permutations", 1), generator(seed)
    if not 0 < alpha < 1 or _rank(alpha, permutations) < 1:
        raise BadInput(
            f"{permutations} permutations cannot reach alpha={alpha}: at least 1 / alpha - 1 are "
            f"needed, and alpha between 0 and 1"
        )
    n = len(layers_a[0])
    null = np.empty(permutations)
    for draw in range(permutations):
        order = rng.permutation(n)
        null[draw] = _table(metric, layers_a, [b[order] for b in layers_b]).max()
    return _table(metric, layers_a, layers_b), null


def _table(metric: Metric, layers_a: list[Floats], layers_b: list[Floats]) -> Floats:
    table = np.array([[float(metric(a, b)) for b in layers_b] for a in layers_a])
    if np.isnan(table).any():
        raise BadInput("the metric gave NaN: a null of such scores would mean nothing")
    return table


def _rank(alpha: float, permutations: int) -> int:
    # 0.07 * 100 is 7.000000000000001 and 0.29 * 100 is 28.999999999999996
    return int(np.floor(alpha * (permutations + 1) + 1e-9))


def _p_values(scores: NDArray, null: Floats) -> Floats:
    reached = len(null) - np.searchsorted(np.sort(null), scores, side="left")
    return np.asarray((1 + reached) / (len(null) + 1), dtype=np.float64)


def _standing(
    observed: float, null: Floats, alpha: float, maximum: float
) -> tuple[float, float, float, float, float]:
    """Mean of the null, observed, p-value, threshold, calibrated."""
    threshold = float(np.sort(null)[-_rank(alpha, len(null))])
    room = maximum - threshold
    calibrated = max(0.0, (observed - threshold) / room) if room > 0 else 0.0
    p_value = float(_p_values(np.array(observed), null))
    return float(null.mean()), observed, p_value, threshold, calibrated
