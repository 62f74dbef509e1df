"""Independent codes of any data: why independence alone identifies nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import cumulative_simpson
from scipy.linalg import solve_triangular
from scipy.special import ndtr

from .._arrays import as_matrix
from .._core import BadInput, Floats

BLOCK = 512
"""Rows whose conditional law is integrated at a time."""
LogDensity = Callable[[Floats], Floats]
"""Rows (n, 2) → the logarithm of their density (n,); -inf where there is none."""


@dataclass(frozen=True, eq=False)
class NormalDarmois:
    """u_k = F(x_k | x_1, …, x_{k-1}) of a normal law: call it on rows."""

    mean: Floats
    factor: Floats
    """Lower triangular, of the covariance."""

    def __call__(self, x: Floats) -> Floats:
        """Codes (n, d), independent and uniform on (0, 1)."""
        centred = as_matrix(x, "x") - self.mean
        found: Floats = ndtr(solve_triangular(self.factor, centred.T, lower=True).T)
        return found


@dataclass(frozen=True, eq=False)
class PlaneDarmois:
    """u_1 = F(x_1), u_2 = F(x_2 | x_1) of a density in the plane: call it on rows."""

    log_density: LogDensity
    first: Floats
    """Values of x_1 at which the marginal law was integrated."""
    second: Floats
    """Values of x_2 over which every conditional law is integrated."""
    marginal: Floats
    """Density of x_1 at `first`."""
    mass: float
    """Of the rectangle: near 1 where it holds the law and the density is normalised."""

    def __call__(self, x: Floats) -> Floats:
        """Codes (n, 2), independent and uniform on (0, 1)."""
        rows = as_matrix(x, "x")
        blocks = np.array_split(rows, -(-len(rows) // BLOCK))
        head = _distribution(rows[:, 0], self.first, self.marginal[None])
        return np.stack([head, np.concatenate([self._second(block) for block in blocks])], axis=1)

    def _second(self, rows: Floats) -> Floats:
        given = _on_grid(self.log_density, rows[:, 0], self.second)
        return _distribution(rows[:, 1], self.second, given)


def darmois_normal(rows: Floats) -> NormalDarmois:
    """The construction of Darmois for the normal law with the moments of these rows.

    With the Cholesky factor C of the covariance, u = Φ(C⁻¹ (x - mean)).

    Args:
        rows: (n, d), n above d.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> x = rng.normal(size=(5000, 2)) @ np.array([[1.0, 0.5], [0.0, 1.0]])
        >>> codes = darmois_normal(x)(x)
        >>> bool(abs(np.corrcoef(codes.T)[0, 1]) < 0.01)
        True

    References:
        hyvarinen1999
    """
    x = as_matrix(rows, "rows")
    covariance: Floats = np.atleast_2d(np.cov(x, rowvar=False))
    try:
        factor = np.asarray(np.linalg.cholesky(covariance), dtype=np.float64)
    except np.linalg.LinAlgError as error:
        raise BadInput(
            f"{len(x)} rows of {x.shape[1]} columns have a singular covariance: drop columns that "
            f"are sums of others, or give more rows than columns"
        ) from error
    return NormalDarmois(x.mean(0), factor)


def darmois_plane(
    log_density: LogDensity,
    low: tuple[float, float],
    high: tuple[float, float],
    *,
    points: int = 513,
) -> PlaneDarmois:
    """The construction of Darmois for any density in the plane, by Simpson's rule.

    Args:
        log_density: of rows (n, 2).
        low: corner of a rectangle that holds the law.
        high: the opposite corner.
        points: on each axis; errors fall with their fourth power where the density is smooth.

    Example:
        >>> darmois = darmois_plane(lambda x: -0.5 * (x**2).sum(1), (-8, -8), (8, 8))
        >>> darmois([[0.0, 0.0], [1.0, -1.0]]).round(6)
        array([[0.5     , 0.5     ],
               [0.841345, 0.158655]])
        >>> round(darmois.mass / (2 * np.pi), 6)
        1.0

    References:
        hyvarinen1999
    """
    if points < 5 or not (np.asarray(low) < np.asarray(high)).all():
        raise BadInput(
            f"low={low}, high={high}, points={points}; low must be below high, and 5 points are "
            f"needed on each axis"
        )
    first, second = (np.linspace(low[k], high[k], points) for k in range(2))
    parts = np.array_split(first, -(-points // BLOCK))
    marginal = np.concatenate(
        [_cumulative(_on_grid(log_density, part, second), second)[:, -1] for part in parts]
    )
    mass = float(_cumulative(marginal[None], first)[0, -1])
    if not (np.isfinite(mass) and mass > 0):
        raise BadInput(f"the density has mass {mass} between {low} and {high}; give other corners")
    return PlaneDarmois(log_density, first, second, marginal, mass)


def _on_grid(log_density: LogDensity, first: Floats, second: Floats) -> Floats:
    """The density at every pair (len(first), len(second))."""
    pairs = np.stack(np.meshgrid(first, second, indexing="ij"), axis=-1).reshape(-1, 2)
    found: Floats = np.exp(np.asarray(log_density(pairs), dtype=float))
    return found.reshape(len(first), len(second))


def _cumulative(density: Floats, grid: Floats) -> Floats:
    """∫ of each row from the first point of the grid to every point."""
    found: Floats = cumulative_simpson(density, dx=grid[1] - grid[0], axis=1, initial=0.0)
    return found


def _distribution(at: Floats, grid: Floats, density: Floats) -> Floats:
    """F(at) under densities given on a grid, one for all rows or one for each.

    Between two points F is the cubic with the values and the slopes that are known there.
    """
    step = grid[1] - grid[0]
    cell = np.clip(((at - grid[0]) // step).astype(int), 0, len(grid) - 2)
    share = np.clip((at - grid[cell]) / step, 0.0, 1.0)
    total = _cumulative(density, grid)
    row = np.zeros(len(at), dtype=int) if len(density) == 1 else np.arange(len(at))
    below, above = total[row, cell], total[row, cell + 1]
    rise, fall = step * density[row, cell], step * density[row, cell + 1]
    gain = above - below
    value = below + share * (
        rise + share * (3 * gain - 2 * rise - fall + share * (rise + fall - 2 * gain))
    )
    whole = total[row, -1]
    if not (whole > 0).all():
        raise BadInput(
            f"the density is 0 along the whole of row {int(np.argmin(whole > 0))}'s line; widen "
            f"the rectangle, or drop rows outside the law"
        )
    return np.clip(value / whole, 0.0, 1.0)
