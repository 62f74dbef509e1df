"""Any smooth map: says that the information is shared, and nothing about its form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from .._core import BadInput, Floats, Map
from ..metrics._pairs import distinct_pairs, self_distances, squared_distances, squared_norms
from ..metrics._second import SecondOrder
from ._affine_map import AffineMap, in_rows, of_width
from ._group import RowGroup
from ._linear import affine

CENTRES = 1000
SEARCHED = 500
WIDTHS = (0.25, 1.0, 4.0)
RIDGES = (1e-3, 1e-2, 1e-1, 1.0)
VALIDATION = 5
"""Every fifth row validates."""


@dataclass(frozen=True, eq=False)
class KernelMap(Map):
    """An affine map and a correction by radial basis functions."""

    group: str
    matrix: Floats
    offset: Floats
    centres: Floats
    """(m, p), in units of `scale`."""
    scale: Floats
    weights: Floats
    """(m, q)."""
    decay: float

    def __post_init__(self) -> None:
        in_rows(self, "matrix", "centres", "weights")

    def __call__(self, a: Any) -> Floats:
        """Carry rows of a (n, p) over to b (n, q)."""
        rows = np.asarray(of_width(a, self.matrix.shape[1], "the map takes"), dtype=float)
        fit = rows @ self.matrix.T + self.offset
        if self.weights.any():
            middle = self.centres.mean(0)
            x, y = rows / self.scale - middle, self.centres - middle
            apart = squared_distances(x, y, squared_norms(x), squared_norms(y))
            fit += np.exp(-self.decay * apart) @ self.weights
        return fit

    def inverse(self, b: Any) -> NoReturn:
        """Refused: a kernel fit has no closed inverse."""
        raise BadInput("a nonlinear map has no inverse; fit one the other way: coset.align(b, a)")

    def tensors(self) -> dict[str, NDArray]:
        """What determines the map."""
        return {
            "matrix": self.matrix, "offset": self.offset, "centres": self.centres,
            "scale": self.scale, "weights": self.weights, "decay": np.array([self.decay]),
        }  # fmt: skip


class Nonlinear(RowGroup):
    """b = h(a), h smooth; only says that the information is shared."""

    name: ClassVar[str] = "nonlinear"
    says: ClassVar[str] = "b = h(a)"
    inside: ClassVar[tuple[str, ...]] = ()
    cite: ClassVar[str] = "saunders1998"

    def fit_both(self, moments: SecondOrder, a: Floats, b: Floats) -> tuple[KernelMap, KernelMap]:
        """The affine fit plus kernel ridge on what it leaves; each only where validation gains.

        Search, on SEARCHED rows: widths WIDTHS / median squared distance, ridges RIDGES.
        """
        chosen = np.random.default_rng(0).permutation(len(a))[:CENTRES]
        a, b = a[chosen], b[chosen]
        return _fit(moments, a, b), _fit(moments.swapped(), b, a)


def _fit(moments: SecondOrder, a: Floats, b: Floats) -> KernelMap:
    scale = np.where(a.std(0) > 0, a.std(0), 1.0)
    base = _base(moments)
    residual, apart = b - base(a), self_distances(a / scale)
    decay, ridge = _search(apart[:SEARCHED, :SEARCHED], residual[:SEARCHED])
    weights = np.zeros_like(b)
    if decay:
        weights = _ridge(np.exp(-decay * apart), residual, ridge)
    return KernelMap("nonlinear", base.matrix, base.offset, a / scale, scale, weights, decay)


def _search(apart: Floats, residual: Floats) -> tuple[float, float]:
    """Decay of the kernel (0: no correction) and ridge, by the error on rows held back."""
    held = np.arange(len(apart)) % VALIDATION == VALIDATION - 1
    middle = float(np.median(distinct_pairs(apart))) or 1.0
    best = ((residual[held] ** 2).sum(), 0.0, 0.0)
    for width in WIDTHS:
        kernel = np.exp(-width / middle * apart)
        values, vectors = np.linalg.eigh(kernel[np.ix_(~held, ~held)])
        across, along = kernel[np.ix_(held, ~held)] @ vectors, vectors.T @ residual[~held]
        for ridge in RIDGES:  # one factorisation serves them all
            error = residual[held] - (across / (values + ridge)) @ along
            best = min(best, ((error**2).sum(), width / middle, ridge))
    return best[1], best[2]


def _base(moments: SecondOrder) -> AffineMap:
    """The affine fit where it can be expected to beat the mean on new rows, else the mean."""
    fit = affine(moments)
    spare = moments.n - fit.matrix.shape[1] - 1
    error, total = moments.residual(fit.matrix, fit.offset).sum(), np.trace(moments.bb)
    if spare > 1 and error * (moments.n / spare) ** 2 < total:
        return fit
    return AffineMap("affine", np.zeros_like(fit.matrix), moments.mean_b)


def _ridge(kernel: Floats, target: Floats, ridge: float) -> Floats:
    regular = kernel.copy()
    regular.flat[:: len(kernel) + 1] += ridge
    try:
        return np.asarray(cho_solve(cho_factor(regular, overwrite_a=True), target))
    except LinAlgError:
        return np.zeros_like(target)
