"""What a user hands over → a clean two-dimensional NumPy array, or one clear sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._core import BadInput, Floats


def as_rows(x: Any, name: str = "array") -> NDArray:
    """Rows of observations, without copying where none is needed.

    Takes anything with `__array__` or DLPack (NumPy, torch, JAX, pandas, Polars). One column may be
    given flat. The type is kept, but for bfloat16 and integers, which become floats.

    Example:
        >>> as_rows([[1, 2], [3, 4]]).dtype
        dtype('float64')
    """
    rows = _to_numpy(x, name)
    if rows.ndim == 1:
        rows = rows[:, None]
    if rows.ndim != 2:
        raise BadInput(
            f"{name} has shape {rows.shape}; rows of observations are needed (n, columns): "
            f"flatten or pool the other axes first"
        )
    if rows.shape[0] == 0 or rows.shape[1] == 0:
        raise BadInput(f"{name} has shape {rows.shape}: there is nothing in it to compare")
    return _as_float(rows, name)


def as_matrix(x: Any, name: str = "array") -> Floats:
    """Rows as a finite float64 matrix."""
    rows = np.asarray(as_rows(x, name), dtype=np.float64)
    refuse_nonfinite(rows, name)
    return rows


def as_pair(a: Any, b: Any, names: tuple[str, str] = ("a", "b")) -> tuple[Floats, Floats]:
    """Two finite float64 matrices with the same number of rows."""
    rows_a, rows_b = as_matrix(a, names[0]), as_matrix(b, names[1])
    refuse_unequal(len(rows_a), len(rows_b), names)
    return rows_a, rows_b


def refuse_unequal(n_a: int, n_b: int, names: tuple[str, str] = ("a", "b")) -> None:
    """Two arrays of the same things have the same number of rows."""
    if n_a != n_b:
        raise BadInput(
            f"{names[0]} has {n_a} rows and {names[1]} has {n_b}; row i of both must be the same "
            f"thing: drop what is missing on one side, or join them by a key (--on COLUMN)"
        )


def refuse_nonfinite(rows: NDArray, name: str, first_row: int = 0) -> None:
    """NaN and infinity are refused, naming the first bad row and column."""
    if np.isfinite(rows).all():
        return
    row, column = np.argwhere(~np.isfinite(rows))[0]
    raise BadInput(
        f"{name} holds {rows[row, column]} at row {first_row + row}, column {column}; "
        f"every value must be finite: drop or repair such rows first"
    )


def _to_numpy(x: Any, name: str) -> NDArray:
    if isinstance(x, np.ma.MaskedArray):
        if np.ma.is_masked(x):
            raise BadInput(
                f"{name} has masked values; every value must be there: fill them, or drop such rows"
            )
        return np.ma.getdata(x)
    if isinstance(x, np.ndarray):
        return x
    if hasattr(x, "detach"):  # a torch tensor that still carries a gradient
        x = x.detach().cpu()
        if str(x.dtype) == "torch.bfloat16":  # NumPy has no such type
            x = x.float()
    try:
        if hasattr(x, "__array__") or isinstance(x, list | tuple):
            return np.asarray(x)
        if hasattr(x, "__dlpack__"):
            return np.from_dlpack(x)
    except (ValueError, TypeError, RuntimeError, BufferError) as error:
        raise BadInput(f"{name} cannot be read as an array: {error}") from error
    raise BadInput(
        f"{name} is a {type(x).__name__}; an array is needed (NumPy, torch, JAX, a frame of "
        f"numbers, nested lists) or the path of one"
    )


def _as_float(rows: NDArray, name: str) -> NDArray:
    kind = rows.dtype.kind
    if kind == "f":
        return rows
    if rows.dtype.name == "bfloat16":
        return rows.astype(np.float32)
    if kind in "iub":
        return rows.astype(np.float64)
    if kind == "c":
        raise BadInput(
            f"{name} is complex ({rows.dtype}); stack real and imaginary parts as columns"
        )
    try:
        return rows.astype(np.float64)
    except (TypeError, ValueError):
        raise BadInput(
            f"{name} holds {rows.dtype} values; numbers are needed: select the numeric columns"
        ) from None
