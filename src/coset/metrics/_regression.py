"""How much of one code a regression on the other predicts, both ways."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from threadpoolctl import threadpool_limits

from .._arrays import as_pair
from .._core import BadInput, Floats, Score
from ._checks import generator, refuse_faint, whole_number
from ._kernel_ridge import fit_kernel_ridge
from ._least_squares import constant_columns, fit_least_squares

Average = Literal["pooled", "uniform"]


@dataclass(frozen=True, eq=False, repr=False)
class R2(Score):
    """Two-way coefficient of determination: the lesser of a -> b and b -> a."""

    ab: float
    ba: float
    columns_ab: Floats
    """Per column of b; NaN where the column is constant."""
    columns_ba: Floats
    """Per column of a; NaN where the column is constant."""
    rows: int
    """Rows that were used: fewer than given where a kernel took a sample."""
    folds: int | None
    """None where the rows that were fitted were also scored."""
    average: str
    constant_a: int
    """Columns of a that hold one value: no variance to predict, nothing to predict from."""
    constant_b: int


def r2(
    a: Any,
    b: Any,
    *,
    folds: int = 5,
    seed: int = 0,
    in_sample: bool = False,
    kernel: bool = False,
    average: Average = "pooled",
    kernel_rows: int = 2000,
) -> R2:
    """Share of variance that a regression predicts, held out, the lesser of the two directions.

    R2(a -> b) = 1 - sum_j SSE_j / sum_j SST_j over the columns j of b: columns weigh by their
    variance. SSE collects the errors of every row when its fold was left out of the fit; SST is
    about the mean of all rows. Negative values stay: worse than the mean. `average="uniform"` is
    the mean of 1 - SSE_j / SST_j instead, the custom of published tables.

    Constant columns have no variance to predict: they are left out of the average, NaN in
    `columns_ab` and counted in `constant_b`. Duplicated columns and fewer rows than columns are
    answered by the least-squares solution of minimum norm (`fit_least_squares` states the
    tolerance). Independent codes give about -(p + 1) / (m - p - 2) held out, for m training rows
    and p columns, and p / (n - 1) in sample.

    Linear, full rank: unchanged by any invertible affine map of the predicting side, and (pooled)
    by rotation, one scale and offset of the predicted side. With a kernel: by rotation, one scale
    and offset of either side.

    Args:
        a: rows of observations (n, p).
        b: rows of observations (n, q), row i of the same thing as row i of a.
        folds: rows are shuffled and cut into this many folds.
        seed: of the shuffle, and of the sample that a kernel takes.
        in_sample: fit and score on the same rows, as many published scores do.
        kernel: ridge regression with a Gaussian kernel; its width and ridge are chosen by
            leave-one-out on the training rows of each fold (`fit_kernel_ridge` states the search).
        average: "pooled" or "uniform" over the predicted columns.
        kernel_rows: with `kernel`, at most this many rows, sampled without replacement.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> a = rng.standard_normal((200, 3))
        >>> b = a @ rng.standard_normal((3, 2)) + 1
        >>> score = r2(a, b)
        >>> round(score.ab, 6), score.ba < 0.9
        (1.0, True)

    References:
        hastie2009, rasmussen2006
    """
    a, b = as_pair(a, b)
    refuse_faint(a, b)
    if average not in ("pooled", "uniform"):
        raise BadInput(f'average={average!r}; give "pooled" (weighed by variance) or "uniform"')
    order = generator(seed).permutation(len(a))
    if kernel:
        order = order[: whole_number(kernel_rows, "kernel_rows", 3)]
    n = len(order)
    _refuse_few(n, folds, in_sample=in_sample)
    if in_sample and not kernel and n - 1 <= max(a.shape[1], b.shape[1]):
        warnings.warn(
            f"in-sample R2 of {max(a.shape[1], b.shape[1])} columns on {n} rows is 1 for unrelated "
            f"data as well: use in_sample=False, or more rows",
            UserWarning,
            stacklevel=2,
        )
    a, b = a[order], b[order]
    tests = [slice(None)] if in_sample else _folds(n, folds)
    # kernels: more threads gain nothing at these sizes, and on busy cores they wait for each other
    with threadpool_limits(1 if kernel else None, "blas"):
        columns_ab = _columns(a, b, tests, in_sample=in_sample, kernel=kernel)
        columns_ba = _columns(b, a, tests, in_sample=in_sample, kernel=kernel)
    ab, ba = _average(columns_ab, b, average, "b"), _average(columns_ba, a, average, "a")
    return R2(
        value=min(ab, ba),
        ab=ab,
        ba=ba,
        columns_ab=columns_ab,
        columns_ba=columns_ba,
        rows=n,
        folds=None if in_sample else folds,
        average=average,
        constant_a=int(constant_columns(a).sum()),
        constant_b=int(constant_columns(b).sum()),
    )


def _refuse_few(n: int, folds: int, *, in_sample: bool) -> None:
    if n < 3:
        raise BadInput(f"a regression needs at least 3 rows, not {n}")
    if not in_sample and not 2 <= whole_number(folds, "folds", 2) <= n:
        raise BadInput(f"folds={folds} on {n} rows; give a number from 2 to {n}")


def _folds(n: int, folds: int) -> list[slice]:
    """Consecutive cuts of rows that are shuffled already, equal to within one row."""
    edges = np.linspace(0, n, folds + 1).round().astype(int)
    return [slice(int(i), int(j)) for i, j in pairwise(edges)]


def _columns(x: Floats, y: Floats, tests: list[slice], *, in_sample: bool, kernel: bool) -> Floats:
    fit = fit_kernel_ridge if kernel else fit_least_squares
    error = np.zeros(y.shape[1])
    for test in tests:
        train = np.ones(len(x), dtype=bool)
        train[test] = in_sample
        residual = y[test] - fit(x[train], y[train])(x[test])
        error += np.einsum("ij,ij->j", residual, residual)
    total = _total(y)
    return 1 - np.divide(error, total, out=np.full_like(error, np.nan), where=total > 0)


def _total(y: Floats) -> Floats:
    """Sum of squares about the mean, exactly zero where the column is constant."""
    total = ((y - y.mean(axis=0)) ** 2).sum(axis=0)
    total[constant_columns(y)] = 0
    return total


def _average(columns: Floats, y: Floats, average: str, name: str) -> float:
    live = np.isfinite(columns)
    if not live.any():
        raise BadInput(f"every column of {name} is constant: there is no variance to predict")
    weights = _total(y)[live] if average == "pooled" else None
    return float(np.average(columns[live], weights=weights))
