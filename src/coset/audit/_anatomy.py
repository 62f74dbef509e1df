"""Where two codes agree and where they do not: directions and rows."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import BadInput, Floats
from ..groups import fit_both, group
from ..metrics._second import SecondOrder
from ._folds import folds_of
from ._pass import Summary
from ._shuffle import pairings

BINS = 40
WORST = 10


def held_out_correlations(summary: Summary) -> Floats:
    """Correlation on test folds of the canonical variates that the other folds found."""
    found = []
    for fold in folds_of(summary):
        with suppress(BadInput):  # a fold without variance
            found.append(_transferred(fold.train, fold.tests[0].merge(*fold.tests[1:])))
    return _average(found)


def chance_correlations(summary: Summary) -> Floats:
    """Canonical correlations in sample, with the rows of b shuffled."""
    found = []
    for forth, _ in pairings(summary):
        with suppress(BadInput):
            found.append(forth.train.cca().correlations)
    return _average(found)


def _transferred(train: SecondOrder, test: SecondOrder) -> Floats:
    side_a, side_b, coherence = train.whitened()
    left, _, right = np.linalg.svd(coherence, full_matrices=False)
    along_a, along_b = side_a.basis @ left, side_b.basis @ right.T
    cross = np.einsum("ij,ij->j", along_a, test.ab @ along_b)
    size_a = np.einsum("ij,ij->j", along_a, test.aa @ along_a)
    size_b = np.einsum("ij,ij->j", along_b, test.bb @ along_b)
    size = np.sqrt(np.maximum(size_a * size_b, 0.0))
    return np.divide(cross, size, out=np.zeros_like(cross), where=size > 0)


def _average(found: list[Floats]) -> Floats:
    shortest = min((len(x) for x in found), default=0)
    return np.mean([x[:shortest] for x in found], axis=0) if found else np.zeros(0)


@dataclass(frozen=True, eq=False)
class Residuals:
    """Relative error of each sampled row when it was held out, one way."""

    rows: NDArray[np.intp]
    """Row numbers."""
    errors: Floats
    """|b - map(a)| over the root mean square of centred b."""

    def to_dict(self) -> dict[str, Any]:
        """Histogram and worst rows."""
        top = max(float(np.quantile(self.errors, 0.999)), 1e-12)
        counts, edges = np.histogram(np.minimum(self.errors, top), bins=BINS, range=(0.0, top))
        worst = np.argsort(-self.errors, kind="stable")[:WORST]
        return {
            "edges": edges.tolist(),
            "counts": counts.tolist(),
            "median": float(np.median(self.errors)),
            "worst": [{"row": int(self.rows[i]), "error": float(self.errors[i])} for i in worst],
        }


def residuals_of(
    summary: Summary, name: str, numbers: NDArray[np.intp]
) -> tuple[Residuals, Residuals] | None:
    """Held-out errors by row, a → b and b → a; None without sampled rows."""
    if not summary.enough_sampled:
        return None
    chosen = group(name)
    bucket = summary.deal.bucket_of(summary.sampled)
    places: list[NDArray[np.intp]] = []
    errors: tuple[list[Floats], list[Floats]] = ([], [])
    for k, fold in enumerate(folds_of(summary)):
        maps = fit_both(chosen, fold.train, fold.train_a, fold.train_b)
        here = np.isin(bucket, summary.deal.fold(k))
        sides = (summary.a[here], summary.b[here])
        places.append(numbers[here])
        for way, fitted in enumerate(maps):
            given, wanted = sides[way], sides[1 - way]
            errors[way].append(np.linalg.norm(wanted - fitted(given), axis=1))
    rows = np.concatenate(places)
    if not (summary.a.std(0).any() and summary.b.std(0).any()):
        return None  # nothing to measure errors against
    unit_b = np.sqrt(((summary.b - summary.b.mean(0)) ** 2).sum(1).mean())
    unit_a = np.sqrt(((summary.a - summary.a.mean(0)) ** 2).sum(1).mean())
    return (
        Residuals(rows, np.concatenate(errors[0]) / unit_b),
        Residuals(rows, np.concatenate(errors[1]) / unit_a),
    )
