"""How far the columns of a Jacobian are from orthogonal: independent mechanism analysis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._core import BadInput, Floats, Score


@dataclass(frozen=True, eq=False, repr=False)
class ImaContrast(Score):
    """Mean contrast of the Jacobians of a map, never negative."""

    pointwise: Floats
    """(n,): of each Jacobian."""
    of_mean: float
    """Of the mean Jacobian, as one released implementation has it: another number."""


def ima_contrast(jacobians: Any) -> ImaContrast:
    """mean_i [ Σ_k log|J_i:k| - ½ log det J_iᵀ J_i ]: what column lengths exceed the volume by.

    0 where the columns of every Jacobian are orthogonal, and by Hadamard's inequality above 0
    elsewhere; infinite where columns are linearly dependent. Unchanged where columns are permuted
    or scaled (another order or unit of the latents) and where rows are rotated.

    Args:
        jacobians: (n, m, d), observations in rows and latents in columns, m at least d; or (m, d).

    Example:
        >>> found = ima_contrast([[[1.0, 1.0], [0.0, 1.0]], [[2.0, 0.0], [0.0, 3.0]]])
        >>> found.pointwise.round(6).tolist()
        [0.346574, 0.0]
        >>> round(found.value, 6)
        0.173287

    References:
        gresele2021, reizinger2022
    """
    stack = np.asarray(jacobians, dtype=np.float64)
    stack = stack[None] if stack.ndim == 2 else stack
    if not np.isfinite(stack).all():
        raise BadInput("a Jacobian holds NaN or infinity; drop or repair such rows first")
    if stack.ndim != 3 or not len(stack) or stack.shape[1] < stack.shape[2]:
        raise BadInput(
            f"jacobians have shape {np.shape(jacobians)}; (n, m, d) is needed with at least one of "
            f"them and m at least d: stack them, observations in rows and latents in columns"
        )
    pointwise = _contrasts(stack)
    (of_mean,) = _contrasts(stack.mean(axis=0, keepdims=True))
    return ImaContrast(float(pointwise.mean()), pointwise, float(of_mean))


def _contrasts(stack: Floats) -> Floats:
    """From the triangular factor of unit columns: no length is squared, no matrix is."""
    lengths = np.linalg.norm(stack, axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        triangular = np.linalg.qr(stack / np.where(lengths > 0, lengths, 1.0), mode="r")
        logs = np.log(np.abs(np.diagonal(triangular, axis1=1, axis2=2)))
    found: Floats = np.maximum(-logs.sum(axis=1), 0.0)
    return found
