"""Where two codes agree and where they do not: directions and rows."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import BadInput, Floats
from ..groups import fit_both, group
from ._folds import Fold, folds_of
from ._pass import Summary
from ._shuffle import pairings

BINS = 40
WORST = 10
TINY = 1e-12
"""The axis of errors ends here where a map is perfect."""


def held_out_correlations(summary: Summary) -> Floats:
    """Correlation on test folds of the canonical variates that the other folds found."""
    found = []
    for fold in folds_of(summary):
        with suppress(BadInput):  # a fold without variance
            found.append(_transferred(fold))
    return _average(found)


def chance_correlations(summary: Summary) -> Floats:
    """Held-out correlations where the rows of b are shuffled."""
    found = []
    for forth, _ in pairings(summary):
        with suppress(BadInput):
            found.append(_transferred(forth))
    return _average(found)


def _transferred(fold: Fold) -> Floats:
    test = fold.tests[0].merge(*fold.tests[1:])
    side_a, side_b, coherence = fold.train.whitened()
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
    """Relative error of each sampled row when it was held out, both ways."""

    rows: NDArray[np.intp]
    """Row numbers."""
    ab: Floats
    """|b - map(a)| over the root mean square of centred b."""
    ba: Floats
    """|a - map(b)| over the root mean square of centred a."""

    def to_dict(self) -> dict[str, Any]:
        """Histograms over the same edges, and the worst rows each way."""
        ways = (self.ab, self.ba)
        top = max(*(float(np.quantile(errors, 0.999, method="higher")) for errors in ways), TINY)
        edges = np.linspace(0.0, top, BINS + 1)
        return {
            "edges": edges.tolist(),
            "ab": self._way(self.ab, edges),
            "ba": self._way(self.ba, edges),
        }

    def _way(self, errors: Floats, edges: Floats) -> dict[str, Any]:
        worst = np.argsort(-errors, kind="stable")[:WORST]
        return {
            "counts": np.histogram(errors, bins=edges)[0].tolist(),
            "beyond": int((errors > edges[-1]).sum()),
            "median": float(np.median(errors)),
            "worst": [{"row": int(self.rows[i]), "error": float(errors[i])} for i in worst],
        }


def residuals_of(summary: Summary, name: str, numbers: NDArray[np.intp]) -> Residuals | None:
    """Held-out errors by row, a → b and b → a; None without sampled rows."""
    if not summary.enough_sampled:
        return None
    if not (summary.a.std(0).any() and summary.b.std(0).any()):
        return None  # nothing to measure errors against
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
    return Residuals(
        np.concatenate(places),
        np.concatenate(errors[0]) / _spread(summary.b),
        np.concatenate(errors[1]) / _spread(summary.a),
    )


def _spread(rows: Floats) -> float:
    return float(np.sqrt(((rows - rows.mean(0)) ** 2).sum(1).mean()))
