"""The one map of every group up to affine: a matrix and an offset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arrays import as_rows, refuse_nonfinite
from .._core import BadInput, Floats, Map

STEEPEST = 1e8


@dataclass(frozen=True, eq=False)
class AffineMap(Map):
    """b = matrix a + offset, for rows.

    Example:
        >>> turn = AffineMap("orthogonal", np.array([[0.0, -1.0], [1.0, 0.0]]), np.zeros(2))
        >>> turn.inverse(turn([[3.0, 4.0]])).tolist()
        [[3.0, 4.0]]
    """

    group: str
    matrix: Floats
    """(q, p)."""
    offset: Floats
    """(q,)."""

    def __post_init__(self) -> None:
        in_rows(self, "matrix")

    def __call__(self, a: Any) -> Floats:
        """Carry rows of a (n, p) over to b (n, q)."""
        rows = of_width(a, self.matrix.shape[1], "the map takes")
        return np.asarray(rows @ self.matrix.T + self.offset)

    def inverse(self, b: Any) -> Floats:
        """Carry rows of b (n, q) back to a (n, p).

        Where q > p this is the least-squares inverse; where q < p nothing can restore what the map
        dropped, and the shortest pre-image is returned for isometries alone.
        """
        rows = of_width(b, self.matrix.shape[0], "the inverse takes")
        return np.asarray((rows - self.offset) @ self._inverse_matrix().T)

    def tensors(self) -> dict[str, NDArray]:
        """What determines the map."""
        return {"matrix": self.matrix, "offset": self.offset}

    def _inverse_matrix(self) -> Floats:
        q, p = self.matrix.shape
        sizes = np.linalg.svd(self.matrix, compute_uv=False)
        steepness = sizes[0] / sizes[-1] if sizes[-1] > 0 else np.inf
        if q < p and not np.allclose(sizes, sizes[0]):
            raise BadInput(
                f"this {self.group} map takes {p} columns to {q} and cannot be undone: "
                f"fit a map the other way, coset.align(b, a)"
            )
        if steepness > STEEPEST:
            raise BadInput(
                f"this {self.group} map is nearly singular (condition number {steepness:.1e}) and "
                f"cannot be undone reliably: fit a map the other way, coset.align(b, a)"
            )
        return np.asarray(np.linalg.pinv(self.matrix), dtype=np.float64)


def of_width(x: Any, width: int, what: str) -> NDArray:
    rows = as_rows(x, "rows")
    if rows.shape[1] != width:
        raise BadInput(f"rows have {rows.shape[1]} columns; {what} {width}")
    refuse_nonfinite(rows, "rows")
    return rows


def in_rows(fitted: Map, *names: str) -> None:
    """Lay these fields out row by row, as files do: layout decides the last bit of a product."""
    for name in names:
        object.__setattr__(fitted, name, np.ascontiguousarray(getattr(fitted, name)))
