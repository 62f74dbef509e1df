"""Columns of keys: what they are called, of what type, and the SQL that lists them by row."""

from __future__ import annotations

import itertools
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._duckdb import connected, literal_path, quoted
from ._words import bad

if TYPE_CHECKING:
    from ._source import Source

_fresh = itertools.count()
UNNAMED = "Unnamed: 0"
"""What pandas calls a first column without a name: its index, which is no coordinate."""
_INDEX = re.compile(rf"__index_level_\d+__|{UNNAMED}")
_KEY = re.compile(r"(.*[_ ])?(id|key|uuid|index)", re.IGNORECASE)


def coordinates(columns: Mapping[str, bool]) -> tuple[list[str], tuple[str, ...]]:
    """Which columns of numbers are coordinates, and which were left out for looking like keys.

    Args:
        columns: name → whether it holds whole numbers.

    Example:
        >>> coordinates({"doc_id": True, "x0": False, "x1": True})
        (['x0', 'x1'], ('doc_id',))
    """
    numbers = [name for name in columns if not _INDEX.fullmatch(name)]
    keys = tuple(name for name in numbers if columns[name] and _KEY.fullmatch(name))
    others = [name for name in numbers if name not in keys]
    return (others, keys) if others else (numbers, ())


class KeyTable(ABC):
    """Named columns that stand beside rows."""

    name: str

    @abstractmethod
    def names(self) -> Collection[str]:
        """The columns there are."""

    @abstractmethod
    def select(self, connection: Any, column: str) -> tuple[str, list[Any]]:
        """A query, with its parameters, of the columns `key` and `row` (from 0)."""

    @abstractmethod
    def rows_without(self, column: str) -> Source:
        """The rows beside it, this column not among the numbers."""

    def ids(self, column: str) -> NDArray:
        """The column itself, in the order of the rows."""
        with connected() as connection:
            query, parameters = self.select(connection, column)
            found = connection.execute(f"SELECT key FROM ({query}) ORDER BY row", parameters)
            return np.asarray(plain_keys(_present(found.fetchnumpy()["key"], self.name), self.name))


def _present(keys: NDArray, name: str) -> NDArray:
    if np.ma.is_masked(keys):
        row = int(np.flatnonzero(np.ma.getmaskarray(keys))[0])
        raise bad(f"{name} has no key at row {row}; drop that row or fill in its key")
    return np.asarray(np.ma.getdata(keys))


class ParquetKeys(KeyTable):
    """The columns of a Parquet file.

    Args:
        name: for messages.
        path: the file.
        columns: their names.
        reopen: opens the rows again without some of the columns.
    """

    def __init__(
        self, name: str, path: Path, columns: Collection[str], reopen: Callable[..., Source]
    ) -> None:
        self.name = name
        self._path, self._columns, self._reopen = path, columns, reopen

    def names(self) -> Collection[str]:
        return self._columns

    def select(self, connection: Any, column: str) -> tuple[str, list[Any]]:
        return (
            f"SELECT {quoted(column)} AS key, file_row_number AS row FROM "
            "read_parquet(?, file_row_number = true, hive_partitioning = false)",
            [literal_path(self._path)],
        )

    def rows_without(self, column: str) -> Source:
        return self._reopen(without=(column,))


class ArrayKeys(KeyTable):
    """Columns in memory."""

    def __init__(
        self,
        name: str,
        columns: Mapping[str, NDArray],
        reopen: Callable[..., Source] | None = None,
    ) -> None:
        self.name = name
        self._columns, self._reopen = columns, reopen

    def names(self) -> Collection[str]:
        return self._columns.keys()

    def select(self, connection: Any, column: str) -> tuple[str, list[Any]]:
        values = plain_keys(self._columns[column], self.name)
        view = f"keys_{next(_fresh)}"
        connection.register(view, {"key": values, "row": np.arange(len(values))})
        return f"SELECT key, row FROM {view}", []

    def rows_without(self, column: str) -> Source:
        assert self._reopen is not None
        return self._reopen(without=(column,))


def plain_keys(values: Any, name: str) -> NDArray:
    """Keys as DuckDB takes them: contiguous integers, floats, booleans, or Python strings."""
    return np.ascontiguousarray(_plain(np.asarray(values), name))


def _plain(keys: NDArray, name: str) -> NDArray:
    if keys.ndim == 2 and keys.shape[1] == 1:
        keys = keys[:, 0]
    if keys.ndim != 1:
        raise bad(f"the keys of {name} have shape {keys.shape}; one key per row is needed: (n,)")
    if keys.dtype.kind in "SM":
        keys = keys.astype(str)
    if keys.dtype.kind in "UT":
        return keys.astype(object)  # as fixed-width text they would be taken for an ENUM
    if keys.dtype.kind == "O":
        kinds = {type(key) for key in keys.tolist()} - {type(None)}
        if all(issubclass(kind, str) for kind in kinds):
            return np.array([None if k is None else str(k) for k in keys.tolist()], dtype=object)
        if kinds <= {int} and not any(key is None for key in keys.tolist()):
            return keys.astype(np.int64)
        shown = " and ".join(sorted(kind.__name__ for kind in kinds))
        raise bad(f"the keys of {name} are {shown}; all text or all integers are needed")
    if keys.dtype.kind not in "iufb" or keys.dtype.itemsize > 8:
        raise bad(f"the keys of {name} are {keys.dtype}; text or integers are needed")
    if keys.dtype == np.float16:
        keys = keys.astype(np.float32)
    return keys.astype(keys.dtype.newbyteorder("="), copy=False)


def family(sql_type: str) -> str:
    """What two key columns must share for their values to be comparable.

    Example:
        >>> family("UBIGINT"), family("VARCHAR"), family("DATE")
        ('integer', 'text', 'date')
    """
    if re.fullmatch(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?", sql_type):
        return "integer"
    if sql_type == "VARCHAR" or sql_type.startswith("ENUM"):
        return "text"
    if sql_type in ("FLOAT", "DOUBLE"):
        return "float"
    return sql_type.lower()
