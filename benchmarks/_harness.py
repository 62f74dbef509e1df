"""What every benchmark shares: fair timing, a table to read, one JSON object to parse."""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Any

PATIENCE = 20.0
"""Seconds to wait, before each repetition, for the machine to be idle."""
IDLE = 0.9
STARTED = time.perf_counter()


def tell(text: str) -> None:
    """Progress, for people."""
    print(text, file=sys.stderr, flush=True)


def interleaved(cases: Mapping[str, Callable[[], Any]], repeats: int) -> dict[str, list[float]]:
    """Wall seconds of each case, once per repetition: the cases take turns.

    A first, untimed call of each case pays for imports, page tables and caches.
    """
    for name, case in cases.items():
        tell(f"  first call of {name}: {seconds(case):.2f} s (not counted)")
    taken: dict[str, list[float]] = {name: [] for name in cases}
    for number in range(repeats):
        wait_for_quiet()
        for name, case in cases.items():
            taken[name].append(seconds(case))
        tell(
            f"  {number + 1}/{repeats}: "
            + ", ".join(f"{k} {v[-1]:.3f} s" for k, v in taken.items())
        )
    return taken


def seconds(case: Callable[[], Any]) -> float:
    """Wall seconds of one call."""
    start = time.perf_counter()
    case()
    return time.perf_counter() - start


def ratio(above: list[float], below: list[float]) -> float:
    """Median over repetitions of the ratio within a repetition, so that slow moments cancel."""
    return median(x / y for x, y in zip(above, below, strict=True))


def wait_for_quiet() -> None:
    """Sleep until nobody else computes, or until PATIENCE ends: timings beside others mislead."""
    for _ in range(int(PATIENCE)):
        before = _ticks()
        time.sleep(1.0)
        after = _ticks()
        if before is None or after is None:
            return
        if after[0] - before[0] >= IDLE * (after[1] - before[1]):
            return
    tell("  the machine is busy with other work: what follows is less certain")


def table(header: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    """A Markdown table on stdout."""
    header = list(header)
    print("| " + " | ".join(header) + " |")
    print("|" + "|".join(" --- " for _ in header) + "|")
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    print()


def report(name: str, ratios: Mapping[str, float], bound: Mapping[str, tuple[str, float]]) -> None:
    """The JSON object that ends every benchmark.

    Args:
        name: of the benchmark.
        ratios: what was measured.
        bound: for some of them, ("at_most" or "at_least", number).
    """
    holds = all(
        ratios[key] <= limit if sense == "at_most" else ratios[key] >= limit
        for key, (sense, limit) in bound.items()
    )
    found = {
        "name": name,
        "ratios": {key: float(f"{value:.4g}") for key, value in ratios.items()},
        "bound": {key: list(limit) for key, limit in bound.items()},
        "holds": holds,
        "machine": machine(),
        "seconds": round(time.perf_counter() - STARTED, 1),
    }
    print(json.dumps(found), flush=True)


def machine() -> str:
    """Processor, CPUs, memory, and the versions that matter."""
    import numpy as np

    model = platform.processor() or platform.machine()
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), model)
    memory = ""
    with suppress(OSError, ValueError, AttributeError):
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
        memory = f", {size:.0f} GB"
    return (
        f"{model}, {os.cpu_count()} CPUs{memory}, {platform.system()}, "
        f"Python {platform.python_version()}, NumPy {np.__version__}"
    )


def _ticks() -> tuple[int, int] | None:
    """Idle and total processor ticks of the machine, where the system tells."""
    try:
        with open("/proc/stat") as file:
            counts = [int(word) for word in file.readline().split()[1:9]]
    except OSError:
        return None
    return counts[3] + counts[4], sum(counts)
