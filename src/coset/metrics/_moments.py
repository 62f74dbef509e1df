"""Centred second moments of two arrays: one pass, any chunking, any merge tree."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dsymv, dsyr2

from .._arrays import as_rows, refuse_nonfinite, refuse_unequal
from .._core import BadInput, Floats
from ._gram import add_gram, weighted_sums
from ._second import SecondOrder
from ._spectra import (
    AMBIGUOUS,
    Whitening,
    live_columns,
    resolution,
    solve_gram,
    whiten_gram,
)

BLOCK = 1024
TILE = 32
"""Columns that are mirrored at a time: both triangles of a tile stay in the nearest cache."""
FAR = 30.0


class Moments(SecondOrder):
    """n, means and centred co-moments of `[a, b]`, and the fourth-order sums of debiased CKA.

    `update` works in place, `merge` returns a new object; both are exact in float64 whatever the
    chunking, because rows are centred before they are multiplied and partial results are joined
    by Chan's update.

    Example:
        >>> rows = np.random.default_rng(0).normal(size=(100, 5))
        >>> whole = Moments().update(rows, rows[:, :2])
        >>> parts = Moments().update(rows[:9], rows[:9, :2])
        >>> parts = parts.merge(Moments().update(rows[9:], rows[9:, :2]))
        >>> bool(abs(whole.cka().value - parts.cka().value) < 1e-12)
        True

    References:
        chan1983, song2012
    """

    route: ClassVar[str] = "gram"

    def __init__(self) -> None:
        self._n = 0
        self._p = 0
        self.tolerance = 0.0
        # All sums below are about the point `_about`; `_sum` is what the mean differs by, times n.
        self._about = np.zeros(0)
        self._sum = np.zeros(0)
        self._squares = np.zeros((0, 0), order="F")  # lower triangle only
        self._weighted = np.zeros((2, 0))  # sums of |a|^2 z and |b|^2 z
        self._quartic = np.zeros(3)  # sums of |a|^4, |a|^2 |b|^2, |b|^4
        self._mirrored = True
        # What has been worked out of the sums, kept until they change.
        self._white: tuple[Whitening, Whitening, Floats] | None = None
        self._axes: tuple[tuple[Floats, Floats], tuple[Floats, Floats]] | None = None

    # -- accumulation ---------------------------------------------------------------------------

    def update(self, rows_a: Any, rows_b: Any, *, first_row: int = 0) -> Moments:
        """Take in more rows of both sides, all of them or, where one is refused, none.

        Args:
            rows_a: (m, p).
            rows_b: (m, q); row i of both is the same thing.
            first_row: what to call the first row in an error message.
        """
        a, b = as_rows(rows_a, "a"), as_rows(rows_b, "b")
        refuse_unequal(len(a), len(b))
        if self._n and len(a) <= BLOCK:
            self._refuse_other_columns(a, b)
            self._take_in(a, b, first_row)
            self.tolerance = max(self.tolerance, resolution(a), resolution(b))
            return self
        fresh = Moments()
        fresh._begin(a, b)
        for start in range(0, len(a), BLOCK):
            fresh._take_in(a[start : start + BLOCK], b[start : start + BLOCK], first_row + start)
        if self._n:
            return self._absorb(fresh)
        self.__dict__.update(fresh.__dict__)
        return self

    def merge(self, *others: Moments) -> Moments:
        """The moments of the rows of all; a new object."""
        return self._copy()._absorb(*others)

    def _absorb(self, *others: Moments) -> Moments:
        """Take in the rows that others took in; returns itself."""
        parts = [m for m in others if m._n]
        if parts and not self._n:
            first, *parts = parts
            self.__dict__.update(first._copy().__dict__)
        if not parts:
            return self.settle()
        for part in parts:
            if (part._p, len(part._about)) != (self._p, len(self._about)):
                raise BadInput(
                    f"moments of {self.p} and {self.q} columns cannot be merged with moments "
                    f"of {part.p} and {part.q}: all shards need the same columns"
                )
        start, total = self._about, self._n + sum(part._n for part in parts)
        apart = sum((part._about - start) * part._n + part._sum for part in parts)
        mean = start + (self._sum + apart) / total
        self._move(mean)
        for part in parts:
            weighted, quartic = part._fourth_about(mean)
            self._squares += part._squares
            self._squares = _shifted(self._squares, part._sum, part._about - mean, part._n)
            self._weighted += weighted
            self._quartic += quartic
        self._n = total
        self.tolerance = max(self.tolerance, *(part.tolerance for part in parts))
        self._sum = np.zeros_like(mean)
        return self

    def _begin(self, a: NDArray, b: NDArray) -> None:
        width = a.shape[1] + b.shape[1]
        self._p = a.shape[1]
        self.tolerance = max(resolution(a), resolution(b))
        self._about = np.zeros(width)
        self._sum = np.zeros(width)
        self._squares = np.zeros((width, width), order="F")
        self._weighted = np.zeros((2, width))

    def _refuse_other_columns(self, a: NDArray, b: NDArray) -> None:
        if (a.shape[1], b.shape[1]) != (self.p, self.q):
            raise BadInput(
                f"rows have {a.shape[1]} and {b.shape[1]} columns where earlier ones had {self.p} "
                f"and {self.q}: every block needs the same columns"
            )

    def _take_in(self, a: NDArray, b: NDArray, first: int) -> None:
        rows, ones = np.empty((len(a), len(self._about))), np.ones(len(a))
        if not self._n:
            self._about = np.hstack([a[:16].mean(0, dtype=float), b[:16].mean(0, dtype=float)])
        with np.errstate(invalid="ignore", over="ignore"):
            rows[:, : self._p], rows[:, self._p :] = a, b  # widened first: twice as fast
            rows -= self._about
            if not self._n:  # the first block sets the reference point
                shift = rows.sum(0) / len(rows)
                rows -= shift
                self._about += shift
            sizes = np.stack([ones, *(np.vecdot(side, side) for side in self._sides(rows))])
            sums = weighted_sums(sizes, rows)
            usable = np.isfinite(sums[0]).all() and np.isfinite(sizes.sum(1) ** 2).all()
        if not usable:
            refuse_nonfinite(a, "a", first)
            refuse_nonfinite(b, "b", first)
            raise BadInput("values are too large to be squared; divide the columns first")
        if self._n and self._strayed(sums[0] / len(rows)):
            self._absorb(Moments().update(a, b))
            return
        add_gram(self._squares, rows)
        self._sum += sums[0]
        self._weighted += sums[1:]
        self._quartic += [sizes[1] @ sizes[1], sizes[1] @ sizes[2], sizes[2] @ sizes[2]]
        self._n += len(rows)
        self._mirrored, self._white, self._axes = False, None, None

    def _sides(self, rows: Floats) -> tuple[Floats, Floats]:
        return rows[:, : self._p], rows[:, self._p :]

    def _strayed(self, shift: Floats) -> bool:
        """Is this block so far from the reference point that squares about it lose digits?"""
        spread = np.sqrt(np.maximum(np.diagonal(self._squares), 0.0) / self._n)
        return bool((np.abs(shift) > FAR * spread + 1e-300).any())

    # -- changing the point of reference ----------------------------------------------------------

    def _copy(self) -> Moments:
        new = Moments()
        for name, value in self.__dict__.items():
            new.__dict__[name] = value.copy(order="K") if isinstance(value, np.ndarray) else value
        return new

    def settle(self) -> Moments:
        """Make the mean the point of reference, which changes no value; returns itself."""
        if self._n and self._sum.any():
            self._move(self._about + self._sum / self._n)
            self._sum = np.zeros_like(self._sum)
        return self

    def _move(self, point: Floats) -> None:
        """Re-express every sum about another point."""
        d = self._about - point
        self._weighted, self._quartic = self._fourth_about(point)
        self._squares = _shifted(self._squares, self._sum, d, self._n)
        self._sum = self._sum + self._n * d
        self._about = point
        self._mirrored, self._white, self._axes = False, None, None

    def _fourth_about(self, point: Floats) -> tuple[Floats, Floats]:
        """The weighted and quartic sums about another point: z becomes z + d, d = old - new."""
        d, p, s, n = self._about - point, self._p, self._sum, self._n
        in_a, in_b = d.copy(), d.copy()
        in_a[p:], in_b[:p] = 0.0, 0.0
        to_a = dsymv(1.0, self._squares, in_a, lower=1)  # sums of (a.d) z
        to_b = dsymv(1.0, self._squares, in_b, lower=1)
        size = np.diagonal(self._squares)
        size_a, size_b = size[:p].sum(), size[p:].sum()
        norm_a, norm_b = in_a @ in_a, in_b @ in_b
        lin_a, lin_b = 2 * (in_a @ s) + n * norm_a, 2 * (in_b @ s) + n * norm_b
        for_a, for_b = self._weighted
        quartic = self._quartic + np.array([
            4 * (in_a @ for_a) + 4 * (in_a @ to_a) + 2 * norm_a * (size_a + in_a @ s)
            + norm_a * lin_a,
            2 * (in_b @ for_a) + 2 * (in_a @ for_b) + 4 * (in_a @ to_b)
            + norm_b * size_a + norm_a * size_b
            + 2 * norm_b * (in_a @ s) + norm_a * lin_b,
            4 * (in_b @ for_b) + 4 * (in_b @ to_b) + 2 * norm_b * (size_b + in_b @ s)
            + norm_b * lin_b,
        ])  # fmt: skip
        weighted = np.stack([
            for_a + 2 * to_a + norm_a * s + d * (size_a + lin_a),
            for_b + 2 * to_b + norm_b * s + d * (size_b + lin_b),
        ])  # fmt: skip
        return weighted, quartic

    def _symmetric(self) -> Floats:
        """The squares with their upper triangle filled in."""
        if not self._mirrored:
            squares, width = self._squares, len(self._squares)
            for i in range(0, width, TILE):
                corner = squares[i : i + TILE, i : i + TILE]
                corner[...] = np.tril(corner) + np.tril(corner, -1).T
                squares[i : i + TILE, i + TILE :] = squares[i + TILE :, i : i + TILE].T
            self._mirrored = True
        return self._squares

    # -- what is known ----------------------------------------------------------------------------

    @property
    def n(self) -> int:
        """Rows taken in."""
        return self._n

    @property
    def p(self) -> int:
        """Columns of a."""
        return self._p

    @property
    def q(self) -> int:
        """Columns of b."""
        return len(self._about) - self._p

    @property
    def mean_a(self) -> Floats:
        """Column means of a."""
        return self.settle()._about[: self._p]

    @property
    def mean_b(self) -> Floats:
        """Column means of b."""
        return self.settle()._about[self._p :]

    @property
    def aa(self) -> Floats:
        """Centred co-moments of a with itself (p, p)."""
        return self.settle()._symmetric()[: self._p, : self._p]

    @property
    def ab(self) -> Floats:
        """Centred co-moments of a with b (p, q)."""
        return self.settle()._symmetric()[: self._p, self._p :]

    @property
    def bb(self) -> Floats:
        """Centred co-moments of b with itself (q, q)."""
        return self.settle()._symmetric()[self._p :, self._p :]

    @property
    def quartic(self) -> Floats:
        """Sums of |a|^4, |a|^2 |b|^2 and |b|^4 over centred rows."""
        return self.settle()._quartic

    def swapped(self) -> Moments:
        """The same moments with the sides exchanged."""
        new = Moments()
        new.__dict__.update(self.settle().__dict__)
        new._p = q = self.q
        new._about, new._sum = np.roll(self._about, q), np.roll(self._sum, q)
        new._squares = np.roll(self._symmetric(), (q, q), (0, 1))
        new._weighted = np.roll(self._weighted[::-1], q, 1)
        new._quartic = self._quartic[::-1].copy()
        new._mirrored, new._white, new._axes = True, None, None
        return new

    def with_cross(self, ab: Floats, product: float | None = None) -> Moments:
        """The same sides under another pairing of their rows, known by its cross-moments.

        Args:
            ab: (p, q).
            product: sum of |a|^2 |b|^2; by default what independent pairs have on average.
        """
        new = self.settle()._copy()
        new._squares[self._p :, : self._p] = ab.T
        new._mirrored = False
        new._white, new._axes = None, self._axes
        if self._white is not None:
            side_a, side_b, _ = self._white
            new._white = side_a, side_b, side_a.basis.T @ ab @ side_b.basis
        mean = np.trace(self.aa) * np.trace(self.bb) / self.n
        new._quartic[1] = mean if product is None else product
        return new

    # -- linear algebra on this route -------------------------------------------------------------

    def norms(self) -> tuple[Floats, Floats]:
        """Norms of the centred columns of a and of b; 0 for constant ones."""
        return (
            live_columns(np.diagonal(self.aa), self.mean_a, self.n, self.tolerance),
            live_columns(np.diagonal(self.bb), self.mean_b, self.n, self.tolerance),
        )

    def whitened(self) -> tuple[Whitening, Whitening, Floats]:
        """Whitening of each side, and their coherence: the inner products of the whitened rows."""
        if self._white is None:
            if self._n < 2:
                raise BadInput(f"{self._n} rows taken in; at least 2 are needed")
            norms_a, norms_b = self.norms()
            side_a = whiten_gram(self.aa, norms_a, self.tolerance)
            side_b = whiten_gram(self.bb, norms_b, self.tolerance)
            self._white = side_a, side_b, side_a.basis.T @ self.ab @ side_b.basis
        return self._white

    def principal(self) -> tuple[Floats, Floats]:
        """Singular values of the centred columns of a and of b, largest first."""
        (sizes_a, _), (sizes_b, _) = self._principal_axes()
        return sizes_a, sizes_b

    def principal_coherence(self, keep_a: int, keep_b: int) -> Floats:
        """Inner products of the leading left singular vectors of both sides."""
        (sizes_a, axes_a), (sizes_b, axes_b) = self._principal_axes()
        left, right = axes_a[:, :keep_a] / sizes_a[:keep_a], axes_b[:, :keep_b] / sizes_b[:keep_b]
        return left.T @ self.ab @ right

    def _principal_axes(self) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
        """Singular values and right singular vectors of the centred columns of both sides."""
        if self._axes is None:
            self._axes = _axes(self.aa), _axes(self.bb)
        return self._axes

    def solve(self, right: Floats) -> Floats:
        """Minimum-norm x (p, k) with aa x = right, rank-aware."""
        return solve_gram(self.aa, right, self.norms()[0], self.tolerance)

    def residual(self, matrix: Floats, offset: Floats) -> Floats:
        """Summed squared error of `b - (matrix a + offset)`, per column of b."""
        shift = self.mean_b - matrix @ self.mean_a - offset
        explained = np.vecdot(matrix, self.ab.T)
        centred = np.diagonal(self.bb) - 2 * explained + _spread(matrix, self.aa)
        return np.maximum(centred, 0.0) + self.n * shift**2

    def ill_conditioned(self) -> bool:
        """Would the Gram route lose digits that an orthogonal factorisation keeps?"""
        side_a, side_b, _ = self.whitened()
        return min(side_a.sharpness, side_b.sharpness) < AMBIGUOUS


def _shifted(squares: Floats, total: Floats, d: Floats, n: int) -> Floats:
    """Sums of squares, in place, of rows that move by d: total is the sum of the rows before."""
    return dsyr2(1.0, total + n / 2 * d, d, lower=1, a=squares, overwrite_a=1)


def _axes(gram: Floats) -> tuple[Floats, Floats]:
    values, vectors = np.linalg.eigh(gram)
    return np.sqrt(np.maximum(values[::-1], 0.0)), vectors[:, ::-1]


def _spread(matrix: Floats, gram: Floats) -> Floats:
    """Diagonal of matrix gram matrixᵀ; without a product where rows have one entry each."""
    columns = np.abs(matrix).argmax(1)
    entries = matrix[np.arange(len(matrix)), columns]
    if np.count_nonzero(matrix) == np.count_nonzero(entries):
        return entries**2 * np.diagonal(gram)[columns]
    return np.vecdot(matrix @ gram, matrix)
