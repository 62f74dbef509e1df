"""One unmixing that makes several covariances diagonal at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .._core import BadInput, Floats

STEPS = 500
SHORTEST = 2.0**-20
ROUNDING = 1e-12
FLAT = 1e-12
"""Least curvature of a pair of rows: what does not bend the criterion is left where it is."""


@dataclass(frozen=True, eq=False)
class JointDiagonal:
    """Rows in the basis where covariances are diagonal; their order and signs mean nothing."""

    unmixing: Floats
    """W (d, d); the weighted mean of the variances of each row is 1."""
    variances: Floats
    """(covariances, d), of the rows."""
    errors: Floats
    """(d, d): standard error of how much of row j is in row i, both of variance 1.

    Infinite where the variances of two rows are proportional: nothing tells them apart.
    """
    criterion: float
    """0 where every covariance is diagonal exactly."""
    steps: int
    converged: bool


def diagonalise(
    covariances: ArrayLike,
    counts: ArrayLike | None = None,
    *,
    tolerance: float = 1e-10,
    start: Floats | None = None,
) -> JointDiagonal:
    """W that minimises ½ Σ_e p_e (Σ_i log (W C_e Wᵀ)_ii - log det W C_e Wᵀ).

    That is minus the log likelihood of normal rows with a covariance C_e = W⁻¹ D_e W⁻ᵀ of each
    environment, so the estimate is efficient. Rows i and j are told apart by how much the ratio of
    their variances changes from one environment to another. Newton's method with the Hessian of
    the diagonal case (a block of two for each pair of rows) starts from the generalised
    eigenvectors of two weighted sums of the C_e.

    Args:
        covariances: C_e (environments, d, d), positive definite.
        counts: rows that each was estimated of; equal where None.
        tolerance: largest relative gradient at the end.
        start: W to start from.

    Example:
        >>> mixing = np.array([[1.0, 0.5], [-1.0, 2.0]])
        >>> found = diagonalise([mixing @ np.diag(v) @ mixing.T for v in ([1, 4], [3, 2])])
        >>> np.round(np.abs(found.unmixing @ mixing), 6)
        array([[0.      , 0.57735 ],
               [0.707107, 0.      ]])

    References:
        pham2001, ablin2019
    """
    given = _checked(covariances)
    n = np.ones(len(given)) if counts is None else np.asarray(counts, dtype=float)
    if n.shape != (len(given),) or not (n > 0).all():
        raise BadInput(f"counts of shape {n.shape}; {len(given)} positive ones are needed")
    p = n / n.sum()
    white = _whitening(given, p)
    inside = white @ given @ white.T
    w = _scaled(_start(inside, p) if start is None else start @ np.linalg.inv(white), inside, p)
    value = _criterion(w, inside, p)
    steps, converged = 0, False
    for steps in range(STEPS):  # noqa: B007
        gradient, curvature = _slopes(w @ inside @ w.T, p)
        converged = bool(np.abs(gradient).max(initial=0.0) < tolerance)
        if converged:
            break
        moved = _search(w, _newton(gradient, curvature), inside, p, value)
        if moved is None:
            break
        w, value = moved
    w = _signed(w @ white)
    variances = np.einsum("ij,ejk,ik->ei", w, given, w)
    value -= p @ np.linalg.slogdet(inside)[1] / 2
    return JointDiagonal(w, variances, leakage(variances, n), max(value, 0.0), steps, converged)


def _checked(covariances: ArrayLike) -> Floats:
    given = np.asarray(covariances, dtype=float)
    if given.ndim != 3 or given.shape[1] != given.shape[2] or not given.size:
        raise BadInput(f"covariances of shape {given.shape}; (environments, d, d) is needed")
    given = (given + given.swapaxes(1, 2)) / 2
    if not np.isfinite(given).all() or not _positive(given):
        raise BadInput(
            "a covariance is not positive definite; give every environment more rows than columns, "
            "and drop columns that follow from others"
        )
    return given


def _positive(given: Floats) -> bool:
    try:
        np.linalg.cholesky(given)
    except np.linalg.LinAlgError:
        return False
    return True


def _whitening(given: Floats, p: Floats) -> Floats:
    """Of the mean; by Cholesky's factor, which units of columns do not disturb."""
    whitening: Floats = np.linalg.inv(np.linalg.cholesky(np.tensordot(p, given, 1)))
    return whitening


