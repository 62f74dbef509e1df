"""Content that pairs share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from jaxtyping import PRNGKeyArray
from numpy.typing import NDArray

from .._lab import AbstractEncoder, AbstractObjective
from ..encoders import Mlp
from ..objectives import AlignMaxEnt
from ._rows import Given, Rows, paired
from ._trained import AbstractTrained, Shape


@dataclass(eq=False, repr=False, kw_only=True)
class ContentBlocks(AbstractTrained):
    """Codes of what both rows of a pair share, and of nothing else: alignment and entropy.

    It needs pairs: each row of X with an observation in which some latents (the style) changed and
    the others (the content) did not. Where codes are as wide as the content, they hold all of it
    and nothing of the style, up to an invertible map of the block: even where latents depend on
    one another.

    Args:
        lag: rows from an observation to its positive, where no pairs are given.
        weight: of the entropy.

    Example:
        >>> ContentBlocks(dim=2, lag=5)
        ContentBlocks(dim=2, lag=5)

    References:
        vonkuegelgen2021
    """

    lag: int | None = None
    weight: float = 1.0

    learns_from: ClassVar[str] = "pairs that share some latents, the content (or lag)"
    up_to: ClassVar[str] = "nonlinear, of the content as a block"

    def _rows(self, x: Any, given: Given, known: NDArray | None) -> Rows:
        return paired(x, given, self.lag)

    def _start(self, key: PRNGKeyArray, shape: Shape) -> tuple[AbstractEncoder, AbstractObjective]:
        encoder = Mlp(key, shape.columns, shape.codes, widths=self.widths)
        return encoder, AlignMaxEnt(weight=self.weight)
