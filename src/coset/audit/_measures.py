"""The similarity measures of the literature beside the verdict, with intervals and chance."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import t as student

from .._core import BadInput, Floats
from ..metrics import knn_overlap, mcc, rsa
from ..metrics._moments import Moments
from ..metrics._second import SecondOrder
from ..sweep import NARROW, blas_for, side_by_side
from ._pass import Summary
from ._shuffle import permuted_moments, shuffled_moments

RSA_ROWS = 1000
NEIGHBOUR_ROWS = 2000
DRAWS = 50
FEW_DRAWS = 20
LEAST_ROWS = 4

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
    """How far to trust a measure: interval (delete-a-fold jackknife), chance, p-value.

    None where a number is not defined; `note` says why.
    """

    low: float | None
    high: float | None
    chance: float | None
    p_value: float | None
    rows: int
    note: str = ""


def measures_of(summary: Summary) -> tuple[dict[str, float], dict[str, str]]:
    """Every measure that the summary can give; NaN, with the reason, where one is not defined."""
    notes: dict[str, str] = {}
    whole, gram = summary.whole(), summary.gram()
    jobs: list[tuple[str, Callable[..., float], tuple[Any, ...]]] = []
    if len(summary.sampled) >= LEAST_ROWS:
        jobs += [(name, score, _some(summary, rows)) for name, (rows, score) in ROWS.items()]
    with _no_warnings():
        found = {name: _try(score, whole, name=name, notes=notes) for name, score in LINEAR.items()}
        found |= {name: _try(score, gram, name=name, notes=notes) for name, score in GRAM.items()}
        found |= side_by_side(
            lambda job: (job[0], _try(job[1], *job[2], name=job[0], notes=notes)),
            jobs,
            summary.deal.width,
        )
    return {name: found[name] for name in ORDER if name in found}, notes


@contextmanager
def _no_warnings() -> Iterator[None]:
    """What measures warn of stands on the page."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


def _try(score: Callable[..., float], *given: Any, name: str, notes: dict[str, str]) -> float:
    try:
        return score(*given)
    except BadInput as error:
        notes[name] = str(error)
        return float("nan")


def details_of(
    summary: Summary, values: Mapping[str, float], notes: Mapping[str, str], level: float
) -> dict[str, Detail]:
    """Interval, chance and p-value of each measure; costs more than the measures themselves."""
    linear = [name for name in values if name not in ROWS]
    with blas_for(summary.deal.width), _no_warnings():
        null = _linear_null(summary, linear)
        left = _linear_left_out(summary, linear)
        for name in values:
            if name in ROWS:
                null[name], left[name] = _row_draws(summary, name)
    return {
        name: _finish(
            value, left[name], null[name], level, _rows(summary, name), notes.get(name, "")
        )
        for name, value in values.items()
    }


def _rows(summary: Summary, name: str) -> int:
    return len(_some(summary, ROWS[name][0])[0]) if name in ROWS else summary.deal.rows


def _linear_null(summary: Summary, names: list[str]) -> dict[str, list[float]]:
    """Scores of every measure on the same shuffled pairings."""
    generator = np.random.default_rng((summary.deal.seed, 4))
    whole = summary.gram()
    null: dict[str, list[float]] = {name: [] for name in names}
    everything = len(summary.sampled) == summary.deal.rows
    for _ in range(DRAWS if everything and summary.deal.width <= NARROW else FEW_DRAWS):
        if everything:
            order = generator.permutation(summary.deal.rows)
            shuffled = permuted_moments(whole, summary.a, summary.b, order)
        else:
            shuffled = shuffled_moments(whole, generator)
        for name in names:
            null[name].append(_try({**LINEAR, **GRAM}[name], shuffled, name=name, notes={}))
    return null


def _linear_left_out(summary: Summary, names: list[str]) -> dict[str, list[float]]:
    """Scores of every measure with each fold left out."""
    left: dict[str, list[float]] = {name: [] for name in names}
    for k in range(summary.deal.folds):
        exact, gram = summary.train(k), summary.gram(apart_from=k)
        for name in names:
            score: Callable[..., float] = {**LINEAR, **GRAM}[name]
            given = gram if name in GRAM else exact
            left[name].append(_try(score, given, name=name, notes={}))
    return left


def _row_draws(summary: Summary, name: str) -> tuple[list[float], list[float]]:
    generator = np.random.default_rng((summary.deal.seed, 4))
    rows, score = ROWS[name]
    a, b = _some(summary, rows)
    folds = np.arange(len(a)) % summary.deal.folds
    null = [_try(score, a, generator.permutation(b), name=name, notes={}) for _ in range(FEW_DRAWS)]
    left = [
        _try(score, a[folds != k], b[folds != k], name=name, notes={})
        for k in range(summary.deal.folds)
    ]
    return null, left


def _finish(
    value: float, left: list[float], null: list[float], level: float, rows: int, note: str
) -> Detail:
    count = len(left)
    error = np.sqrt((count - 1) / count * ((np.array(left) - np.mean(left)) ** 2).sum())
    reach = float(student.ppf((1 + level) / 2, count - 1) * error)
    certain = bool(np.isfinite([value, reach]).all())
    drawn = [draw for draw in null if np.isfinite(draw)]
    tested = bool(np.isfinite(value)) and len(drawn) > 0
    return Detail(
        low=value - reach if certain else None,
        high=value + reach if certain else None,
        chance=float(np.mean(drawn)) if drawn else None,
        p_value=(1 + sum(draw >= value for draw in drawn)) / (1 + len(drawn)) if tested else None,
        rows=rows,
        note=note,
    )


def _some(summary: Summary, rows: int) -> tuple[Floats, Floats]:
    """At most so many of the sampled rows, spread evenly."""
    step = max(1, -(-len(summary.a) // rows))
    return summary.a[::step], summary.b[::step]
