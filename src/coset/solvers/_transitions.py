"""Second moments of successive rows, environment by environment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .._arrays import as_matrix, refuse_unequal
from .._core import BadInput, Floats


@dataclass(frozen=True, eq=False)
class Transitions:
    """Of every environment, about its own means: all that a likelihood of dynamics depends on."""

    labels: Floats
    n: Floats
    mean_before: Floats
    """(environments, d), as the next one."""
    mean_after: Floats
    before: Floats
    """(environments, d, d), as the next two."""
    across: Floats
    """After with before."""
    after: Floats

    @classmethod
    def of(cls, before: ArrayLike, after: ArrayLike, environments: ArrayLike) -> Transitions:
        """From rows of both, and the environment of each."""
        first, second = as_matrix(before, "before"), as_matrix(after, "after")
        labels, where = np.unique(np.asarray(environments), return_inverse=True)
        refuse_unequal(len(first), len(second), ("before", "after"))
        refuse_unequal(len(first), len(where), ("before", "environments"))
        d = first.shape[1]
        if second.shape[1] != d:
            raise BadInput(
                f"before has {d} columns and after has {second.shape[1]}; they are the same "
                f"quantities at successive times: give the same columns"
            )
        joint = np.hstack([first, second])
        groups = [joint[where == e] for e in range(len(labels))]
        fewest = min(len(group) for group in groups)
        if fewest < 2 * d + 2:
            raise BadInput(
                f"an environment has {fewest} rows; {2 * d + 2} or more are needed for {d} "
                f"columns: join environments, or drop that one"
            )
        mean = np.stack([group.mean(0) for group in groups])
        second_moments = np.stack([np.cov(group.T, bias=True) for group in groups])
        return cls(
            labels, np.array([len(group) for group in groups], dtype=float),
            mean[:, :d], mean[:, d:], second_moments[:, :d, :d], second_moments[:, d:, :d],
            second_moments[:, d:, d:],
        )  # fmt: skip

    def pooled(self) -> Floats:
        """The transition by least squares, the same weight for every row."""
        return _over(self._mean(self.across), self._mean(self.before))

    def innovations(self, transition: Floats) -> Floats:
        """Covariances (environments, d, d) of after - transition · before."""
        part = transition @ self.across.swapaxes(1, 2)
        return self.after - part - part.swapaxes(1, 2) + transition @ self.before @ transition.T

    def weighted(self, unmixing: Floats, variances: Floats) -> Floats:
        """What unmixing · transition should be: row i weights environments by 1 / v_ei."""
        weights = self.n[:, None] / variances
        wanted = np.einsum("ei,ij,ejk->ik", weights, unmixing, self.across)
        given = np.einsum("ei,ejk->ijk", weights, self.before)
        return np.stack([_over(one[None], of)[0] for one, of in zip(wanted, given, strict=True)])

    def moved(self, change: Floats) -> float:
        """Largest standard deviation of what a change of maps adds to predictions."""
        variances = np.einsum("ij,jk,ik->i", change, self._mean(self.before), change)
        return float(np.sqrt(np.maximum(variances, 0.0)).max())

    def _mean(self, found: Floats) -> Floats:
        return np.tensordot(self.n / self.n.sum(), found, 1)


def _over(above: Floats, below: Floats) -> Floats:
    """The map above · below⁻¹, or the least map where rows leave directions open."""
    units = np.sqrt(np.diagonal(below))
    units = np.where(units > 0, units, 1.0)
    found: Floats = np.linalg.lstsq((below / np.outer(units, units)).T, (above / units).T)[0].T
    return found / units
