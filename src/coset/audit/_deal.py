"""Which rows are fitted on, scored on, sampled and worked on together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._core import BadInput

BUCKETS_PER_FOLD = 4
STATE_BYTES = 256 * 2**20
RUNS_PER_BUCKET = 64
LONGEST_RUN = 512
BLOCK_ROWS = 8192
SHARD_ROWS = 131_072
MOST_SHARDS = 128


@dataclass(frozen=True)
class Deal:
    """Rows are dealt in short runs of neighbours to buckets; bucket j belongs to fold j mod folds.

    Runs rather than single rows keep a large pass at the speed of the matrix product, and keep
    neighbouring rows, which often resemble each other, on one side of a split. It depends on the
    number of rows, the widths and the seed only, never on the number of workers.
    """

    rows: int
    width: int
    folds: int
    seed: int

    def __post_init__(self) -> None:
        if not 2 <= self.folds <= 50:
            raise BadInput(f"folds={self.folds}; a number from 2 to 50 is needed")
        if self.rows < 2 * self.folds:
            raise BadInput(
                f"{self.rows} rows are too few for {self.folds} folds; {2 * self.folds} are "
                f"needed: give more rows or fewer folds"
            )

    @property
    def buckets(self) -> int:
        """Parts that the rows are dealt to: the units of the jackknife."""
        most = STATE_BYTES // (8 * self.width**2 * self.folds)
        by_rows = self.rows // (2 * self.folds)
        return self.folds * int(np.clip(min(most, by_rows), 1, BUCKETS_PER_FOLD))

    def fold(self, k: int) -> list[int]:
        """The buckets of fold k."""
        return list(range(k, self.buckets, self.folds))

    @property
    def run(self) -> int:
        """Neighbouring rows that stay together."""
        return int(np.clip(self.rows // (self.buckets * RUNS_PER_BUCKET), 1, LONGEST_RUN))

    def bucket_of_runs(self) -> NDArray[np.int32]:
        """The bucket of each run: balanced, shuffled by the seed."""
        runs = -(-self.rows // self.run)
        dealt = np.arange(runs, dtype=np.int32) % self.buckets
        np.random.default_rng((self.seed, 1)).shuffle(dealt)
        return dealt

    def bucket_of(self, rows: NDArray) -> NDArray[np.int32]:
        """The bucket of each of these rows."""
        return self.bucket_of_runs()[rows // self.run]

    def sample(self, size: int) -> NDArray[np.intp]:
        """Rows for the measures that cannot merge, in order; all of them where they are few."""
        if size >= self.rows:
            return np.arange(self.rows)
        chosen = np.random.default_rng((self.seed, 2)).choice(self.rows, size, replace=False)
        return np.sort(chosen)

    def shards(self) -> list[tuple[int, int]]:
        """Spans of rows that one worker takes at a time, cut between runs, of about one size."""
        count = int(np.clip(-(-self.rows // SHARD_ROWS), 1, MOST_SHARDS))
        size = -(-self.rows // (count * self.run)) * self.run
        return [(i, min(i + size, self.rows)) for i in range(0, self.rows, size)]

    def blocks(self, start: int, stop: int) -> Iterator[tuple[int, int]]:
        """Spans of rows to read at a time, cut between runs."""
        size = max(1, BLOCK_ROWS // self.run) * self.run
        for i in range(start, stop, size):
            yield i, min(i + size, stop)
