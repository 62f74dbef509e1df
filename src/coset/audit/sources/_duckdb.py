"""DuckDB kept on a leash: local files only, nothing installed, bounded memory, quoted names."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ._words import bad

MEMORY = "1GB"
"""What a query may hold; the rest goes to a temporary folder (TMPDIR chooses where)."""


@contextmanager
def connected(memory: str | None = None, threads: int | None = None) -> Iterator[Any]:
    """A connection of its own, gone with its temporary files at the end of the block."""
    import duckdb

    folder = tempfile.mkdtemp(prefix="coset-duckdb-")
    memory = memory or MEMORY
    settings = {
        "memory_limit": memory,
        "temp_directory": folder,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_community_extensions": False,
    }
    if threads is not None:
        settings["threads"] = threads
    try:
        connection = duckdb.connect(":memory:", config=settings)
        try:
            # otherwise a whole column of a row group is held before it is decoded
            connection.execute("SET disable_parquet_prefetching = true")
            connection.execute("SET enable_external_file_cache = false")
            yield connection
        except duckdb.OutOfMemoryException as error:
            raise bad(
                f"this table needs more than the {memory} that a query may hold "
                f"({str(error).splitlines()[0]}); write it again with smaller row groups"
            ) from error
        finally:
            connection.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def quoted(name: str) -> str:
    """A column's name as SQL reads it, whatever characters it holds.

    Example:
        >>> quoted('a"; DROP TABLE b')
        '"a""; DROP TABLE b"'
    """
    return '"' + name.replace('"', '""') + '"'


def text(value: str | Path) -> str:
    """A string as SQL reads it, for the few places that take no parameter."""
    return "'" + str(value).replace("'", "''") + "'"


def literal_path(path: str | Path) -> str:
    """A path in which no character is a pattern.

    Example:
        >>> literal_path("run[1].parquet")
        'run[[]1].parquet'
    """
    return "".join(f"[{c}]" if c in "*?[" else c for c in str(path))
