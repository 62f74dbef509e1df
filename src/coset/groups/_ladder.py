"""The ten groups and their partial order."""

from __future__ import annotations

from collections.abc import Iterable

from .._core import BadInput
from ._componentwise import Componentwise
from ._group import MomentGroup, RowGroup
from ._identity import Identity
from ._linear import Affine, Linear
from ._nonlinear import Nonlinear
from ._permutation import Permutation, ScaledPermutation, SignedPermutation
from ._rotation import Orthogonal, Similarity

LADDER: dict[str, MomentGroup | RowGroup] = {
    member.name: member
    for member in (
        Identity(),
        Permutation(),
        SignedPermutation(),
        ScaledPermutation(),
        Componentwise(),
        Orthogonal(),
        Similarity(),
        Linear(),
        Affine(),
        Nonlinear(),
    )
}
"""From strict to loose."""


def group(name: str) -> MomentGroup | RowGroup:
    """The group of that name."""
    if name not in LADDER:
        raise BadInput(f"no group is called {name!r}; there are: {', '.join(LADDER)}")
    return LADDER[name]


def looser(name: str) -> frozenset[str]:
    """All groups that contain this one, itself left out.

    Example:
        >>> sorted(looser("similarity"))
        ['affine', 'nonlinear']
    """
    found: set[str] = set()
    waiting = list(group(name).inside)
    while waiting:
        outer = waiting.pop()
        if outer not in found:
            found.add(outer)
            waiting.extend(LADDER[outer].inside)
    return frozenset(found)


def minimal(names: Iterable[str]) -> tuple[str, ...]:
    """Those that contain none of the others, strict to loose.

    Example:
        >>> minimal(["affine", "nonlinear", "componentwise"])
        ('componentwise', 'affine')
    """
    held = set(names)
    beaten = {outer for name in held for outer in looser(name)}
    return tuple(name for name in LADDER if name in held - beaten)
