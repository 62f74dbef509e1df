"""Nothing to undo: the two codes are equal."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..metrics._second import SecondOrder
from ._affine_map import AffineMap
from ._group import MomentGroup


class Identity(MomentGroup):
    """b = a; the narrower side is filled up with zeros."""

    name: ClassVar[str] = "identity"
    says: ClassVar[str] = "b = a"
    inside: ClassVar[tuple[str, ...]] = ("permutation",)

    def fit_both(self, moments: SecondOrder) -> tuple[AffineMap, AffineMap]:
        """Nothing is fitted."""
        p, q = moments.ab.shape
        return (
            AffineMap(self.name, np.eye(q, p), np.zeros(q)),
            AffineMap(self.name, np.eye(p, q), np.zeros(p)),
        )
