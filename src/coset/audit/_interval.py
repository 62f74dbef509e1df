"""A held-out share of variance and its interval, from sums of squares per bucket."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from .._core import Floats


@dataclass(frozen=True, eq=False)
class Explained:
    """R² = 1 - error / total over all buckets, with a delete-a-bucket jackknife interval.

    The jackknife is the linearised one: bucket j moves R² by (error_j - (1 - R²) total_j) / total.
    The maps are taken as fitted: the interval is that of the score of these maps on new rows.
    """

    errors: Floats
    """(buckets, columns)."""
    totals: Floats
    """(buckets, columns)."""

    @property
    def r2(self) -> float:
        """Share of variance explained, columns weighted by their variance; 0 of none."""
        total = self.totals.sum()
        return float(1 - self.errors.sum() / total) if total > 0 else 0.0

    @property
    def columns(self) -> Floats:
        """The same for each column; NaN for a constant one."""
        total = self.totals.sum(0)
        return 1 - np.divide(
            self.errors.sum(0), total, out=np.full_like(total, np.nan), where=total > 0
        )

    def interval(self, level: float) -> tuple[float, float]:
        """Low and high end."""
        count = len(self.errors)
        if not self.totals.sum() > 0:
            return 0.0, 0.0
        pull = (self.errors.sum(1) - (1 - self.r2) * self.totals.sum(1)) / self.totals.sum()
        error = np.sqrt(count / (count - 1) * ((pull - pull.mean()) ** 2).sum())
        reach = float(student.ppf((1 + level) / 2, count - 1) * error)
        return self.r2 - reach, min(self.r2 + reach, 1.0)
