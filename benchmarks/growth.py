"""How the time of a pass, and of a whole comparison, grows with rows and with columns.

The slope of log time against log size: 1 is linear, 2 quadratic.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from statistics import median

import numpy as np
from _harness import interleaved, report, table, tell
from numpy.typing import NDArray

import coset
from coset.audit._deal import Deal
from coset.audit._pass import summarise
from coset.audit.sources import align
from coset.sweep import engine

WHAT = ("pass", "compare(sample=0)", "compare()")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--rows", type=int, nargs="+", default=[50_000, 100_000, 200_000, 400_000])
    options.add_argument("--columns", type=int, nargs="+", default=[64, 128, 256, 512])
    options.add_argument("--narrow", type=int, default=64, help="columns where rows grow")
    options.add_argument("--short", type=int, default=40_000, help="rows where columns grow")
    given = options.parse_args()
    by_rows = [(n, given.narrow) for n in given.rows]
    by_columns = [(given.short, d) for d in given.columns]
    print(
        "Two float32 arrays in memory, n x d each. Slopes are of log time on log size, by least "
        f"squares over the medians of {given.repeats} repetitions.\n"
    )
    ratios = {}
    for along, shapes in (("rows", by_rows), ("columns", by_columns)):
        times = {shape: measure(*shape, given.repeats) for shape in shapes}
        sizes = given.rows if along == "rows" else given.columns
        slopes = [slope(sizes, [times[shape][name] for shape in shapes]) for name in WHAT]
        table(
            ("n", "d", *(f"`{name}` s" for name in WHAT)),
            [
                *((f"{n:,}", d, *(f"{x:.3g}" for x in t.values())) for (n, d), t in times.items()),
                (f"slope in {along}", "", *(f"{x:.2f}" for x in slopes)),
            ],
        )
        keys = (f"pass_{along}", f"compare_linear_{along}", f"compare_{along}")
        ratios |= dict(zip(keys, slopes, strict=True))
    bound = {
        "pass_rows": ("at_most", 1.1),
        "compare_linear_rows": ("at_most", 1.1),
        "pass_columns": ("at_most", 2.1),
        "compare_linear_columns": ("at_most", 3.0),
    }
    report("growth", ratios, bound)


def measure(n: int, d: int, repeats: int) -> dict[str, float]:
    """Median seconds of each of WHAT."""
    tell(f"{n:,} x {d}")
    generator = np.random.default_rng(0)
    a = generator.standard_normal((n, d), dtype=np.float32)
    noise = generator.standard_normal((n, d), dtype=np.float32)
    b = a @ generator.standard_normal((d, d), dtype=np.float32) + noise
    calls: tuple[Callable[[], object], ...] = (
        lambda: one_pass(a, b),
        lambda: coset.compare(a, b, sample=0),
        lambda: coset.compare(a, b),
    )
    taken = interleaved(dict(zip(WHAT, calls, strict=True)), repeats)
    return {name: median(times) for name, times in taken.items()}


def one_pass(a: NDArray, b: NDArray) -> None:
    """The moments of every bucket; no score."""
    with align(a, b) as pair:
        deal = Deal(pair.a.rows, pair.a.columns + pair.b.columns, 5, 0)
        summarise(pair.a, pair.b, deal, engine(), sample=0)


def slope(sizes: list[int], times: list[float]) -> float:
    """Least squares, both in logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


if __name__ == "__main__":
    main()
