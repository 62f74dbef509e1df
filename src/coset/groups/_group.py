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
    def fit_both(self, moments: SecondOrder, a: Floats, b: Floats) -> tuple[Map, Map]:
        """The best map from a (n, p) to b (n, q), and the best from b to a."""


def fit_both(
    group: MomentGroup | RowGroup, moments: SecondOrder, a: Floats, b: Floats
) -> tuple[Map, Map]:
    """The best maps of a group, a → b and b → a; a (n, p) and b (n, q) only for those who ask."""
    if isinstance(group, MomentGroup):
        return group.fit_both(moments)
    return group.fit_both(moments, a, b)
