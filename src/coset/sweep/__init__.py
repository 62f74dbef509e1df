"""Work spread over workers, with the same bits whoever does it."""

from ._engines import engine

__all__ = ["engine"]
