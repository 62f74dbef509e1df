"""Rotations, and rotations with one scale and an offset."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..metrics._procrustes import nearest_rotation
from ..metrics._second import SecondOrder
from ._affine_map import AffineMap
from ._group import MomentGroup


class Orthogonal(MomentGroup):
    """b = Q a, no offset: contrastive learning on the sphere."""

    name: ClassVar[str] = "orthogonal"
    says: ClassVar[str] = "b = Q a"
    inside: ClassVar[tuple[str, ...]] = ("linear", "similarity")
    cite: ClassVar[str] = "schonemann1966"

    def fit_both(self, moments: SecondOrder) -> tuple[AffineMap, AffineMap]:
        """Procrustes on uncentred moments."""
        cross = moments.ab + moments.n * np.outer(moments.mean_a, moments.mean_b)
        rotation, _ = nearest_rotation(cross)
        p, q = rotation.shape
        return (
            AffineMap(self.name, rotation.T, np.zeros(q)),
            AffineMap(self.name, rotation, np.zeros(p)),
        )


class Similarity(MomentGroup):
    """b = s Q a + c."""

    name: ClassVar[str] = "similarity"
    says: ClassVar[str] = "b = s Q a + c"
    inside: ClassVar[tuple[str, ...]] = ("affine",)
    cite: ClassVar[str] = "schonemann1966"

    def fit_both(self, moments: SecondOrder) -> tuple[AffineMap, AffineMap]:
        """Procrustes on centred moments, with the least-squares scale of each direction."""
        rotation, sizes = nearest_rotation(moments.ab)
        there = rotation.T * _scale(sizes.sum(), np.trace(moments.aa))
        back = rotation * _scale(sizes.sum(), np.trace(moments.bb))
        return (
            AffineMap(self.name, there, moments.mean_b - there @ moments.mean_a),
            AffineMap(self.name, back, moments.mean_a - back @ moments.mean_b),
        )


def _scale(nuclear: float, size: float) -> float:
    return nuclear / size if size > 0 else 0.0
