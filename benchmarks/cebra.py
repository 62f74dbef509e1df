"""CEBRA against `Contrastive`: the same pairs of neighbours in time, batches and updates.

Both learn from rows and the rows one step later, by cosine similarity, with as many negatives; each
has an encoder and an optimiser of its own, as it comes. Several seeds of each are fitted on the
first rows; how far they agree on rows that none has seen, up to an affine map, is scored by
`coset.consistency`, how far their codes are the latents by `coset.compare`. Time counts the whole
fit, compilation too. Labels are not used: CEBRA's way of drawing pairs by labels is another method.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np

sys.path.append(sys.path.pop(0))  # this file is called like the peer
from _harness import report, table, tell, wait_for_quiet

import coset
from coset.estimators import Contrastive

LATENTS, COLUMNS, DIM, BATCH, RATE = 3, 30, 3, 512, 3e-4


def main() -> None:
    from cebra import CEBRA

    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=20_000)
    options.add_argument("--steps", type=int, default=1000)
    options.add_argument("--seeds", type=int, default=3)
    given = options.parse_args()
    z, x = recorded(given.rows)
    cut = given.rows * 3 // 4

    def peer(steps: int, seed: int) -> Any:
        import torch

        torch.manual_seed(seed)
        return CEBRA(
            model_architecture="offset1-model", batch_size=BATCH, learning_rate=RATE,
            output_dimension=DIM, max_iterations=steps, conditional="time", time_offsets=1,
            distance="cosine", temperature_mode="auto", device="cpu", verbose=False,
        )  # fmt: skip

    def ours(steps: int, seed: int) -> Any:
        return Contrastive(
            dim=DIM, lag=1, batch=BATCH, steps=steps, widths=(32, 32, 32), random_state=seed
        )

    rows = {
        "cebra": fitted(peer, given.steps, given.seeds, x, z, cut),
        "coset": fitted(ours, given.steps, given.seeds, x, z, cut),
    }
    reached, steps = rows["coset"], given.steps
    while steps > 100:  # how few updates agree as much as the peer's
        found = fitted(ours, steps // 2, given.seeds, x, z, cut)
        if found["agree"] < rows["cebra"]["agree"]:
            break
        reached, steps = found, steps // 2
    if steps < given.steps:
        rows[f"coset, {steps} updates"] = reached
    table(
        ["", "seconds a fit", "seeds agree, held out", "latents, held-out R²"],
        [
            [name, f"{one['seconds']:.1f}", f"{one['agree']:.3f}", f"{one['latents']:.3f}"]
            for name, one in rows.items()
        ],
    )
    print(
        f"CEBRA {version('cebra')}: {given.steps} updates of {BATCH} pairs, {DIM} columns of code, "
        f"{given.seeds} seeds; {cut:,} rows of {COLUMNS} columns, {given.rows - cut:,} held out.\n"
    )
    ratios = {
        "time_of_same_updates": rows["cebra"]["seconds"] / rows["coset"]["seconds"],
        "time_to_same_consistency": rows["cebra"]["seconds"] / reached["seconds"],
        "consistency_cebra": rows["cebra"]["agree"],
        "consistency_coset": rows["coset"]["agree"],
        "latents_cebra": rows["cebra"]["latents"],
        "latents_coset": rows["coset"]["latents"],
    }
    report("cebra", ratios, {"time_to_same_consistency": ("at_least", 1.0)})


def recorded(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Latents on a sphere that wander, and what they look like."""
    rng = np.random.default_rng(0)
    z = np.empty((rows, LATENTS))
    z[0] = [1.0, 0.0, 0.0]
    for t in range(1, rows):
        near = z[t - 1] + 0.3 * rng.normal(size=LATENTS)
        z[t] = near / np.linalg.norm(near)
    first, second = rng.normal(size=(LATENTS, 20)), rng.normal(size=(20, COLUMNS))
    x = np.tanh(z @ first) @ second + 0.05 * rng.normal(size=(rows, COLUMNS))
    return z, x.astype(np.float32)


def fitted(
    made: Callable[[int, int], Any],
    steps: int,
    seeds: int,
    x: np.ndarray,
    z: np.ndarray,
    cut: int,
) -> dict[str, float]:
    """Seconds of a fit, agreement of the seeds, and R² of latents from codes, of unseen rows."""
    codes, seconds = [], []
    for seed in range(seeds):
        wait_for_quiet()
        began = time.perf_counter()
        model = made(steps, seed).fit(x[:cut])
        seconds.append(time.perf_counter() - began)
        codes.append(np.asarray(model.transform(x[cut:])))
    agree = coset.consistency(codes, group="affine").mean
    latents = [coset.compare(z[cut:], c, sample=0).groups["affine"].r2_ba for c in codes]
    name = type(model).__name__
    tell(f"  {name}, {steps} updates: {np.mean(seconds):.1f} s, seeds agree {agree:.3f}")
    return {
        "seconds": float(np.mean(seconds)), "agree": float(agree),
        "latents": float(np.mean(latents)),
    }  # fmt: skip


if __name__ == "__main__":
    main()
