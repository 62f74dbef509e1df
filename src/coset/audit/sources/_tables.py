"""Parquet: a column of vectors, or numeric columns side by side, through DuckDB.

Measured, MB/s of float32, 100k x 256, 2 cores: a list column cast to a fixed length and unnested
295 to 380, as Python objects 200 to 345, numeric columns one by one 325 to 350, CSV parsed 43.
Arrow's C interface was 1.1 times as fast, but unbounded in memory and through raw pointers. A piece
of a row group is found by skipping what is before it: ten pieces to a group took 2.7 times the CPU
of one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._chunked import ChunkedSource
from ._duckdb import connected, literal_path, quoted
from ._keys import ParquetKeys, coordinates, family
from ._source import Source
from ._words import bad, listed, near, unreadable

is_table = True
_NUMBER = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL\(.*\)|BOOLEAN")
_VECTOR = re.compile(rf"({_NUMBER.pattern})\[\d*\]")


class Vectors(NamedTuple):
    """Which columns are the vector."""

    columns: tuple[str, ...]
    is_list: bool
    sql_type: str
    """FLOAT or DOUBLE: the type in which values are read."""
    left_out: tuple[str, ...]


def shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """A table is no stack of arrays."""
    return {}


def open_rows(path: Path, key: str | None, name: str, without: Collection[str] = ()) -> Source:
    """The rows of a Parquet file."""
    return open_parquet(path, key, name, without=without, origin=path)


def open_parquet(
    path: Path,
    key: str | None,
    name: str,
    *,
    without: Collection[str] = (),
    origin: Path,
    on_close: Callable[[], None] | None = None,
) -> Source:
    """The rows of a Parquet file that was perhaps made from another file, `origin`."""
    import duckdb

    try:
        with connected() as connection:
            types = column_types(connection, path)
            groups = _row_groups(connection, path)
            if not groups or groups[-1] == 0:
                raise bad(f"{name} has no rows: there is nothing in it to compare")
            vectors = choose(types, key, name, without)
            columns = _width(connection, path, vectors, name)
    except duckdb.Error as error:
        raise unreadable(origin, "a table", error) from error
    dtype = np.dtype(np.float32 if vectors.sql_type == "FLOAT" else np.float64)
    reader = _TableReader(path, vectors, columns, name)
    source = ChunkedSource(reader, groups, columns, dtype, name, on_close)
    reopen = partial(open_parquet, path, key, name, origin=origin, on_close=on_close)
    source.table, source.left_out = ParquetKeys(name, path, tuple(types), reopen), vectors.left_out
    return source


def column_types(connection: Any, path: Path) -> dict[str, str]:
    """Name → type of the columns of a Parquet file."""
    found = connection.execute(
        "DESCRIBE SELECT * FROM read_parquet(?, hive_partitioning = false)", [literal_path(path)]
    ).fetchall()
    return {row[0]: row[1] for row in found}


def choose(types: dict[str, str], key: str | None, name: str, without: Collection[str]) -> Vectors:
    """The vector of a table: the named column, the only list, or all numeric columns."""
    lists = [column for column, kind in types.items() if _VECTOR.fullmatch(kind)]
    left_out: tuple[str, ...] = ()
    if key is not None:
        if key not in types:
            raise bad(f"{name} has no column {key!r}{near(key, types)}; it has {listed(types)}")
        if not (_VECTOR.fullmatch(types[key]) or _NUMBER.fullmatch(types[key])):
            raise bad(f"column {key!r} of {name} is {types[key]}; a list of numbers is needed")
        chosen = [key]
    elif len(lists) > 1:
        raise bad(
            f"{name} has {len(lists)} vector columns: {listed(lists)}; one is needed: choose it "
            f"with PATH#COLUMN (or the key option)"
        )
    elif lists:
        chosen = lists
    else:
        chosen, left_out = coordinates({
            column: family(kind) == "integer"
            for column, kind in types.items()
            if _NUMBER.fullmatch(kind) and column not in without
        })  # fmt: skip
    if not chosen:
        raise bad(
            f"{name} has no column of numbers to compare; it has {listed(types)}: "
            f"give it one list column, or one numeric column per coordinate"
        )
    narrow = all(types[column].startswith("FLOAT") for column in chosen)
    kind = "FLOAT" if narrow else "DOUBLE"
    return Vectors(tuple(chosen), chosen[0] in lists, kind, left_out)


def _row_groups(connection: Any, path: Path) -> list[int]:
    found = connection.execute(
        "SELECT DISTINCT row_group_id, row_group_num_rows FROM parquet_metadata(?) ORDER BY 1",
        [literal_path(path)],
    ).fetchall()
    return list(accumulate(int(rows) for _, rows in found))


def _width(connection: Any, path: Path, vectors: Vectors, name: str) -> int:
    if not vectors.is_list:
        return len(vectors.columns)
    (column,) = vectors.columns
    first = connection.execute(
        f"SELECT len({quoted(column)}) FROM read_parquet(?, hive_partitioning = false) LIMIT 1",
        [literal_path(path)],
    ).fetchone()
    if not first[0]:
        raise bad(f"column {column!r} of {name} is empty in row 0; every row needs a vector")
    return int(first[0])


class _TableReader:
    """Decodes ranges of rows of a Parquet file, checking that no value is missing."""

    def __init__(self, path: Path, vectors: Vectors, columns: int, name: str) -> None:
        self._path, self._vectors, self._columns, self._name = path, vectors, columns, name

    def __call__(self, start: int, stop: int) -> NDArray:
        import duckdb

        try:
            with connected() as connection:
                found = connection.execute(self._query(), [literal_path(self._path), start, stop])
                values = list(found.fetchnumpy().values())
        except duckdb.ConversionException as error:
            raise bad(
                f"{self._name}: rows {start} to {stop} do not all hold {self._columns} numbers "
                f"({str(error).splitlines()[0]}); vectors of one length are needed"
            ) from error
        except duckdb.Error as error:
            raise unreadable(self._name, "a table", error) from error
        return self._assembled(values, start, stop)

    def _query(self) -> str:
        kind, names = self._vectors.sql_type, [quoted(c) for c in self._vectors.columns]
        if self._vectors.is_list:
            # the cast refuses other lengths, so that rows cannot shift against one another
            wanted = f"unnest({names[0]}::{kind}[{self._columns}]) AS v"
        else:
            wanted = ", ".join(f"{name}::{kind} AS c{i}" for i, name in enumerate(names))
        return (
            f"SELECT {wanted} FROM read_parquet(?, file_row_number = true, "
            "hive_partitioning = false) WHERE file_row_number >= ? AND file_row_number < ?"
        )

    def _assembled(self, values: Sequence[NDArray], start: int, stop: int) -> NDArray:
        rows = stop - start
        for name, found in zip(self._vectors.columns, values, strict=True):
            if np.ma.is_masked(found):
                first = int(np.flatnonzero(np.ma.getmaskarray(found))[0])
                row = start + first // (self._columns if self._vectors.is_list else 1)
                raise bad(f"{self._name} has no value in column {name!r} at row {row}: fill it")
        flat = [np.ma.getdata(found) for found in values]
        if self._vectors.is_list:
            if flat[0].size != rows * self._columns:
                raise bad(
                    f"{self._name}: some of rows {start} to {stop} have no vector in column "
                    f"{self._vectors.columns[0]!r}; drop those rows or fill them"
                )
            return flat[0].reshape(rows, self._columns)
        if len(flat[0]) != rows:
            raise bad(f"{self._name} changed while it was read: open it again")
        out = np.empty((rows, self._columns), flat[0].dtype)
        for place, column in enumerate(flat):
            out[:, place] = column
        return out
