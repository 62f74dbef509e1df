"""Several files read as one, in their order."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._keys import KeyTable, family
from ._source import Source
from ._words import bad


class ShardedSource(Source):
    """The rows of its parts, one part after another.

    Args:
        parts: sources with the same number of columns.
        name: of the whole.
    """

    def __init__(self, parts: Sequence[Source], name: str) -> None:
        first = parts[0]
        for part in parts:
            if part.columns != first.columns:
                raise bad(
                    f"the shards of {name} differ: {first.name} has {first.columns} columns and "
                    f"{part.name} has {part.columns}; shards of one array are needed"
                )
        self.name, self._parts = name, list(parts)
        self._edges = np.cumsum([0, *(part.rows for part in parts)])
        self.rows, self.columns = int(self._edges[-1]), first.columns
        self.left_out = first.left_out
        self.dtype = np.result_type(*(part.dtype for part in parts))
        self.random_access = all(part.random_access for part in parts)
        tables = [part.table for part in parts if part.table is not None]
        if len(tables) == len(parts):
            self.table = _ShardedKeys(name, tables, self._edges)

    def _read(self, start: int, stop: int) -> NDArray:
        blocks = [part.read(*span) for part, span in self._spans(start, stop)]
        return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)

    def _spans(self, start: int, stop: int) -> Iterator[tuple[Source, tuple[int, int]]]:
        """The parts that hold these rows, and which of their own rows these are."""
        low, high = np.searchsorted(self._edges, [start, stop - 1], side="right") - 1
        for number in range(low, high + 1):
            part, edge = self._parts[number], int(self._edges[number])
            yield part, (max(0, start - edge), min(part.rows, stop - edge))

    def _take(self, rows: NDArray[np.int64]) -> NDArray:
        out = np.empty((len(rows), self.columns), self.dtype)
        owner = np.searchsorted(self._edges, rows, side="right") - 1
        for number in np.unique(owner):
            mine = owner == number
            out[mine] = self._parts[number].take(rows[mine] - self._edges[number])
        return out

    def release(self, start: int, stop: int) -> None:
        """Let mapped rows leave memory."""
        for part, span in self._spans(start, stop):
            part.release(*span)

    def close(self) -> None:
        for part in self._parts:
            part.close()


class _ShardedKeys(KeyTable):
    def __init__(self, name: str, tables: Sequence[KeyTable], edges: NDArray[np.int64]) -> None:
        self.name, self._tables, self._edges = name, tables, edges

    def names(self) -> Collection[str]:
        return [
            column
            for column in self._tables[0].names()
            if all(column in table.names() for table in self._tables)
        ]

    def select(self, connection: Any, column: str) -> tuple[str, list[Any]]:
        queries: list[str] = []
        parameters: list[Any] = []
        families: dict[str, str] = {}
        for table, offset in zip(self._tables, self._edges[:-1], strict=True):
            query, given = table.select(connection, column)
            kind = connection.execute(f"DESCRIBE {query}", given).fetchone()[1]
            families.setdefault(family(kind), table.name)
            queries.append(f"SELECT key, row + {int(offset)} AS row FROM ({query})")
            parameters += given
        if len(families) > 1:
            told = " and ".join(f"{kind} in {name}" for kind, name in families.items())
            raise bad(f"column {column!r} is {told}; keys of one type are needed: convert one")
        return " UNION ALL ".join(queries), parameters

    def rows_without(self, column: str) -> Source:
        return ShardedSource([table.rows_without(column) for table in self._tables], self.name)
