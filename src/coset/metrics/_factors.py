"""Second moments kept as a triangular factor: exact where the Gram route loses digits."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.linalg import qr

from .._arrays import as_rows, refuse_nonfinite, refuse_unequal
from .._core import BadInput, Floats
from ._second import SecondOrder
from ._spectra import EPSILON, Whitening, inverse_norms, live_columns, refuse_constant, resolution

BLOCKS_OF_WIDTH = 4


class Factors(SecondOrder):
    """The R of a QR factorisation of `[1, a, b]`, merged chunk by chunk.

    R has the Gram matrix of the data but its condition number, not that squared: below its first
    row it serves as the centred data themselves, with p + q rows instead of n.

    Example:
        >>> rows = np.random.default_rng(0).normal(size=(50, 4))
        >>> scaled = rows * [1, 1e-10, 1, 1e10]
        >>> f"{Factors().update(scaled, rows).cca().value:.6f}"
        '1.000000'

    References:
        demmel2012
    """

    route: ClassVar[str] = "exact"

    def __init__(self) -> None:
        self._n = 0
        self._p = 0
        self.tolerance = 0.0
        self._about = np.zeros(0)
        self._factor = np.zeros((0, 1))

    def update(self, rows_a: Any, rows_b: Any, *, first_row: int = 0) -> Factors:
        """Take in more rows of both sides; returns itself."""
        a, b = as_rows(rows_a, "a"), as_rows(rows_b, "b")
        refuse_unequal(len(a), len(b))
        refuse_nonfinite(a, "a", first_row)
        refuse_nonfinite(b, "b", first_row)
        width = a.shape[1] + b.shape[1]
        if not self._n:
            self._p = a.shape[1]
            self._about = np.hstack([a.mean(0, dtype=float), b.mean(0, dtype=float)])
            self._factor = np.zeros((0, 1 + width))
        elif (a.shape[1], width) != (self._p, len(self._about)):
            raise BadInput("every block needs the same columns")
        self.tolerance = max(self.tolerance, resolution(a), resolution(b))
        for start in range(0, len(a), BLOCKS_OF_WIDTH * (1 + width)):
            part = slice(start, start + BLOCKS_OF_WIDTH * (1 + width))
            rows = np.empty((len(a[part]), 1 + width))
            rows[:, 0] = 1.0
            np.subtract(a[part], self._about[: self._p], out=rows[:, 1 : 1 + self._p])
            np.subtract(b[part], self._about[self._p :], out=rows[:, 1 + self._p :])
            self._factor = _triangle(np.vstack([self._factor, rows]))
        self._n += len(a)
        return self

    def merge(self, *others: Factors) -> Factors:
        """The factor of the rows of all; a new object."""
        parts = [part for part in (self, *others) if part._n]
        if not parts:
            return Factors()
        first = parts[0]
        stack = []
        for part in parts:
            if (part._p, len(part._about)) != (first._p, len(first._about)):
                raise BadInput("factors of different columns cannot be merged")
            moved = part._factor.copy()
            moved[:, 1:] += moved[:, :1] * (part._about - first._about)
            stack.append(moved)
        factor = _triangle(np.vstack(stack)) if len(stack) > 1 else stack[0]
        merged = first._with(factor, sum(part._n for part in parts))
        merged.tolerance = max(part.tolerance for part in parts)
        return merged

    def _with(self, factor: Floats, n: int) -> Factors:
        new = Factors()
        new.__dict__.update(self.__dict__)
        new._factor, new._n = factor, n
        return new

    @property
    def _centred(self) -> tuple[Floats, Floats]:
        rows = self._factor[1:, 1:]
        return rows[:, : self._p], rows[:, self._p :]

    @property
    def _mean(self) -> Floats:
        return self._about + self._factor[0, 1:] / self._factor[0, 0]

    @property
    def n(self) -> int:
        """Rows taken in."""
        return self._n

    @property
    def mean_a(self) -> Floats:
        """Column means of a."""
        return self._mean[: self._p]

    @property
    def mean_b(self) -> Floats:
        """Column means of b."""
        return self._mean[self._p :]

    @property
    def aa(self) -> Floats:
        """Centred co-moments of a with itself (p, p)."""
        return self._centred[0].T @ self._centred[0]

    @property
    def ab(self) -> Floats:
        """Centred co-moments of a with b (p, q)."""
        return self._centred[0].T @ self._centred[1]

    @property
    def bb(self) -> Floats:
        """Centred co-moments of b with itself (q, q)."""
        return self._centred[1].T @ self._centred[1]

    def swapped(self) -> Factors:
        """The same factor with the sides exchanged."""
        width = len(self._about)
        order = np.r_[self._p : width, 0 : self._p]
        new = self._with(_triangle(self._factor[:, np.r_[0, 1 + order]]), self._n)
        new._p, new._about = width - self._p, self._about[order]
        return new

    def norms(self) -> tuple[Floats, Floats]:
        """Norms of the centred columns of a and of b; 0 for constant ones."""
        a, b = self._centred
        return (
            live_columns(np.einsum("ij,ij->j", a, a), self.mean_a, self.n, self.tolerance),
            live_columns(np.einsum("ij,ij->j", b, b), self.mean_b, self.n, self.tolerance),
        )

    def whitened(self) -> tuple[Whitening, Whitening, Floats]:
        """Whitening of each side, and their coherence: the inner products of the whitened rows."""
        sides = [
            self._left(rows, norms) for rows, norms in zip(self._centred, self.norms(), strict=True)
        ]
        (left_a, side_a), (left_b, side_b) = sides
        return side_a, side_b, left_a.T @ left_b

    def _left(self, rows: Floats, norms: Floats) -> tuple[Floats, Whitening]:
        refuse_constant(norms)
        scale = inverse_norms(norms)
        left, sizes, right = np.linalg.svd(rows * scale, full_matrices=False)
        kept = sizes > sizes[0] * max(self.tolerance, 8 * len(scale) * EPSILON)
        left, sizes, right = left[:, kept], sizes[kept], right[kept]
        basis = scale[:, None] * right.T / sizes
        return left, Whitening(basis, float((sizes[-1] / sizes[0]) ** 2))

    def principal(self) -> tuple[Floats, Floats]:
        """Singular values of the centred columns of a and of b, largest first."""
        return tuple(np.linalg.svd(x, compute_uv=False) for x in self._centred)  # type: ignore[return-value]

    def principal_coherence(self, keep_a: int, keep_b: int) -> Floats:
        """Inner products of the leading left singular vectors of both sides."""
        left_a, left_b = (np.linalg.svd(x, full_matrices=False)[0] for x in self._centred)
        return left_a[:, :keep_a].T @ left_b[:, :keep_b]

    def solve(self, right: Floats) -> Floats:
        """Minimum-norm x (p, k) with aa x = right, rank-aware."""
        norms = self.norms()[0]
        if not norms.any():
            return np.zeros_like(right)
        basis = self._left(self._centred[0], norms)[1].basis
        return basis @ (basis.T @ right)

    def regression(self) -> Floats:
        """The least-squares matrix (q, p), from the factor itself rather than its square."""
        a, b = self._centred
        norms = self.norms()[0]
        if not norms.any():
            return np.zeros((b.shape[1], a.shape[1]))
        left, side = self._left(a, norms)
        return (side.basis @ (left.T @ b)).T

    def residual(self, matrix: Floats, offset: Floats) -> Floats:
        """Summed squared error of `b - (matrix a + offset)`, per column of b."""
        a, b = self._centred
        error = b - a @ matrix.T
        shift = self.mean_b - matrix @ self.mean_a - offset
        return np.einsum("ij,ij->j", error, error) + self.n * shift**2


def _triangle(rows: Floats) -> Floats:
    return qr(rows, mode="r", overwrite_a=True, check_finite=False)[0][: rows.shape[1]]
