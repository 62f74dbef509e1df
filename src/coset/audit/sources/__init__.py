"""Files and arrays → rows that can be read in any range, joined by key, and written atomically."""

from __future__ import annotations

from ._join import Alignment, Dropped, align, keyed
from ._open import open_layers, open_source
from ._source import Source
from ._write import write_rows

__all__ = [
    "Alignment",
    "Dropped",
    "Source",
    "align",
    "keyed",
    "open_layers",
    "open_source",
    "write_rows",
]
