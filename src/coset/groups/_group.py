"""The two kinds of groups: fitted from second moments, or from rows."""

from __future__ import annotations

from abc import abstractmethod

from .._core import Floats, Group, Map
from ..metrics._second import SecondOrder
from ._affine_map import AffineMap


class MomentGroup(Group):
    """A group whose best map is a function of second moments: any number of rows, one pass."""

    @abstractmethod
    def fit_both(self, moments: SecondOrder) -> tuple[AffineMap, AffineMap]:
        """The best map from a to b, and the best from b to a."""


class RowGroup(Group):
    """A group whose maps need rows; `moments` may know more rows than are handed over."""

    @abstractmethod
    def fit_rows(self, a: Floats, b: Floats, moments: SecondOrder) -> Map:
        """The best map from a (n, p) to b (n, q)."""
