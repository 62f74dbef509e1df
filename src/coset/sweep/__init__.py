"""Work spread over workers, with the same bits whoever does it, and the runs that it leaves."""

from ._engines import engine
from ._processes import WorkerDied
from ._side_by_side import NARROW, blas_for, side_by_side
from ._store import Store, as_stored

__all__ = ["NARROW", "Store", "WorkerDied", "as_stored", "blas_for", "engine", "side_by_side"]
