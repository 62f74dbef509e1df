"""How close one pass over two files is to the matrix product that it cannot do without.

Two float32 arrays on disk against one float64 product [a b]ᵀ[a b], accumulated in memory by dsyrk
with all threads of BLAS. Then the peak of resident memory, in a process of its own, for n and 4 n
rows.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
from _harness import interleaved, ratio, report, table, tell
from scipy.linalg.blas import dsyrk

import coset
from coset.audit._deal import Deal
from coset.audit._pass import summarise
from coset.audit.sources import align
from coset.sweep import engine

BLOCK = 16_384
BOUND = 1.5
MOST_GB = 1.0


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=500_000)
    options.add_argument("--columns", type=int, default=256)
    options.add_argument("--repeats", type=int, default=5)
    options.add_argument("--times", type=int, default=4, help="memory: also so many times the rows")
    options.add_argument("--folder", help="where the arrays are written, and removed again")
    options.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.child:
        watch(lambda: coset.compare(*given.child))
        return
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        measure(Path(folder), given)


def measure(folder: Path, given: argparse.Namespace) -> None:
    rows, columns = given.rows, given.columns
    a, b = folder / "a.npy", folder / "b.npy"
    write_pair(a, b, rows, columns)
    runs = Deal(rows, 2 * columns, 5, 0).run
    cases: dict[str, Callable[[], object]] = {
        f"product, blocks of {BLOCK}": product(rows, 2 * columns, BLOCK),
        f"product, blocks of {runs}": product(rows, 2 * columns, runs),
        "pass": lambda: one_pass(a, b),
        "compare(sample=0)": lambda: coset.compare(a, b, sample=0),
        "compare()": lambda: coset.compare(a, b),
    }
    taken = interleaved(cases, given.repeats)
    whole, runs_only, *ours = taken.values()
    bare = [min(pair) for pair in zip(whole, runs_only, strict=True)]
    ratios = dict(zip(("pass", "compare_linear", "compare"), (ratio(x, bare) for x in ours)))
    peaks = {"peak_gb_n": peak(a, b)}
    if given.times > 1:
        write_pair(a, b, given.times * rows, columns)
        peaks[f"peak_gb_{given.times}n"] = peak(a, b)
    say(given, taken, ratios, peaks)
    bound = {"compare_linear": ("at_most", BOUND)}
    bound |= {name: ("at_most", MOST_GB) for name in peaks}
    report("one_pass", ratios | {name: total for name, (total, _) in peaks.items()}, bound)


def product(rows: int, width: int, block: int) -> Callable[[], None]:
    """The bare product: blocks are float64 and in memory already; sums accumulate in place."""
    held = np.random.default_rng(0).standard_normal((BLOCK, width))

    def multiply() -> None:
        total = np.zeros((width, width), order="F")
        for start in range(0, rows, block):
            count, place = min(block, rows - start), start % BLOCK
            part = held[place : place + count] if place + count <= BLOCK else held[:count]
            dsyrk(1.0, part.T, beta=1.0, c=total, lower=1, overwrite_c=1)

    return multiply


def one_pass(a: Path, b: Path) -> None:
    """Reading, widening, centring, and the moments of every bucket; no score."""
    with align(a, b) as pair:
        deal = Deal(pair.a.rows, pair.a.columns + pair.b.columns, 5, 0)
        summarise(pair.a, pair.b, deal, engine(), sample=0)


def write_pair(a: Path, b: Path, rows: int, columns: int) -> None:
    """A mixture of Gaussians, and a linear map of it with noise: b = a A + noise."""
    tell(f"  writing two arrays of {rows:,} x {columns}")
    generator = np.random.default_rng(0)
    centres = generator.standard_normal((20, columns), dtype=np.float32)
    matrix = generator.standard_normal((columns, columns), dtype=np.float32) / columns**0.5
    shape, kind = (rows, columns), np.float32
    out_a = np.lib.format.open_memmap(a, "w+", kind, shape)
    out_b = np.lib.format.open_memmap(b, "w+", kind, shape)
    for start in range(0, rows, BLOCK):
        count = min(BLOCK, rows - start)
        block = centres[generator.integers(len(centres), size=count)]
        block += generator.standard_normal((count, columns), dtype=np.float32)
        noise = generator.standard_normal((count, columns), dtype=np.float32)
        out_a[start : start + count] = block
        out_b[start : start + count] = block @ matrix + noise / 10


def peak(a: Path, b: Path) -> tuple[float, float]:
    """GB that a process needs at most to compare two files: all that is resident, and its own."""
    command = [sys.executable, __file__, "--child", str(a), str(b)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    total, own = found["total"] / 1e9, found["own"] / 1e9
    tell(f"  peak {total:.3f} GB resident, of which {own:.3f} GB is not a mapped file")
    return total, own


def watch(work: Callable[[], object]) -> None:
    """Run; print the peaks of resident memory, in bytes, as JSON.

    The kernel keeps the peak of all resident pages, mapped files included; that of anonymous pages
    is looked at a hundred times a second.
    """
    own, done = [0], threading.Event()

    def look() -> None:
        while not done.wait(0.01):
            own[0] = max(own[0], _status("RssAnon"))

    watcher = threading.Thread(target=look)
    watcher.start()
    work()
    done.set()
    watcher.join()
    print(json.dumps({"total": _status("VmHWM"), "own": own[0]}))


def _status(field: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(field))


def say(
    given: argparse.Namespace,
    taken: dict[str, list[float]],
    ratios: dict[str, float],
    peaks: dict[str, tuple[float, float]],
) -> None:
    print(
        f"Two float32 arrays of {given.rows:,} x {given.columns} in `.npy` files (a mixture of "
        f"Gaussians; b is a linear map of a with noise), in the page cache. The product is "
        f"[a b]ᵀ[a b] in float64, of blocks that are in memory and float64 already, by dsyrk with "
        f"all threads; of its two block sizes the faster one counts. Medians of {given.repeats} "
        f"interleaved repetitions; ratios are taken within a repetition.\n"
    )
    shown = dict(zip(("pass", "compare(sample=0)", "compare()"), ratios.values()))
    table(
        ("what", "seconds", "ratio to the product"),
        (
            (f"`{name}`", f"{median(times):.2f}", f"{shown[name]:.2f}" if name in shown else "")
            for name, times in taken.items()
        ),
    )
    print(
        "`pass` reads both files and has the moments of every bucket of every fold. "
        "`compare(sample=0)` adds all that second moments give: eight rungs scored held out and "
        "both ways with intervals and chance, and the linear measures. `compare()` adds the rungs "
        "and measures that need a sample of rows.\n"
    )
    table(
        ("rows", "peak resident GB", "of which not mapped files"),
        (
            (f"{rows:,}", f"{total:.2f}", f"{own:.2f}")
            for rows, (total, own) in zip(
                (given.rows, given.times * given.rows), peaks.values(), strict=False
            )
        ),
    )
    print("Memory is that of `compare()` in a process of its own, as `top` shows it.\n")


if __name__ == "__main__":
    main()
