"""Any smooth map: says that the information is shared, and nothing about its form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from .._core import BadInput, Floats, Map
from ..metrics._moments import Moments
from ..metrics._pairs import distinct_pairs, self_distances, squared_distances, squared_norms
from ..metrics._second import SecondOrder
from ._affine_map import AffineMap, of_width
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

    def fit_rows(self, a: Floats, b: Floats, moments: SecondOrder) -> KernelMap:
        """The affine fit plus kernel ridge on what it leaves; each only where validation gains.

        Search, on SEARCHED rows: base affine or mean, then kernel widths WIDTHS / median squared
        distance and ridges RIDGES.
        """
        a, b = a[:: max(1, len(a) // CENTRES)][:CENTRES], b[:: max(1, len(b) // CENTRES)][:CENTRES]
        scale = np.where(a.std(0) > 0, a.std(0), 1.0)
        linear, decay, ridge = _search(a[:SEARCHED], b[:SEARCHED], scale)
        base = _base(moments, linear=linear)
        weights = np.zeros_like(b)
        if decay:
            kernel = np.exp(-decay * self_distances(a / scale))
            weights = _ridge(kernel, b - base(a), ridge)
        return KernelMap(self.name, base.matrix, base.offset, a / scale, scale, weights, decay)


def _search(a: Floats, b: Floats, scale: Floats) -> tuple[bool, float, float]:
    """Affine base or mean, decay of the kernel (0: none), ridge."""
    held = np.arange(len(a)) % VALIDATION == VALIDATION - 1
    trial = Moments().update(a[~held], b[~held])
    left = {linear: b - _base(trial, linear=linear)(a) for linear in (True, False)}
    linear = bool((left[True][held] ** 2).sum() <= (left[False][held] ** 2).sum())
    residual = left[linear]
    apart = self_distances(a / scale)
    middle = float(np.median(distinct_pairs(apart))) or 1.0
    best = ((residual[held] ** 2).sum(), 0.0, 0.0)
    for width in WIDTHS:
        kernel = np.exp(-width / middle * apart)
        for ridge in RIDGES:
            weights = _ridge(kernel[np.ix_(~held, ~held)], residual[~held], ridge)
            error = residual[held] - kernel[np.ix_(held, ~held)] @ weights
            best = min(best, ((error**2).sum(), width / middle, ridge))
    return linear, best[1], best[2]


def _base(moments: SecondOrder, *, linear: bool) -> AffineMap:
    if linear:
        return affine(moments)
    return AffineMap("affine", np.zeros(moments.ab.T.shape), moments.mean_b)


def _ridge(kernel: Floats, target: Floats, ridge: float) -> Floats:
    regular = kernel.copy()
    regular.flat[:: len(kernel) + 1] += ridge
    try:
        return np.asarray(cho_solve(cho_factor(regular, overwrite_a=True), target))
    except LinAlgError:
        return np.zeros_like(target)
