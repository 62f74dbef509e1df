"""Columns brought to a common size before anything is learned, and back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from .._arrays import refuse_nonfinite
from .._core import BadInput, Floats
from ..audit.sources import Source
from ..metrics import Moments

Kind = Literal["standard", "whiten", "none"]
BLOCK_BYTES = 32 * 2**20
DEAD = 1e-10
"""A direction with less than this share of the largest variance is left out of whitening."""


@dataclass(frozen=True, eq=False)
class Scaling:
    """x → (x - mean) · factor, a matrix product where the factor is a matrix."""

    mean: Floats
    factor: Floats
    """(p,) for each column, or (p, r) for each direction."""

    @property
    def columns(self) -> int:
        """Of what comes out."""
        return self.factor.shape[-1]

    def __call__(self, x: NDArray) -> NDArray[np.float32]:
        """Rows at the common size, in the type that is trained on."""
        out = np.empty((len(x), self.columns), np.float32)
        for start, stop in _spans(len(x), x.shape[1]):
            centred = x[start:stop] - self.mean
            flat = self.factor.ndim == 1
            out[start:stop] = centred * self.factor if flat else centred @ self.factor
        return out

    def inverse(self, scaled: NDArray) -> Floats:
        """Rows at the size that they came in."""
        if self.factor.ndim == 1:
            return scaled / self.factor + self.mean
        return scaled @ np.linalg.pinv(self.factor) + self.mean


def scaling_of(source: Source, kind: str) -> Scaling:
    """The scaling of all rows: one pass, which refuses what is not finite.

    Args:
        source: observations.
        kind: "standard" (each column has mean 0 and variance 1), "whiten" (so has every
            direction) or "none".
    """
    if not isinstance(kind, str) or kind not in get_args(Kind):
        raise BadInput(f"scaling={kind!r}; choose from {', '.join(get_args(Kind))}")
    if kind == "whiten":
        return _whitening(source)
    from sklearn.preprocessing import StandardScaler

    seen = StandardScaler()
    for block in _blocks(source):
        if kind == "standard":
            seen.partial_fit(np.asarray(block, dtype=np.float64))
    if kind == "none":
        return Scaling(np.zeros(source.columns), np.ones(source.columns))
    return Scaling(seen.mean_, 1 / seen.scale_)


def _whitening(source: Source) -> Scaling:
    seen = Moments()
    for block in _blocks(source):
        seen.update(block, block[:, :1])
    variances, directions = np.linalg.eigh(seen.aa / seen.n)
    live = variances > DEAD * variances[-1]
    if not live.any():
        raise BadInput(f"{source.name} does not vary; there is nothing in it to learn from")
    return Scaling(seen.mean_a, directions[:, live] / np.sqrt(variances[live]))


def _blocks(source: Source) -> Iterator[NDArray]:
    for start, stop in _spans(source.rows, source.columns):
        block = source.read(start, stop)
        refuse_holes(block, source.name, start)
        yield block
        source.release(start, stop)


def _spans(rows: int, columns: int) -> Iterator[tuple[int, int]]:
    size = max(1, BLOCK_BYTES // (8 * columns))
    return ((start, min(start + size, rows)) for start in range(0, rows, size))


def refuse_holes(block: NDArray, name: str, first: int = 0) -> None:
    """What is not finite is refused by its row and column; NaN in the words of scikit-learn."""
    try:
        refuse_nonfinite(block, name, first)
    except BadInput as error:
        raise BadInput(str(error).replace(" holds nan ", " holds NaN ")) from None
