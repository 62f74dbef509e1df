"""Labels that stand in a column of the data, or in a file of their own."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import BadInput
from ..audit.sources import Source, keyed, open_source
from ..audit.sources._ids import ids_table


def with_labels(x: Any, u: Any, key: str | None = None) -> tuple[Source, NDArray]:
    """The rows of x, and the labels that u names.

    Args:
        x: any source of `coset.compare`.
        u: a column of x, which is then no coordinate; or the path of labels (.npy, .txt, .csv, .tsv
            or .parquet, PATH#COLUMN for one of many).
        key: which array of a container, or the vector column of a table.
    """
    source = open_source(x, key=key)
    if source.table is not None and u in source.table.names():
        side = keyed(source, u)
        return side.source, source.table.ids(u)
    if os.path.splitext(str(u).partition("#")[0])[1].lower() in (".npz", ".safetensors"):
        return source, _numbers(u)
    table, column = ids_table(u, source)
    labels = table.ids(column)
    if len(labels) != source.rows:
        raise BadInput(f"{u} has {len(labels)} labels and {source.name} {source.rows} rows")
    return source, labels


def _numbers(u: Any) -> NDArray:
    with open_source(u) as source:
        if source.columns != 1:
            raise BadInput(f"{u} has {source.columns} columns; one label for each row is needed")
        return np.asarray(source.read(0, source.rows)[:, 0])
