"""Orthogonal alignment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._core import BadInput, Floats, Score
from ._route import second_moments
from ._second import SecondOrder
from ._spectra import refuse_constant


@dataclass(frozen=True, eq=False, repr=False)
class Procrustes(Score):
    """How well a rotation (and one scale) carries a to b."""

    rotation: Floats
    """(p, q): centred a @ rotation is closest to centred b."""
    scale: float
    determinant: float | None
    """+1 a rotation, -1 with a reflection; None for unequal widths."""


def procrustes(a: Any, b: Any, *, proper: bool = False) -> Procrustes:
    """Nuclear norm of aᵀb over the product of Frobenius norms, columns centred.

    It is the cosine between b and the best rotation of a: 1 when they agree up to a rotation, a
    shift and one scale. The squared residual of that alignment is 1 - value², relative to ‖b‖².

    Args:
        a: (n, p).
        b: (n, q); unequal widths are allowed, the rotation is then a partial isometry.
        proper: admit rotations only, no reflections; needs p = q.

    Example:
        >>> rows = np.random.default_rng(0).normal(size=(50, 2))
        >>> turned = procrustes(rows, rows @ [[0, 1], [-1, 0]] * 3 + 1)
        >>> round(turned.value, 9), round(turned.scale, 9), turned.determinant
        (1.0, 3.0, 1.0)

    References:
        schonemann1966
    """
    return procrustes_of(second_moments(a, b, route="gram"), proper=proper)


def procrustes_of(moments: SecondOrder, *, proper: bool = False) -> Procrustes:
    """`procrustes` from second moments."""
    refuse_constant(*moments.norms())
    size_a, size_b = float(np.trace(moments.aa)), float(np.trace(moments.bb))
    p, q = moments.ab.shape
    if proper and p != q:
        raise BadInput(f"proper=True needs equal widths; a has {p} columns and b has {q}")
    rotation, sizes = nearest_rotation(moments.ab, proper=proper)
    nuclear = float(sizes.sum())
    return Procrustes(
        float(nuclear / np.sqrt(size_a) / np.sqrt(size_b)),
        rotation,
        nuclear / size_a,
        float(np.sign(np.linalg.det(rotation))) if p == q else None,
    )


def nearest_rotation(cross: Floats, *, proper: bool = False) -> tuple[Floats, Floats]:
    """The (partial) isometry (p, q) that maximises tr(Qᵀ cross), and the terms of that sum."""
    left, sizes, right = np.linalg.svd(cross, full_matrices=False)
    if proper and np.linalg.det(left @ right) < 0:
        left[:, -1] *= -1
        sizes = np.append(sizes[:-1], -sizes[-1])
    return left @ right, sizes
