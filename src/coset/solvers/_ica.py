"""Linear independent component analysis by maximum likelihood."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._arrays import as_matrix
from .._core import Floats
from .._threads import one_blas_thread, usable_cpus
from ._descent import Descent, Direction, Natural, Quasi, descend
from ._fixed_point import fixed_point
from ._likelihood import Likelihood, log_likelihood
from ._whitening import Whitened, whiten

SMALL = 2**17
"""Numbers, below which one thread does it all."""
ENOUGH = 200
"""Rows per latent, at least, in the part of the rows where the search begins."""


@dataclass(frozen=True, eq=False)
class Unmixed:
    """The maximum of the likelihood: codes = (rows - mean) @ unmixing.T."""

    unmixing: Floats
    """(k, p)."""
    mean: Floats
    codes: Floats
    """(n, k): latents up to permutation, sign and scale."""
    signs: Floats
    """+1 where a latent has the density with heavy tails, -1 with light ones."""
    log_likelihood: float
    """Mean over rows, of the k directions that were kept."""
    gradient_norms: tuple[float, ...]
    """Largest entry of the relative gradient of all rows, before each iteration and at the end."""
    iterations: int
    """On all rows."""
    converged: bool

    def transform(self, rows: Any) -> Floats:
        """Codes of other rows."""
        return (as_matrix(rows) - self.mean) @ self.unmixing.T

    @property
    def mixing(self) -> Floats:
        """(p, k): rows are codes @ mixing.T + mean, as far as the kept directions carry them."""
        return np.asarray(np.linalg.pinv(self.unmixing), dtype=np.float64)


def quasi_newton(
    rows: Any,
    k: int | None = None,
    *,
    extended: bool = True,
    orthogonal: bool = False,
    tolerance: float = 1e-7,
    iterations: int = 300,
    head_start: bool = True,
    seed: int = 0,
) -> Unmixed:
    """L-BFGS on the relative gradient, preconditioned by the Hessian of independent latents.

    At W, y = W x, the relative gradient is G = E[ψ(y) yᵀ] - I and its Hessian close to that of
    independent y, H_ij,ij = E[ψ'(y_i) y_j²] and H_ij,ji = 1: blocks of 2 × 2, inverted at once.
    Before that, FastICA's fixed point and some iterations see a part of the rows, if there are
    many.

    Args:
        rows: (n, p).
        k: number of latents; p by default.
        extended: choose for each latent a density with heavier or lighter tails than the normal,
            from the sign of E[ψ'] E[y²] - E[ψ y]; else all have heavy tails.
        orthogonal: whitened codes stay uncorrelated, as FastICA's do.
        tolerance: of the largest entry of the gradient.
        iterations: at most so many on all rows.
        head_start: begin on a part of the rows; else every step is one of L-BFGS on all of them.
        seed: of the rotation that the search begins at.

    Example:
        >>> latents = np.random.default_rng(0).laplace(size=(2000, 2))
        >>> found = quasi_newton(latents @ [[1.0, 2.0], [3.0, 1.0]])
        >>> found.converged, np.abs(np.corrcoef(found.codes.T, latents.T)[:2, 2:]).max(0).round(2)
        (True, array([1., 1.]))

    References:
        ablin2018, ablin2018orthogonal, lee1999
    """
    return _solve(
        rows, k, Quasi, head_start=head_start, extended=extended, orthogonal=orthogonal,
        tolerance=tolerance, iterations=iterations, seed=seed,
    )  # fmt: skip


def natural_gradient(
    rows: Any,
    k: int | None = None,
    *,
    rate: float = 0.5,
    extended: bool = True,
    tolerance: float = 1e-7,
    iterations: int = 1000,
    seed: int = 0,
) -> Unmixed:
    """The covariant rule on all rows: ΔW = rate · (I - E[ψ(y) yᵀ]) W, nothing to invert.

    Args:
        rows: (n, p).
        k: number of latents; p by default.
        rate: of each step; it is halved where the likelihood would fall.
        extended: as for `quasi_newton`.
        tolerance: of the largest entry of the gradient.
        iterations: at most so many.
        seed: of the rotation that the search begins at.

    Example:
        >>> latents = np.random.default_rng(0).laplace(size=(2000, 2))
        >>> natural_gradient(latents @ [[1.0, 2.0], [3.0, 1.0]]).converged
        True

    References:
        mackay1996, amari1998
    """
    return _solve(
        rows, k, lambda: Natural(rate), head_start=False, extended=extended, orthogonal=False,
        tolerance=tolerance, iterations=iterations, seed=seed,
    )  # fmt: skip


def _solve(
    rows: Any,
    k: int | None,
    direction: Callable[[], Direction],
    *,
    head_start: bool,
    extended: bool,
    orthogonal: bool,
    tolerance: float,
    iterations: int,
    seed: int,
) -> Unmixed:
    x = as_matrix(rows, "rows")
    with _workers(x.size) as pool:
        white = whiten(x, k, pool)
        size = len(white.forward)
        unmixing = np.linalg.qr(np.random.default_rng(seed).normal(size=(size, size)))[0]
        likelihood = Likelihood(white.blocks, extended, orthogonal, pool)
        if head_start:
            unmixing = _head_start(likelihood, unmixing)
        found = descend(
            likelihood, unmixing, direction(), tolerance=tolerance, iterations=iterations
        )  # fmt: skip
        codes = np.concatenate(
            list(pool.map(lambda block: block.T @ found.place.unmixing.T, white.blocks))
        )
    return _unmixed(found, likelihood, white, codes)


def _head_start(likelihood: Likelihood, unmixing: Floats) -> Floats:
    """Near the optimum of a part of the rows: blocks at even distances, if there are many."""
    blocks, pool = likelihood.blocks, likelihood.pool
    n = sum(block.shape[1] for block in blocks)
    share = max(n // (ENOUGH * len(unmixing)), 1)
    part = blocks[:: 2 ** (share.bit_length() - 1)]
    if likelihood.extended:
        unmixing = fixed_point(unmixing, part, pool)
    if likelihood.orthogonal or len(part) == len(blocks):
        return unmixing
    seen = replace(likelihood, blocks=part)
    least = 1.0 / np.sqrt(sum(block.shape[1] for block in part))
    return descend(seen, unmixing, Quasi(), tolerance=least, iterations=100).place.unmixing


def _unmixed(found: Descent, likelihood: Likelihood, white: Whitened, codes: Floats) -> Unmixed:
    place = found.place
    density = log_likelihood(place, likelihood.covariance, extended=likelihood.extended)
    return Unmixed(
        unmixing=place.unmixing @ white.forward,
        mean=white.mean,
        codes=codes,
        signs=place.signs,
        log_likelihood=density + white.log_volume,
        gradient_norms=found.steepness,
        iterations=len(found.steepness) - 1,
        converged=found.converged,
    )


class _Alone(Executor):
    """The calling thread does the work itself."""

    def map(self, fn: Callable[..., Any], *iterables: Any, **_: Any) -> Iterator[Any]:
        """As the builtin does."""
        return map(fn, *iterables)


@contextmanager
def _workers(size: int) -> Iterator[Executor]:
    """Threads of this process, one of BLAS each; none where waking them takes longer."""
    count = usable_cpus()
    with one_blas_thread:
        if count == 1 or size < SMALL:
            yield _Alone()
            return
        with ThreadPoolExecutor(count, thread_name_prefix="coset") as pool:
            yield pool
