"""Controls from pairs of observations where their law in every environment is given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize

from .._arrays import as_matrix, refuse_unequal
from .._core import BadInput, Floats

STEPS = 2000
FLAT = 1e-4
"""Largest slope at an optimum, in white coordinates."""


@dataclass(frozen=True, eq=False)
class KnownLaws:
    """u = map · (y_t, y_{t+1}), fitted to means and variances that were given."""

    map: Floats
    """(k, 2 d)."""
    value: float
    """Of what was minimised, but for constants."""
    steps: int
    converged: bool

    def controls(self, before: ArrayLike, after: ArrayLike) -> Floats:
        """(n, k): what moved each row `before` to the row `after`."""
        rows = np.hstack([as_matrix(before, "before"), as_matrix(after, "after")])
        found: Floats = rows @ self.map.T
        return found


def fit_known_laws(
    before: ArrayLike,
    after: ArrayLike,
    environments: ArrayLike,
    means: ArrayLike,
    variances: ArrayLike,
    *,
    log_det: bool = True,
) -> KnownLaws:
    """The map V that minimises mean_t ½ Σ_i (V z_t - μ_e)_i² / s_ei - log |det W|, z = (y, y').

    W is the part of V that acts on y'. With the determinant that is the likelihood. Without it, as
    published, the optimum is a weighted regression on the means that are known: a linear system of
    equations, and the zero map where all means are 0. The likelihood is climbed (L-BFGS) from that
    regression, whose signs the means decide, or from y' itself where there are no means.

    Args:
        before: y_t (n, d).
        after: y_{t+1} (n, d).
        environments: (n,), rows of `means` and `variances`.
        means: μ (environments, d), of the controls.
        variances: s (environments, d), of the controls.
        log_det: keep the determinant.

    References:
        rajendran2024
    """
    z, d, e = _pairs(before, after, environments)
    mu, s = np.asarray(means, dtype=float), np.asarray(variances, dtype=float)
    if mu.shape != s.shape or mu.ndim != 2 or mu.shape[1] != d or e.min() < 0 or e.max() >= len(mu):
        raise BadInput(
            f"means {mu.shape} and variances {s.shape}; a row for each of the environments 0 to "
            f"{e.max()} and {d} columns are needed in both"
        )
    if not (s > 0).all():
        raise BadInput("a variance is not positive; every control needs some in each environment")
    share = np.bincount(e, minlength=len(mu)) / len(z)
    groups = [z[e == one] for one in range(len(mu))]
    first = np.stack([group.sum(0) / len(z) for group in groups])
    second = np.stack([group.T @ group / len(z) for group in groups])
    root = np.linalg.cholesky(second.sum(0))
    white = np.linalg.inv(root)
    bent = np.einsum("ei,ejk->ijk", 1 / s, white @ second @ white.T)
    towards = np.einsum("ei,ej->ij", mu / s, first) @ white.T
    rest = float((share[:, None] * mu**2 / s).sum()) / 2
    regression = np.stack([np.linalg.lstsq(a, b)[0] for a, b in zip(bent, towards, strict=True)])
    if not log_det:
        value = rest - float((towards * regression).sum()) / 2
        return KnownLaws(regression @ white, value, 0, converged=True)
    objective = _Objective(bent, towards, rest, white[:, d:])
    start = regression if mu.any() else np.eye(d, 2 * d, d) @ root
    found = minimize(
        objective, start.ravel(), jac=True, method="L-BFGS-B",
        options={"maxiter": STEPS, "maxfun": 2 * STEPS, "maxcor": 30, "ftol": 1e-14, "gtol": 1e-8},
    )  # fmt: skip
    return KnownLaws(
        found.x.reshape(d, 2 * d) @ white, float(found.fun), int(found.nit),
        converged=bool(np.abs(found.jac).max() < FLAT),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Objective:
    """Minus the log likelihood, and its gradient, of a map of white pairs."""

    bent: Floats
    """(d, 2 d, 2 d), second moments weighted for each control."""
    towards: Floats
    """(d, 2 d), first moments likewise."""
    rest: float
    second: Floats
    """(2 d, d), from white pairs to y'."""

    def __call__(self, x: Floats) -> tuple[float, Floats]:
        v = x.reshape(self.towards.shape)
        slope = np.einsum("ijk,ik->ij", self.bent, v)
        fits = float((v * slope).sum()) / 2 - float((self.towards * v).sum()) + self.rest
        w = v @ self.second
        sign, size = np.linalg.slogdet(w)
        if not sign:
            return np.inf, np.zeros_like(x)
        gradient = slope - self.towards - np.linalg.inv(w).T @ self.second.T
        return fits - float(size), gradient.ravel()


def _pairs(
    before: ArrayLike, after: ArrayLike, environments: ArrayLike
) -> tuple[Floats, int, np.ndarray]:
    """Rows (y, y'), the columns of one, and whole numbers for environments."""
    first, second = as_matrix(before, "before"), as_matrix(after, "after")
    e = np.asarray(environments)
    refuse_unequal(len(first), len(second), ("before", "after"))
    refuse_unequal(len(first), len(e), ("before", "environments"))
    if first.shape[1] != second.shape[1] or e.dtype.kind not in "iu":
        raise BadInput(
            f"before has {first.shape[1]} columns, after {second.shape[1]}, environments are "
            f"{e.dtype}; equal columns and whole numbers from 0 on are needed"
        )
    return np.hstack([first, second]), first.shape[1], e
