"""Contrastive learning on pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from jaxtyping import PRNGKeyArray
from numpy.typing import NDArray

from .._core import BadInput
from .._lab import AbstractEncoder, AbstractObjective
from ..encoders import AbstractHead, Free, InBox, Mlp, OnSphere
from ..objectives import AbstractSimilarity, Cosine, Dot, InfoNCE, LAlpha, Quadratic
from ._rows import Given, Rows, paired
from ._trained import AbstractTrained, Shape

SIMILARITIES = ("cosine", "dot", "l1", "l2", "anisotropic")
TEMPERATURE = 0.2
"""Where a learned one starts."""


@dataclass(eq=False, repr=False, kw_only=True)
class Contrastive(AbstractTrained):
    """Codes that tell the positive of each row from other rows: InfoNCE.

    It needs pairs: each row of X with an observation of something related, `pairs` row by row, or
    the row that comes `lag` rows later. With latents that spread evenly over their space, and
    positives whose law around their latent matches the similarity, codes are the latents up to

    - "cosine": a rotation (codes on a sphere; von Mises-Fisher positives);
    - "anisotropic": permutation and sign, where each coordinate of a positive varies by another
      amount (codes on a sphere; the amounts are learned);
    - "l1": permutation, sign and scale (codes in a box; Laplace positives);
    - "dot", "l2": a linear or an affine map.

    Args:
        similarity: of two codes, as above.
        temperature: of the similarity; learned where it is None.
        lag: rows from an observation to its positive, where no pairs are given.

    Example:
        >>> import numpy as np
        >>> walk = np.cumsum(np.random.default_rng(0).normal(size=(300, 4)), axis=0)
        >>> model = Contrastive(dim=2, lag=1, steps=50, batch=64, widths=(16,), random_state=0)
        >>> model.fit_transform(walk).shape
        (300, 2)

    References:
        oord2018, zimmermann2021, rusak2024
    """

    similarity: str = "cosine"
    temperature: float | None = None
    lag: int | None = None

    learns_from: ClassVar[str] = "pairs, or rows in the order of time (lag)"
    up_to: ClassVar[str] = "orthogonal; anisotropic: signed-permutation; l1: with scales"

    def _rows(self, x: Any, given: Given, known: NDArray | None) -> Rows:
        return paired(x, given, self.lag)

    def _start(self, key: PRNGKeyArray, shape: Shape) -> tuple[AbstractEncoder, AbstractObjective]:
        similarity, head = _similarity(self.similarity, shape.codes)
        encoder = Mlp(key, shape.columns, shape.codes, widths=self.widths, head=head)
        if self.temperature is not None:
            return encoder, InfoNCE(similarity, self.temperature)
        if self.similarity == "anisotropic":  # the amounts are temperatures of their own
            return encoder, InfoNCE(similarity)
        return encoder, InfoNCE(similarity, TEMPERATURE, learned_temperature=True)


def _similarity(name: str, dim: int) -> tuple[AbstractSimilarity, AbstractHead]:
    """The similarity of this name, and the space of the codes that it is for."""
    if name not in SIMILARITIES:
        raise BadInput(f"similarity={name!r}; choose from {', '.join(SIMILARITIES)}")
    if name == "cosine":
        return Cosine(), OnSphere()
    if name == "anisotropic":
        return Quadratic(dim), OnSphere()
    if name == "l1":
        return LAlpha(1), InBox(dim)
    return (Dot() if name == "dot" else LAlpha(2)), Free()
