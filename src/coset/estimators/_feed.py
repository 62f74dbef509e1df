"""Rows that no memory holds → worlds of equal shape, one for each chunk of steps."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array
from numpy.typing import NDArray

from .._core import Assumption
from .._fit import CHUNK
from ._recorded import Recorded, filled_up
from ._rows import Rows
from ._scaling import Scaling, refuse_holes

RUN = 128
"""Neighbouring rows that are read together."""
BLOCK_BYTES = 256 * 2**20
"""A block in memory holds no more than this, unless one batch does."""


@dataclass(eq=False)
class Blocks:
    """The world of the chunk that begins at a step: runs of rows from all over, shuffled.

    While one block is trained on, a thread prepares the next. Every run is read once before any is
    read twice; which ones make a block depends on the seed and the step alone, so that a resumed
    fit sees what an unbroken one would.

    Args:
        rows: what is read.
        scaling: what they go through.
        promises: of the worlds.
        size: rows of a block, a multiple of RUN.
        seed: of the order.
    """

    rows: Rows
    scaling: Scaling
    promises: frozenset[Assumption]
    size: int
    seed: int
    _worker: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1), init=False)
    _ready: dict[int, Future[Recorded]] = field(default_factory=dict, init=False)
    _epoch: tuple[int, NDArray] = field(default=(-1, np.zeros(0)), init=False)

    def __call__(self, step: int) -> Recorded:
        """The block of this chunk; the next one is begun."""
        number = step // CHUNK
        self._ready = {n: block for n, block in self._ready.items() if n >= number}
        for wanted in (number, number + 1):
            if wanted not in self._ready:
                self._ready[wanted] = self._worker.submit(self._block, wanted)
        return self._ready[number].result()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._worker.shutdown(cancel_futures=True)

    def _block(self, number: int) -> Recorded:
        each = self.size // RUN
        starts = [self._start(number * each + place) for place in range(each)]
        return _recorded(self.rows, self.scaling, starts, RUN, self.promises)

    def _start(self, place: int) -> int:
        """Where the run at this place of the endless order begins."""
        runs = self.rows.count // RUN
        epoch, place = divmod(place, runs)
        if self._epoch[0] != epoch:
            generator = np.random.default_rng((self.seed, epoch))
            shift = int(generator.integers(self.rows.count - runs * RUN + 1))
            self._epoch = (epoch, generator.permutation(runs) * RUN + shift)
        return int(self._epoch[1][place])


def block_size(rows: Rows, columns: int, batch: int) -> int:
    """Rows of a block: as many as a chunk of steps draws, or as memory is meant to hold."""
    each = columns * (1 if rows.positive is None and not rows.lag else 2)
    wanted = min(CHUNK * batch, BLOCK_BYTES // (4 * each))
    return max(wanted, batch) // RUN * RUN + RUN


def whole(rows: Rows, scaling: Scaling, promises: frozenset[Assumption] = frozenset()) -> Recorded:
    """The world, stacked for one seed, of all rows."""
    return _recorded(rows, scaling, [0], rows.count, promises)


def _recorded(
    rows: Rows, scaling: Scaling, starts: list[int], run: int, promises: frozenset[Assumption]
) -> Recorded:
    """Of the runs of rows that begin at these places."""
    x, positive, auxiliary = [], [], []
    for start in starts:
        stop = start + run
        one, other, beside = rows.read(start, stop)
        x.append(_ready(one, rows.x.name, start, scaling))
        rows.x.release(start, stop)
        if other is not None:
            partner = rows.positive or rows.x
            positive.append(_ready(other, partner.name, start + rows.lag, scaling))
            partner.release(start + rows.lag, stop + rows.lag)
        if beside is not None:
            auxiliary.append(beside)
    return Recorded(
        x=_joined(x),
        positive=_joined(positive) if positive else None,
        auxiliary=_joined(auxiliary) if auxiliary else None,
        count=jnp.asarray([run * len(starts)]),
        promises=promises,
    )


def _joined(blocks: list[NDArray]) -> Array:
    """All rows, filled up with zeros, and an axis for the seed."""
    rows = sum(map(len, blocks))
    out = np.zeros((1, filled_up(rows), *blocks[0].shape[1:]), blocks[0].dtype)
    np.concatenate(blocks, out=out[0, :rows])
    return jnp.asarray(out)


def _ready(block: NDArray, name: str, start: int, scaling: Scaling) -> NDArray:
    refuse_holes(block, name, start)
    return scaling(block)
