"""The similarity measures of the literature beside the verdict, with intervals and chance."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from .._core import Floats
from ..metrics import knn_overlap, mcc, rsa
from ..metrics._moments import Moments
from ..metrics._second import SecondOrder
from ._pass import Summary
from ._shuffle import shuffled_moments

RSA_ROWS = 1000
NEIGHBOUR_ROWS = 2000
DRAWS = 50
ROW_DRAWS = 20

LINEAR: dict[str, Callable[[SecondOrder], float]] = {
    "cca": lambda m: m.cca().value,
    "svcca": lambda m: m.svcca().value,
    "pwcca": lambda m: m.pwcca().value,
    "procrustes": lambda m: m.procrustes().value,
    "mcc_pearson": lambda m: m.mcc().value,
}
GRAM: dict[str, Callable[[Moments], float]] = {
    "cka": lambda m: m.cka(debiased=False).value,
    "cka_debiased": lambda m: m.cka().value,
}
ROWS: dict[str, tuple[int, Callable[[Floats, Floats], float]]] = {
    "rsa": (RSA_ROWS, lambda a, b: rsa(a, b).value),
    "mcc_spearman": (NEIGHBOUR_ROWS, lambda a, b: mcc(a, b, correlation="spearman").value),
    "knn_overlap": (NEIGHBOUR_ROWS, lambda a, b: knn_overlap(a, b, k=min(10, len(a) - 1)).value),
}
ORDER = (
    "cca", "svcca", "pwcca", "cka", "cka_debiased", "procrustes", "rsa",
    "mcc_pearson", "mcc_spearman", "knn_overlap",
)  # fmt: skip


@dataclass(frozen=True)
class Detail:
    """How far to trust a measure: interval (delete-a-fold jackknife), chance, p-value."""

    low: float | None
    high: float | None
    chance: float
    p_value: float
    rows: int


def measures_of(summary: Summary) -> dict[str, float]:
    """Every measure that the summary can give."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # what they warn of stands on the page
        whole, gram = summary.whole(), summary.gram()
        found = {name: score(whole) for name, score in LINEAR.items()}
        found |= {name: score(gram) for name, score in GRAM.items() if summary.deal.rows >= 4}
        if len(summary.sampled) >= 4:
            found |= {name: score(*_some(summary, rows)) for name, (rows, score) in ROWS.items()}
    return {name: found[name] for name in ORDER if name in found}


def details_of(summary: Summary, values: dict[str, float], level: float) -> dict[str, Detail]:
    """Interval, chance and p-value of each measure; costs more than the measures themselves."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return {name: _detail(summary, name, value, level) for name, value in values.items()}


def _detail(summary: Summary, name: str, value: float, level: float) -> Detail:
    generator = np.random.default_rng((summary.deal.seed, 4))
    if name in ROWS:
        rows, score = ROWS[name]
        a, b = _some(summary, rows)
        null = [score(a, generator.permutation(b)) for _ in range(ROW_DRAWS)]
        folds = np.arange(len(a)) % summary.deal.folds
        left = [score(a[folds != k], b[folds != k]) for k in range(summary.deal.folds)]
        return _finish(value, left, null, len(a), level)
    score_of = {**LINEAR, **GRAM}[name]
    states = summary.moments if name in GRAM else summary.buckets
    left = []
    for k in range(summary.deal.folds):
        here = summary.deal.fold(k)
        away = [states[j] for j in range(summary.deal.buckets) if j not in here]
        left.append(score_of(away[0].merge(*away[1:])))  # type: ignore[arg-type]
    null = [score_of(pairing) for pairing in _null(summary, generator)]
    return _finish(value, left, null, summary.deal.rows, level)


def _null(summary: Summary, generator: np.random.Generator) -> list[Moments]:
    if len(summary.sampled) == summary.deal.rows:
        draws = (generator.permutation(summary.b) for _ in range(DRAWS))
        return [Moments().update(summary.a, b) for b in draws]
    whole = summary.gram()
    return [shuffled_moments(whole, generator) for _ in range(ROW_DRAWS)]


def _finish(value: float, left: list[float], null: list[float], rows: int, level: float) -> Detail:
    count = len(left)
    error = np.sqrt((count - 1) / count * ((np.array(left) - np.mean(left)) ** 2).sum())
    reach = float(student.ppf((1 + level) / 2, count - 1) * error)
    usable = np.isfinite([value, reach]).all()
    return Detail(
        low=value - reach if usable else None,
        high=value + reach if usable else None,
        chance=float(np.mean(null)),
        p_value=(1 + sum(draw >= value for draw in null)) / (1 + len(null)),
        rows=rows,
    )


def _some(summary: Summary, rows: int) -> tuple[Floats, Floats]:
    """At most so many of the sampled rows, spread evenly."""
    step = max(1, -(-len(summary.a) // rows))
    return summary.a[::step], summary.b[::step]
