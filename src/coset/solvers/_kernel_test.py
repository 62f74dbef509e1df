"""Is x independent of y, or of y given z? A kernel test of any kind of dependence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.lapack import dpstrf
from scipy.spatial.distance import cdist
from scipy.stats import gamma

from .._arrays import as_pair
from .._core import BadInput, Floats

ALONE, GIVEN = (0.8, 0.5, 0.3), (1.2, 0.7, 0.4)
"""Widths of the kernels for up to 200 rows, up to 1,200, and more: as its authors chose them."""
STEPS = (200, 1200)
LEFT_OUT = 1e-8
"""Of a kernel matrix whose diagonal is 1: what its factor may miss, anywhere on the diagonal."""
FEWEST = 5


@dataclass(frozen=True)
class KernelTest:
    """A test of independence; a small p-value speaks against it."""

    statistic: float
    p_value: float


def kernel_test(
    x: Any, y: Any, given: Any = None, *, width: float | None = None, ridge: float = 1e-3
) -> KernelTest:
    """Tests x ⊥ y, or x ⊥ y | z, against every kind of dependence.

    With k(u, v) = exp(-|u - v|² / 2w²) on standardised columns and K the centred kernel matrices,
    x ⊥ y is tested by tr(K_x K_y), which has mean tr K_x tr K_y / n and variance
    2 |K_x|² |K_y|² / n² under independence.

    Given z, x is replaced by (x, z/2), and what z predicts is taken out of both sides by kernel
    ridge regression: K_x becomes R K_x R, and K_y likewise, R = ε (K_z + ε)⁻¹. With
    W = R K_x R ∘ R K_y R the statistic is the sum of W, its mean under independence tr W, its
    variance 2 |W|². That is what published code computes from the products of all eigenvectors.

    The law under independence is the gamma law of these two moments. Kernel matrices are
    factored, K = G Gᵀ with as many columns as it takes, so a test costs n² times their number.

    Args:
        x: (n, p).
        y: (n, q).
        given: z, (n, r).
        width: w, times √r where z is given; usually by the number of rows.
        ridge: ε.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> z, a, b = rng.normal(size=(3, 200))
        >>> x, y = z + a, z + b
        >>> kernel_test(x, y).p_value < 0.01, kernel_test(x, y, z).p_value > 0.05
        (True, True)

    References:
        gretton2007, zhang2011
    """
    x, y = as_pair(x, y, ("x", "y"))
    if len(x) < FEWEST:
        raise BadInput(f"{len(x)} rows given; a kernel test needs at least {FEWEST}")
    if (width is not None and not width > 0) or not ridge > 0:
        raise BadInput(f"width={width}, ridge={ridge}; both must be above 0")
    x, y = _standardised(x), _standardised(y)
    if given is None:
        w = _usual(ALONE, len(x)) if width is None else width
        return _alone(_factor(x, w), _factor(y, w))
    _, z = as_pair(x, given, ("x", "given"))
    z = _standardised(z)
    w = (_usual(GIVEN, len(x)) if width is None else width) * np.sqrt(z.shape[1])
    sides = _factor(np.hstack([x, z / 2]), w), _factor(y, w)
    return _beyond(_factor(z, w), *sides, ridge)


def _alone(of_x: Floats, of_y: Floats) -> KernelTest:
    squares = [float(np.sum((g.T @ g) ** 2)) for g in (of_x, of_y)]
    traces = [float(np.sum(g**2)) for g in (of_x, of_y)]
    n = len(of_x)
    return _judged(
        float(np.sum((of_x.T @ of_y) ** 2)),
        traces[0] * traces[1] / n,
        2 * squares[0] * squares[1] / n**2,
    )


def _beyond(of_z: Floats, of_x: Floats, of_y: Floats, ridge: float) -> KernelTest:
    inner = cho_factor(of_z.T @ of_z + ridge * np.eye(of_z.shape[1]))
    left_x, left_y = (g - of_z @ cho_solve(inner, of_z.T @ g) for g in (of_x, of_y))
    both = left_x @ left_x.T
    both *= left_y @ left_y.T
    return _judged(float(both.sum()), float(np.trace(both)), 2 * float(np.vdot(both, both)))


def _judged(statistic: float, mean: float, variance: float) -> KernelTest:
    """A side that is constant is independent of everything."""
    if not variance > 0:
        return KernelTest(statistic, 1.0)
    shape, scale = mean**2 / variance, variance / mean
    return KernelTest(statistic, float(gamma.sf(statistic, shape, scale=scale)))


def _factor(rows: Floats, width: float) -> Floats:
    """G with G Gᵀ the centred kernel matrix, from a Cholesky factor that takes the worst first."""
    kernel = cdist(rows, rows, "sqeuclidean")
    kernel *= -0.5 / width**2
    np.exp(kernel, out=kernel)
    found, order, rank, _ = dpstrf(kernel, tol=LEFT_OUT, lower=1)
    factor = np.empty((len(rows), rank))
    factor[order - 1] = np.tril(found[:, :rank])
    return factor - factor.mean(0)


def _standardised(rows: Floats) -> Floats:
    spread = rows.std(0, ddof=1)
    return (rows - rows.mean(0)) / np.where(spread > 0, spread, 1.0)


def _usual(widths: tuple[float, float, float], n: int) -> float:
    return widths[int(np.searchsorted(STEPS, n, side="right"))]
