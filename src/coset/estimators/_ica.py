"""Linear independent component analysis."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from .._core import Floats
from ..solvers import quasi_newton
from ._linear import AbstractLinear

AXIS = np.linspace(-12.0, 12.0, 1001)
HEAVY = float(np.log(np.trapezoid(np.exp(-(AXIS**2) / 2) / np.cosh(AXIS), AXIS)))
"""log ∫ exp(-y²/2) / cosh y dy."""
LIGHT = float(np.log(2 * np.pi)) / 2 + 0.5
"""log ∫ exp(-y²/2) cosh y dy."""


@dataclass(eq=False, repr=False, kw_only=True)
class LinearICA(AbstractLinear):
    """Codes that are as independent as a linear map of observations makes them: no network.

    It needs nothing but rows that are a linear mixing of independent latents, of which at most one
    is normal. Codes are the latents up to permutation, sign and scale. It also takes apart codes
    that are known up to an affine map: those of `TCL`, say.

    Args:
        dim: number of latents; by default as many as columns.
        tolerance: of the largest entry of the relative gradient.
        iterations: at most so many on all rows.
        random_state: of the rotation that the search begins at.

    Example:
        >>> latents = np.random.default_rng(0).laplace(size=(2000, 2))
        >>> X = latents @ [[1.0, 2.0], [3.0, 1.0]]
        >>> codes = LinearICA(random_state=0).fit_transform(X)
        >>> int((np.abs(np.corrcoef(codes.T, latents.T)[:2, 2:]) > 0.99).sum())
        2

    References:
        ablin2018
    """

    tolerance: float = 1e-6
    iterations: int = 300
    random_state: Any = None

    learns_from: ClassVar[str] = "nothing else: a linear mixing of independent latents"
    up_to: ClassVar[str] = "scaled-permutation"
    arrays: ClassVar[tuple[str, ...]] = ("mean_", "unmixing_", "signs_")
    values: ClassVar[tuple[str, ...]] = ("iterations_", "converged_")

    def _solve(self, x: Floats) -> int:
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        found = quasi_newton(
            x, self.dim, tolerance=self.tolerance, iterations=self.iterations, seed=seed
        )
        self.mean_, self.unmixing_, self.signs_ = found.mean, found.unmixing, found.signs
        self.iterations_, self.converged_ = int(found.iterations), bool(found.converged)
        if not found.converged:
            warnings.warn(
                f"the gradient is {found.gradient_norms[-1]:.1e} after {found.iterations} "
                f"iterations, not {self.tolerance:g}: give more rows, or more iterations",
                ConvergenceWarning,
                stacklevel=3,
            )
        return len(found.unmixing)

    def _encoded(self, x: Floats) -> Floats:
        return (x - self.mean_) @ self.unmixing_.T

    def _decoded(self, codes: Floats) -> Floats:
        """As far as the kept directions carry them."""
        return codes @ np.linalg.pinv(self.unmixing_).T + self.mean_

    def _likelihood(self, x: Floats) -> float:
        """Of the directions that were kept."""
        codes = self._encoded(x)
        sizes = np.linalg.svd(self.unmixing_, compute_uv=False)
        bent = np.logaddexp(codes, -codes) - np.log(2)
        constants = np.where(self.signs_ > 0, HEAVY, LIGHT)
        each = -(codes**2) / 2 - self.signs_ * bent - constants
        return float(each.sum(axis=1).mean() + np.log(sizes).sum())
