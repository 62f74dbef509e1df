"""Centred kernel alignment, biased and debiased."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._arrays import as_pair
from .._core import BadInput, Score
from ._checks import FAINT, TOO_SMALL
from ._moments import Moments
from ._route import second_moments
from ._second import SecondOrder
from ._spectra import refuse_constant


@dataclass(frozen=True, eq=False, repr=False)
class CKA(Score):
    """Alignment of two kernels; signed when debiased, never clipped."""

    debiased: bool
    kernel: str


def cka(
    a: Any,
    b: Any,
    *,
    debiased: bool = True,
    kernel: str = "linear",
    bandwidth: float = 1.0,
) -> CKA:
    """Centred kernel alignment HSIC(a, b) / sqrt(HSIC(a, a) HSIC(b, b)).

    Debiased: HSIC is the U-statistic, so independent data score 0 on average and may be negative.
    Biased: the linear kernel's value is ‖aᵀb‖² / (‖aᵀa‖ ‖bᵀb‖) of centred columns, which tends to 1
    for independent data when columns outnumber rows. Invariant to rotation, shift and scale.

    Args:
        a: (n, p).
        b: (n, q).
        debiased: use the U-statistic; needs 4 rows.
        kernel: "linear" (one pass, any n) or "rbf" (n x n matrices).
        bandwidth: of the rbf kernel, in units of the median distance.

    Example:
        >>> rows = np.random.default_rng(0).normal(size=(500, 8))
        >>> round(cka(rows, rows[:, ::-1] * 3).value, 9)
        1.0

    References:
        kornblith2019, song2012, nguyen2021
    """
    if kernel == "linear":
        return cka_of(second_moments(a, b, route="gram"), debiased=debiased)
    if kernel == "rbf":
        from ._kernels import rbf_cka

        rows_a, rows_b = as_pair(a, b)
        value = float(rbf_cka(rows_a, rows_b, debiased=debiased, bandwidth=bandwidth))
        return CKA(value, debiased, kernel)
    raise BadInput(f"kernel {kernel!r} is not known; use 'linear' or 'rbf'")


def cka_of(moments: SecondOrder, *, debiased: bool = True) -> CKA:
    """Linear `cka` from second moments."""
    refuse_constant(*moments.norms())
    cross, self_a, self_b = (float((x**2).sum()) for x in (moments.ab, moments.aa, moments.bb))
    if min(self_a, self_b) < FAINT**2:  # fourth powers of the values
        raise BadInput(TOO_SMALL)
    biased = self_a, self_b
    if debiased:
        if not isinstance(moments, Moments):
            raise BadInput("debiased CKA needs the sums that only Moments keeps; use Moments")
        if moments.n < 4:
            raise BadInput(f"{moments.n} rows given; debiased CKA needs 4: use debiased=False")
        self_a, cross, self_b = _unbiased(moments, self_a, cross, self_b)
    if self_a <= 1e-13 * biased[0] or self_b <= 1e-13 * biased[1]:
        warnings.warn(
            "debiased CKA is undefined here: the rows of a side are all equally far apart",
            stacklevel=2,
        )
        return CKA(float("nan"), debiased, "linear")
    return CKA(cross / float(np.sqrt(self_a) * np.sqrt(self_b)), debiased, "linear")


def _unbiased(
    moments: Moments, self_a: float, cross: float, self_b: float
) -> tuple[float, float, float]:
    """HSIC_1 (Song et al. 2012, eq. 5) up to its factor n (n - 3), from centred sums alone.

    With centred rows K1 = 0, so the three terms need only sums of |a|², |b|² and their products.
    """
    n = moments.n
    size_a, size_b = np.trace(moments.aa), np.trace(moments.bb)

    def hsic(square: float, left: float, right: float, product: float) -> float:
        return float(square - product * n / (n - 2) + left * right / ((n - 1) * (n - 2)))

    quartic = moments.quartic
    return (
        hsic(self_a, size_a, size_a, quartic[0]),
        hsic(cross, size_a, size_b, quartic[1]),
        hsic(self_b, size_b, size_b, quartic[2]),
    )
