"""Intervals of a score from the rows at hand, without drawing any row twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.stats import t as student

from .._arrays import as_pair
from .._core import BadInput, Floats, Score
from ._checks import generator, whole_number


@dataclass(frozen=True, eq=False, repr=False)
class Interval(Score):
    """The score of all rows, with an interval for what many more such rows would give."""

    low: float
    high: float
    error: float
    """Standard error."""
    corrected: float
    """The score less its estimated bias of order 1/n: the middle of the interval."""
    level: float
    method: str


def interval(
    metric: Callable[[Any, Any], Any],
    a: Any,
    b: Any,
    *,
    method: Literal["jackknife", "subsample"] = "jackknife",
    level: float = 0.95,
    blocks: int = 20,
    draws: int = 200,
    seed: int = 0,
) -> Interval:
    """`corrected` ± t `error`, for the score of an unlimited number of rows.

    - jackknife: rows are shuffled and cut into g blocks, block j holding a share 1 / h_j of them.
      With s the score and s_j that without block j: v_j = h_j s - (h_j - 1) s_j,
      corrected = sum_j v_j / h_j, error^2 = (1/g) sum_j (v_j - corrected)^2 / (h_j - 1), t of
      Student with g - 1 degrees of freedom.
    - subsample: half of the rows, m of n, drawn without replacement; with c = m / (n - m),
      error = sqrt(c) sd(s_m), corrected = s - c (mean(s_m) - s), t normal.

    Rows are never drawn with replacement: a row and its copy are a pair that every measure of
    similarity finds in perfect agreement, so the usual bootstrap puts the debiased CKA of
    independent codes near 0.17 instead of 0.

    A score that is biased at n rows (canonical correlations with p near n) may lie outside its own
    interval, which is about `corrected`. Ends may pass the range of the metric. Measured coverage
    of level 0.95, 1000 draws each of Gaussian codes whose 5 or 20 pairs of columns correlate by 0,
    0.5, 0.9 or 0.99, n from 50 to 500: jackknife 93 to 99 %, subsample 90 to 100 %
    (debiased linear CKA and mean squared canonical correlation); high where codes are independent,
    low for canonical correlations where p is n / 10. A metric that shuffles rows itself adds that
    noise to the error.

    Args:
        metric: (a, b) → a number; called blocks + 1 or draws + 1 times.
        a: rows of observations (n, p), independent of one another.
        b: rows of observations (n, q), row i of the same thing as row i of a.
        method: "jackknife" or "subsample".
        level: of the interval.
        blocks: of the jackknife, from 2 to n.
        draws: of the subsampling.
        seed: of the shuffle or the draws.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> a, b = rng.standard_normal((2, 400, 1))
        >>> score = interval(lambda a, b: np.corrcoef(a[:, 0], b[:, 0])[0, 1], a, a + b)
        >>> score.low < 0.5**0.5 < score.high
        True

    References:
        tukey1958, busing1999, politis1994
    """
    a, b = as_pair(a, b)
    n = len(a)
    if not 0 < level < 1:
        raise BadInput(f"level={level}; give a share between 0 and 1, such as 0.95")
    rng = generator(seed)

    def score(kept: np.ndarray) -> float:
        return float(metric(a[kept], b[kept]))

    observed = score(np.arange(n))
    if method == "jackknife":
        if not 2 <= whole_number(blocks, "blocks", 2) <= n:
            raise BadInput(f"blocks={blocks} of {n} rows; give a number from 2 to {n}")
        cuts = np.array_split(rng.permutation(n), blocks)
        without = [score(np.delete(np.arange(n), cut)) for cut in cuts]
        shares = np.array([len(cut) / n for cut in cuts])
        corrected, error = _jackknife(observed, np.array(without), shares)
        reach = float(student.ppf(0.5 + level / 2, blocks - 1))
    elif method == "subsample":
        draws, half = whole_number(draws, "draws", 2), n // 2
        if half < 1:
            raise BadInput("1 row has no half; at least 2 rows are needed")
        drawn = np.array([score(np.sort(rng.permutation(n)[:half])) for _ in range(draws)])
        ratio = half / (n - half)
        corrected = observed - ratio * float(drawn.mean() - observed)
        error = float(np.sqrt(ratio) * drawn.std(ddof=1))
        reach = float(student.ppf(0.5 + level / 2, np.inf))
    else:
        raise BadInput(f'method={method!r}; give "jackknife" or "subsample"')
    low, high = corrected - reach * error, corrected + reach * error
    return Interval(observed, low, high, error, corrected, level, method)


def _jackknife(observed: float, without: Floats, shares: Floats) -> tuple[float, float]:
    """Corrected score and standard error from the scores without each block."""
    h = 1 / shares
    pseudo = h * observed - (h - 1) * without
    corrected = float(pseudo @ shares)
    return corrected, float(np.sqrt(np.mean((pseudo - corrected) ** 2 / (h - 1))))