def _start(inside: Floats, p: Floats) -> Floats:
    """The best of some generalised eigen-decompositions: of the mean, which is 1, and of the
    combinations that vary most over environments.
    """
    d = inside.shape[1]
    varying = np.sqrt(p)[:, None] * (inside - np.eye(d)).reshape(len(p), -1)
    directions = np.linalg.svd(varying, full_matrices=False)[0].T[:d]
    found = [
        np.linalg.eigh(np.tensordot(direction * np.sqrt(p), inside, 1))[1].T
        for direction in directions
    ]
    return min(found, key=lambda w: _criterion(w, inside, p))


def _criterion(w: Floats, inside: Floats, p: Floats) -> float:
    """But for what does not depend on w."""
    diagonal = np.einsum("ij,ejk,ik->ei", w, inside, w)
    return float(p @ np.log(diagonal).sum(1)) / 2 - float(np.linalg.slogdet(w)[1])


def _slopes(rotated: Floats, p: Floats) -> tuple[Floats, Floats]:
    """Relative gradient, and h_ij = Σ_e p_e v_ej / v_ei."""
    variances = np.diagonal(rotated, axis1=1, axis2=2)
    gradient = np.tensordot(p, rotated / variances[:, :, None], 1)
    np.fill_diagonal(gradient, 0.0)
    return gradient, np.einsum("e,ej,ei->ij", p, variances, 1 / variances)


def _newton(gradient: Floats, curvature: Floats) -> Floats:
    """-H⁻¹ G, H of every pair ((h_ij, 1), (1, h_ji)), bent where it is flat."""
    other = curvature.T
    least = (curvature + other - np.hypot(curvature - other, 2.0)) / 2
    shift = np.maximum(FLAT - least, 0.0) + FLAT
    a, b = curvature + shift, other + shift
    step = -(b * gradient - gradient.T) / (a * b - 1)
    np.fill_diagonal(step, 0.0)
    return step


def _search(
    w: Floats, step: Floats, inside: Floats, p: Floats, value: float
) -> tuple[Floats, float] | None:
    """The longest of halved steps that lowers the criterion; None where none does."""
    for length in _lengths(step):
        moved = w + length * step @ w
        found = _criterion(moved, inside, p)
        if found < value + ROUNDING:
            return _scaled(moved, inside, p), found
    return None


def _lengths(step: Floats) -> Iterator[float]:
    length = min(1.0, 1.0 / np.abs(step).max(initial=1e-300))
    while length > SHORTEST:
        yield length
        length /= 2


def _scaled(w: Floats, inside: Floats, p: Floats) -> Floats:
    """Rows of mean variance 1."""
    return w / np.sqrt(np.einsum("e,ij,ejk,ik->i", p, w, inside, w))[:, None]


def _signed(w: Floats) -> Floats:
    """The largest entry of each row positive."""
    return w * np.sign(np.take_along_axis(w, np.abs(w).argmax(1)[:, None], 1))


def leakage(variances: Floats, counts: Floats) -> Floats:
    """Standard errors of how much of row j is in row i, both of mean variance 1.

    From the information that `counts` normal rows with these variances (covariances, d) have of
    each pair of entries of the relative unmixing.
    """
    n = counts.sum()
    curvature = np.einsum("e,ej,ei->ij", counts / n, variances, 1 / variances)
    told = curvature * curvature.T - 1
    with np.errstate(divide="ignore"):
        found: Floats = np.sqrt(curvature.T / (n * np.where(told > FLAT, told, 0.0)))
    np.fill_diagonal(found, 0.0)
    return found
