"""A model in the place of a map: what moves rows across a map encodes them too."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from .._core import BadInput, Floats, Map
from ..audit import apply
from ..groups import FittedMap
from ._saved import load_model


class Codes(Map):
    """From observations to codes."""

    group = "codes"

    def __init__(self, model: Any) -> None:
        self._model = model

    def __call__(self, a: Any) -> Floats:
        """Codes of rows."""
        found: Floats = self._model.transform(a)
        return found

    def inverse(self, b: Any) -> Floats:
        """Observations of codes, where the method has a decoder."""
        if not hasattr(self._model, "inverse_transform"):
            raise BadInput(
                f"{type(self._model).__name__} has no decoder: its codes cannot be undone"
            )
        found: Floats = self._model.inverse_transform(b)
        return found

    def tensors(self) -> dict[str, NDArray]:
        """None of its own: `save` of the model writes them."""
        return {}


def encode_file(
    model: Any,
    source: Any,
    out: str | os.PathLike[str],
    *,
    inverse: bool = False,
    key: str | None = None,
    on: str | None = None,
    dtype: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[int, int]:
    """Write the codes of all rows of a source, block by block.

    Args:
        model: a fitted estimator, or the folder of one.
        source: as in `coset.apply`, as is all that follows.
        out: file to write; its ending names the format.
        inverse: from codes back to observations.
        key: which array of a container, or the vector column of a table.
        on: column that is no coordinate; carried along where `out` is a table too.
        dtype: of the output; by default that of the source.
        progress: called with (rows done, rows in all).

    Returns:
        Rows and columns written.
    """
    fitted = load_model(model) if isinstance(model, str | os.PathLike) else model
    return apply(
        FittedMap(Codes(fitted)), source, out,
        inverse=inverse, key=key, on=on, dtype=dtype, progress=progress,
    )  # fmt: skip
