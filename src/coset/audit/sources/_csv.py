"""CSV and TSV: parsed once into a temporary Parquet file, which then serves any range."""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from ._duckdb import connected, literal_path, quoted, text
from ._keys import UNNAMED
from ._source import Source
from ._spool import Spool
from ._tables import open_parquet
from ._words import unreadable

is_table = True
GROUP_BYTES = 32 << 20
"""Of parsed values in a row group of the temporary file."""


def shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """A table is no stack of arrays."""
    return {}


def open_rows(path: Path, key: str | None, name: str, without: Collection[str] = ()) -> Source:
    """The rows of a CSV or TSV file, with or without a header, plain or gzipped."""
    spool = Spool(".parquet")
    try:
        to_parquet(path, spool.path)
        return open_parquet(
            spool.path, key, name, without=without, origin=path, on_close=spool.close
        )
    except BaseException:
        spool.close()
        raise


def to_parquet(path: Path, target: Path) -> None:
    """Parse a whole file of text into a table."""
    import duckdb

    shape = _shape(path)
    # the whole file decides the types: a sample could take a column of floats for integers
    scan = (
        f"read_csv({text(literal_path(path))}, sample_size = -1, skip = 0, comment = '', "
        f"quote = '\"', escape = '\"', delim = {text(shape.delimiter)}, header = {shape.header}, "
        "hive_partitioning = false)"
    )
    try:
        with connected() as connection:
            columns = "*"
            if shape.unnamed:
                first = connection.execute(f"DESCRIBE SELECT * FROM {scan}").fetchall()[0][0]
                columns = f"* RENAME ({quoted(first)} AS {quoted(UNNAMED)})"
            connection.execute(
                f"COPY (SELECT {columns} FROM {scan}) TO {text(target)} (FORMAT parquet, "
                f"COMPRESSION uncompressed, USE_TMP_FILE false, ROW_GROUP_SIZE {shape.group})",
            ).fetchall()
    except duckdb.Error as error:
        raise unreadable(path, "CSV", error) from error


class Shape(NamedTuple):
    """How the lines of a file are to be read, as its first line tells."""

    delimiter: str
    header: bool
    unnamed: bool
    """Whether the header begins with an empty name, as over the index that pandas writes."""
    group: int
    """Rows to a row group: with 1,024 columns, DuckDB's own 122,880 ran out of memory."""


def _shape(path: Path) -> Shape:
    name = path.name.lower()
    opener = gzip.open if name.endswith(".gz") else open
    try:
        with opener(path, "rt", encoding="utf-8-sig", errors="replace", newline="") as file:
            line = file.readline(1 << 24)
        bare = re.sub(r'"[^"]*"', "", line)
        delimiter = max(",;\t|", key=bare.count)
        if name.removesuffix(".gz").endswith(".tsv"):
            delimiter = "\t"
        fields = next(csv.reader([line], delimiter=delimiter), [])
    except (OSError, EOFError, zlib.error, csv.Error) as error:
        raise unreadable(path, "CSV", error) from error
    header = is_header(fields)
    group = min(122_880, max(2_048, GROUP_BYTES // (8 * max(1, len(fields)))))
    return Shape(delimiter, header, header and fields[0] == "", group)


def is_header(fields: Sequence[str]) -> bool:
    """Whether a first line holds names: no number among them, or numbers that count the columns.

    Example:
        >>> is_header(["id", "x"]), is_header(["0.5", ""]), is_header(["", "0", "1", "2"])
        (True, False, True)
    """
    numbers = [field for field in fields if _is_number(field)]
    counted = len(numbers) > 1 and numbers == [str(place) for place in range(len(numbers))]
    return counted or (not numbers and any(fields))


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
