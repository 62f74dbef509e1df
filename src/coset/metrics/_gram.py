"""Sums of products of columns, by SciPy's BLAS.

Both are called by their address: SciPy's own wrappers keep Python's lock while a product runs, so
that threads take turns. And both are SciPy's: NumPy brings a BLAS of its own, and the threads of
two libraries that take turns spend ten times the work on waiting for each other.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
from scipy.linalg import blas, cython_blas

from .._core import Floats

_LETTER, _INTEGER, _REAL = (
    ctypes.c_char_p,
    ctypes.POINTER(ctypes.c_int),
    ctypes.POINTER(ctypes.c_double),
)
_ARRAY = ctypes.c_void_p
_DSYRK = (
    _LETTER, _LETTER, _INTEGER, _INTEGER, _REAL, _ARRAY, _INTEGER, _REAL, _ARRAY, _INTEGER,
)  # fmt: skip
_DGEMM = (
    _LETTER, _LETTER, _INTEGER, _INTEGER, _INTEGER, _REAL, _ARRAY, _INTEGER, _ARRAY, _INTEGER,
    _REAL, _ARRAY, _INTEGER,
)  # fmt: skip


def add_gram(squares: Floats, rows: Floats) -> None:
    """Add rowsᵀ rows to the lower triangle of `squares`, in place.

    Args:
        squares: (k, k) in Fortran order.
        rows: (m, k) in C order.
    """
    assert squares.flags.f_contiguous
    assert rows.flags.c_contiguous
    if _dsyrk is None:
        blas.dsyrk(1.0, rows.T, beta=1.0, c=squares, lower=1, overwrite_c=1)
        return
    count, width = (ctypes.c_int(size) for size in rows.shape)
    one = ctypes.c_double(1.0)
    _dsyrk(
        b"L", b"N", width, count, one, rows.ctypes.data, width, one, squares.ctypes.data, width
    )  # fmt: skip


def weighted_sums(weights: Floats, rows: Floats) -> Floats:
    """For each row of `weights` (w, m), the weighted sum of `rows` (m, k)."""
    assert weights.flags.c_contiguous
    assert rows.flags.c_contiguous
    if _dgemm is None:
        return weights @ rows
    several, count, width = (ctypes.c_int(size) for size in (*weights.shape, rows.shape[1]))
    sums = np.empty((len(weights), rows.shape[1]))
    _dgemm(
        b"N", b"N", width, several, count, ctypes.c_double(1.0), rows.ctypes.data, width,
        weights.ctypes.data, count, ctypes.c_double(0.0), sums.ctypes.data, width,
    )  # fmt: skip
    return sums


def _by_address(name: str, types: tuple[type, ...]) -> Callable[..., None] | None:
    """The routine behind the pointer that SciPy publishes for Cython, where its types are known."""
    capsule = cython_blas.__pyx_capi__[name]
    name_of, address_of = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    address_of.restype, address_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    signature: bytes = name_of(capsule)
    if signature.count(b" int *") + signature.count(b"(int *") != types.count(_INTEGER):
        return None  # a SciPy with integers of another size
    return ctypes.CFUNCTYPE(None, *types)(address_of(capsule, signature))


_dsyrk, _dgemm = _by_address("dsyrk", _DSYRK), _by_address("dgemm", _DGEMM)
