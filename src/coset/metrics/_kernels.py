"""Centred alignment of Gaussian kernels, for data that fit in memory as n x n matrices."""

from __future__ import annotations

import numpy as np

from .._core import BadInput, Floats
from ._checks import refuse_faint
from ._pairs import distinct_pairs, self_distances


def rbf_cka(a: Floats, b: Floats, *, debiased: bool = True, bandwidth: float = 1.0) -> float:
    """HSIC(K, L) / sqrt(HSIC(K, K) HSIC(L, L)) with K_ij = exp(-|a_i - a_j|^2 / (2 s^2)).

    s is `bandwidth` times the median distance over the n (n - 1) / 2 pairs of distinct rows (the
    zeros of the diagonal do not count; with an even number of pairs, the mean of the middle two).
    Debiased, HSIC is the U-statistic of Song et al. (eq. 5): independent codes score 0 on average,
    and may score below. Biased, it is tr(K H L H) of Gretton et al. Signed, never clipped.
    Symmetric; unchanged by rotation, one scale and offset of either side; tends to linear CKA as
    the bandwidth grows. Holds two n x n matrices: 400 MB at 5000 rows.

    Args:
        a: finite rows of observations (n, p).
        b: finite rows of observations (n, q).
        debiased: U-statistic (at least 4 rows) or the biased estimate.
        bandwidth: in medians of the distances.

    Example:
        >>> a = np.random.default_rng(0).standard_normal((40, 3))
        >>> rbf_cka(a, 5 - 2 * a)
        1.0

    References:
        kornblith2019, song2012, gretton2005
    """
    if debiased and len(a) < 4:
        raise BadInput(f"debiased CKA needs at least 4 rows, not {len(a)}; or debiased=False")
    if not (np.isfinite(bandwidth) and bandwidth > 0):
        raise BadInput(f"bandwidth={bandwidth}; give a positive multiple of the median distance")
    refuse_faint(a, b)
    left = _centred_kernel(a, "a", bandwidth, debiased=debiased)
    right = _centred_kernel(b, "b", bandwidth, debiased=debiased)
    scale = np.sqrt(np.vdot(left, left)) * np.sqrt(np.vdot(right, right))
    return float(np.vdot(left, right) / scale)


def _centred_kernel(x: Floats, name: str, bandwidth: float, *, debiased: bool) -> Floats:
    """The kernel less a constant (which centring removes), centred; one n x n array, in place."""
    kernel = self_distances(x)
    median = np.median(np.sqrt(distinct_pairs(kernel))) if len(x) > 1 else 0.0
    if not median > 0:
        raise BadInput(
            f"at least half of the pairs of rows of {name} are equal, so the median distance is "
            f"zero and sets no bandwidth: drop duplicated rows, or use the linear kernel"
        )
    kernel *= -0.5 / (bandwidth * median) ** 2
    np.expm1(kernel, out=kernel)  # exp would lose the digits of nearly constant kernels
    largest = np.abs(kernel).max()
    centre_kernel(kernel, debiased=debiased)
    if np.abs(kernel).max() <= 1e-13 * largest:
        raise BadInput(f"the rows of {name} are all equally far apart: nothing to align")
    return kernel


def centre_kernel(kernel: Floats, *, debiased: bool) -> Floats:
    """Centre a symmetric kernel in place, so that HSIC is the sum of the product of two of them.

    Biased: H K H. Debiased: the zero-diagonal matrix whose rows sum to zero,
    K_ij - r_i / (n - 2) - r_j / (n - 2) + s / ((n - 1)(n - 2)) with r, s the sums of a row and of
    all off the diagonal; the sum of products is then n (n - 3) times HSIC_1.

    Args:
        kernel: symmetric (n, n); overwritten.
        debiased: which of the two.

    Returns:
        The same array.

    Example:
        >>> k = centre_kernel(np.array([[0.0, 1, 4], [1, 0, 1], [4, 1, 0]]), debiased=False)
        >>> bool(np.allclose(k.sum(axis=0), 0))
        True

    References:
        szekely2014
    """
    n = len(kernel)
    if debiased:
        np.fill_diagonal(kernel, 0)
    rows = kernel.sum(axis=0)
    total = rows.sum()
    scale, both = (n - 2, (n - 1) * (n - 2)) if debiased else (n, n * n)
    kernel -= rows[:, None] / scale
    kernel -= rows / scale
    kernel += total / both
    if debiased:
        np.fill_diagonal(kernel, 0)
    return kernel
