"""Rows that stay on disk against the same rows in memory: seconds of a whole fit.

The contrastive estimator on neighbours in time. A mapped file and a folder of shards are read block
by block, a thread preparing the next one; the array is moved once. Both see as many rows and
do as many updates; the first fit of each, which compiles, is not counted.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import equinox as eqx
import numpy as np
from _harness import interleaved, ratio, report, table, tell

from coset import _fit
from coset.estimators import Contrastive


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=400_000)
    options.add_argument("--columns", type=int, default=64)
    options.add_argument("--steps", type=int, default=1000)
    options.add_argument("--repeats", type=int, default=3)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = walk(given.rows, given.columns)
        np.save(folder / "rows.npy", rows)
        (folder / "shards").mkdir()
        for number, part in enumerate(np.array_split(rows, 8)):
            np.save(folder / "shards" / f"{number}.npy", part)
        cases = {
            "memory": fitting(rows, given.steps),
            "mapped": fitting(folder / "rows.npy", given.steps),
            "shards": fitting(folder / "shards", given.steps),
        }
        traces = eqx.debug.get_num_traces(_fit._advance)
        taken = interleaved(cases, given.repeats)
        traces = eqx.debug.get_num_traces(_fit._advance) - traces
    tell(f"  {traces} programs for {3 * (given.repeats + 1)} fits")
    ratios = {name: ratio(taken[name], taken["memory"]) for name in ("mapped", "shards")}
    table(
        ["rows", "seconds", "updates per second", "of the time in memory"],
        [
            [name, f"{median(seconds):.2f}", f"{given.steps / median(seconds):.0f}",
             f"{ratios.get(name, 1.0):.2f}"]
            for name, seconds in taken.items()
        ],
    )  # fmt: skip
    print(f"{given.rows:,} rows of {given.columns} columns, {given.steps} updates of 512 pairs.\n")
    ratios["programs"] = traces
    bound = {"mapped": ("at_most", 1.1), "shards": ("at_most", 1.1), "programs": ("at_most", 2)}
    report("streaming", ratios, bound)


def walk(rows: int, columns: int) -> np.ndarray:
    """Latents that wander, seen through a random map."""
    rng = np.random.default_rng(0)
    z = np.cumsum(rng.normal(size=(rows, 8)).astype(np.float32), axis=0)
    return np.tanh(z @ rng.normal(size=(8, columns)).astype(np.float32) / 300)


def fitting(rows: Any, steps: int) -> Callable[[], Any]:
    """A fit of these rows."""
    model = Contrastive(dim=8, lag=1, steps=steps, random_state=0)
    return lambda: model.fit(rows)


if __name__ == "__main__":
    main()
