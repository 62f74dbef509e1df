"""Probabilistic principal component analysis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .._core import BadInput, Floats
from ..solvers import LinearGaussian, ppca
from ._linear import AbstractLinear

CODES = 8
"""Latents where none are asked for, and there are columns enough."""


@dataclass(eq=False, repr=False, kw_only=True)
class PPCA(AbstractLinear):
    """Codes that normal latents behind rows are expected to have, in closed form.

    It needs nothing but rows that are a linear map of normal latents and noise of one variance.
    Whatever the number of rows, a rotation stays undetermined: codes are the latents up to it.

    Args:
        dim: number of latents, fewer than columns; by default 8 at most.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(500, 2)) @ [[3, 0, 1], [0, 2, 1]] + rng.normal(size=(500, 3))
        >>> PPCA(dim=2).fit(X).transform(X).shape
        (500, 2)

    References:
        tipping1999
    """

    learns_from: ClassVar[str] = "nothing else: a linear mixing of normal latents, and noise"
    up_to: ClassVar[str] = "orthogonal"
    arrays: ClassVar[tuple[str, ...]] = ("mean_", "loadings_", "noise_")

    def _solve(self, x: Floats) -> int:
        if x.shape[1] < 2:
            raise BadInput("X has 1 feature(s); fewer latents than columns are needed: give 2")
        found = ppca(x, min(CODES, x.shape[1] - 1) if self.dim is None else self.dim)
        self.mean_, self.loadings_, self.noise_ = found.mean, found.loadings, found.noise
        return int(found.loadings.shape[1])

    def _encoded(self, x: Floats) -> Floats:
        return self._law().posterior_mean(x)

    def _decoded(self, codes: Floats) -> Floats:
        return codes @ self.loadings_.T + self.mean_

    def _likelihood(self, x: Floats) -> float:
        return self._law().log_likelihood(x)

    def _law(self) -> LinearGaussian:
        return LinearGaussian(
            np.asarray(self.loadings_), np.asarray(self.noise_), np.asarray(self.mean_)
        )
