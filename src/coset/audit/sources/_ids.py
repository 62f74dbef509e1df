"""Row ids that stand in a file or an array of their own."""

from __future__ import annotations

import csv
import os
import re
from pathlib import Path
from typing import Any

import numpy as np

from ._duckdb import connected
from ._keys import ArrayKeys, KeyTable, ParquetKeys, plain_keys
from ._npy import map_array, read_header
from ._source import Source
from ._tables import column_types
from ._words import bad, listed, near, unreadable

_WHOLE = re.compile(r"0|-?[1-9]\d{0,17}")


def ids_table(keys: Any, source: Source) -> tuple[KeyTable, str]:
    """A table of the ids of each row of a source, and the column they are in.

    Args:
        keys: an array-like of ids (rows,); or the path of an `.npy`, `.txt` (one id a line), `.csv`
            or `.tsv` (with or without a header) or `.parquet` file, `path#COLUMN` for one of many.
        source: the rows they belong to.
    """
    if not isinstance(keys, str | os.PathLike):
        values = plain_keys(keys, source.name)
        return ArrayKeys(source.name, {"id": values}), "id"
    path, column = _split(os.path.expanduser(os.fspath(keys)), source)
    name = f"{source.name} ({path})"
    suffix = path.suffix.lower()
    if suffix in (".parquet", ".pq"):
        return _parquet(path, column, name)
    if suffix == ".npy":
        with open(path, "rb") as file:
            header = read_header(file, str(path))
        if header.stored.kind == "O":
            raise bad(f"{path} holds Python objects, which are never opened; save text or integers")
        try:
            values = np.asarray(map_array(path, 0, header))
        except (ValueError, OSError) as error:
            raise unreadable(path, ".npy", error) from error
    elif suffix in (".txt", ".csv", ".tsv"):
        values = _lines(path, column, source.rows)
    else:
        raise bad(f"{path} is no file of ids; .npy, .txt, .csv, .tsv or .parquet is needed")
    return ArrayKeys(name, {"id": plain_keys(values, name)}), "id"


def _split(text: str, source: Source) -> tuple[Path, str | None]:
    path, column = Path(text), None
    if not path.exists() and "#" in text:
        before, _, column = text.rpartition("#")
        path = Path(before)
    if not path.is_file():
        names = list(source.table.names()) if source.table is not None else []
        has = f" (columns: {listed(names)})" if names else ""
        raise bad(
            f"the key {text!r} is neither a part of {source.name}{has}{near(text, names)} nor a "
            f"file of ids: correct it"
        )
    return path, column


def _parquet(path: Path, column: str | None, name: str) -> tuple[KeyTable, str]:
    import duckdb

    try:
        with connected() as connection:
            columns = list(column_types(connection, path))
    except duckdb.Error as error:
        raise unreadable(path, "a table", error) from error
    return ParquetKeys(name, path, columns, _no_rows), _one_of(columns, column, path)


def _no_rows(**_: Any) -> Source:
    raise AssertionError("a table of ids has no rows of numbers")


def _lines(path: Path, column: str | None, rows: int) -> Any:
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            if path.suffix.lower() == ".txt":
                ids = file.read().splitlines()
            else:
                delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
                table = [line for line in csv.reader(file, delimiter=delimiter) if line]
                header = table[0] if table else []
                place = header.index(_one_of(header, column, path))
                ids = [line[place] for line in table]
                if column is not None or len(ids) == rows + 1:  # the first line is a header
                    ids = ids[1:]
    except (UnicodeDecodeError, csv.Error, IndexError) as error:
        raise unreadable(path, "ids", error) from error
    while ids and not ids[-1]:
        ids.pop()
    return np.array(ids, np.int64) if all(map(_WHOLE.fullmatch, ids)) else np.array(ids, object)


def _one_of(columns: list[str], column: str | None, path: Path) -> str:
    if column is None and len(columns) == 1:
        return columns[0]
    if column in columns:
        return column
    if column is None:
        raise bad(
            f"{path} has {len(columns)} columns ({listed(columns)}); one of ids is needed: "
            f"choose it with PATH#COLUMN"
        )
    raise bad(f"{path} has no column {column!r}{near(column, columns)}; it has {listed(columns)}")
