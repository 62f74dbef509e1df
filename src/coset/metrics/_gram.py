"""Sums of products of columns, by the BLAS routine that computes one triangle only."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from scipy.linalg import blas, cython_blas

from .._core import Floats

_INTEGER, _REAL = ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_double)
_DSYRK = ctypes.CFUNCTYPE(
    None, ctypes.c_char_p, ctypes.c_char_p, _INTEGER, _INTEGER, _REAL, ctypes.c_void_p, _INTEGER,
    _REAL, ctypes.c_void_p, _INTEGER,
)  # fmt: skip
_INTEGERS = 4


def add_gram(squares: Floats, rows: Floats) -> None:
    """Add rowsᵀ rows to the lower triangle of `squares`, in place.

    SciPy's own wrapper of dsyrk keeps Python's lock while the product runs, so that threads take
    turns; called by its address, the same routine leaves the lock alone.

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


def _by_address() -> Callable[..., None] | None:
    """The routine behind the pointer that SciPy publishes for Cython, where its types are known."""
    capsule = cython_blas.__pyx_capi__["dsyrk"]
    name_of, address_of = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    address_of.restype, address_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    signature: bytes = name_of(capsule)
    if signature.count(b" int *") + signature.count(b"(int *") != _INTEGERS:
        return None  # a SciPy with integers of another size
    return _DSYRK(address_of(capsule, signature))


_dsyrk = _by_address()
