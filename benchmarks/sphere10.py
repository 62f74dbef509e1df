"""Seconds to a score on the ten-dimensional sphere, against the published recipe run eagerly.

Uniform latents on the sphere, von Mises-Fisher positives of concentration 20, three mixing layers;
the score is held-out linear R² from codes to latents. Time is that of training, compilation and
scoring apart. The eager loop is timed here, step by step; how many steps the published recipe needs
was measured once (`published_sphere10.json`, which names its command and machine).
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from statistics import median

import jax
import torch
from _eager import PUBLISHED, SLOPE, World, encoder, steps
from _harness import report, table, tell, wait_for_quiet

from coset._fit import fit
from coset._lab import stacked
from coset._recipe import Recipe
from coset.claims._measures import linear_r2
from coset.encoders import Mlp, OnSphere
from coset.objectives import Dot, InfoNCE
from coset.worlds import sphere

KAPPA, D = 20.0, 10
TARGETS = {
    "r2_99": (0.99, Recipe(batch=512, steps=900), 5.0),
    "r2_999": (0.999, Recipe(batch=512, steps=2400), 12.0),
}
CURVE = Path(__file__).parent / "published_sphere10.json"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seeds", type=int, default=3, help="each is timed alone")
    options.add_argument("--eager-steps", type=int, default=12)
    given = options.parse_args()
    pace = eager_seconds(given.eager_steps)
    published = json.loads(CURVE.read_text())
    print(
        f"The published recipe (batch {published['batch']}, widths {published['widths']}, Adam "
        f"{published['rate']:g}) takes {pace:.2f} s a step here, run eagerly in PyTorch "
        f"{torch.__version__} (median of {given.eager_steps} steps). Its steps to a score were "
        f"measured once, by `{published['command']}` on one {published['device']}.\n"
    )
    rows, ratios, bound = [], {}, {}
    for name, (target, recipe, limit) in TARGETS.items():
        found = [time_to(target, recipe, seed) for seed in range(given.seeds)]
        seconds = median(taken for taken, _ in found)
        needed, reached = steps_to(published["curve"], target)
        ratios[name] = seconds
        ratios[f"{name}_times_faster"] = needed * pace / seconds
        bound[name] = ("at_most", limit)
        bound[f"{name}_times_faster"] = ("at_least", 1000.0)
        rows.append([
            f"R² ≥ {target}", f"{recipe.steps:,} x {recipe.batch}",
            ", ".join(f"{taken:.2f}" for taken, _ in found), f"{seconds:.2f}",
            f"{needed:,}" if reached else f"more than {needed:,}",
            f"{'' if reached else 'more than '}{needed * pace:,.0f}",
            f"{ratios[f'{name}_times_faster']:,.0f}",
        ])  # fmt: skip
    table(
        ["score", "steps x batch", "seconds by seed", "median", "published: steps", "seconds",
         "times faster"],
        rows,
    )  # fmt: skip
    print(
        "Where the published recipe did not reach the score within its budget, the steps of that "
        "budget count: the ratio is then a lower bound.\n"
    )
    report("sphere10", ratios, bound)  # type: ignore[arg-type]


def time_to(target: float, recipe: Recipe, seed: int) -> tuple[float, int]:
    """Seconds of training, and steps, until one seed reaches the target."""
    wait_for_quiet()
    k_encoder, k_fit = jax.random.split(jax.random.key(seed))
    found = fit(
        stacked([sphere(seed, d=D, kappa=KAPPA)]),
        stacked([Mlp(k_encoder, D, D, head=OnSphere())]),
        stacked([InfoNCE(Dot(), 1 / KAPPA)]),
        recipe,
        keys=k_fit[None],
        watch=lambda latents, codes: [linear_r2(codes[0], latents[0])],
        until=target,
    )
    last = found.curve[-1]
    tell(f"  seed {seed}: R² {last.score[0]:.4f} after {last.step} steps, {found.seconds:.2f} s")
    if last.score[0] < target:
        return float("inf"), last.step
    return found.seconds, last.step


def eager_seconds(count: int) -> float:
    """Seconds of one step of the published recipe, run eagerly with all threads."""
    torch.manual_seed(0)
    world = World(0, "cpu")
    stepping = steps(world, encoder(PUBLISHED, SLOPE, "cpu"))
    taken = []
    for _ in range(count + 2):
        began = time.perf_counter()
        next(stepping)
        taken.append(time.perf_counter() - began)
    tell(f"  eager step: {median(taken[2:]):.3f} s")
    return median(taken[2:])


def steps_to(curve: list[tuple[int, float]], target: float) -> tuple[int, bool]:
    """Steps after which the score is reached, or those that were spent without reaching it."""
    return next(((step, True) for step, score in curve if score >= target), (curve[-1][0], False))


if __name__ == "__main__":
    main()
