"""Work spread over workers, with the same bits whoever does it."""

from ._engines import engine
from ._side_by_side import NARROW, blas_for, side_by_side

__all__ = ["NARROW", "blas_for", "engine", "side_by_side"]
