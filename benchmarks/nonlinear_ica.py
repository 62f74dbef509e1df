"""Seconds to a score in nonlinear ICA, against the published recipes run eagerly in PyTorch.

TCL: five Laplace latents whose scales change over 40 segments; held-out R² from codes to |z|. PCL:
five Laplace autoregressions; held-out mean correlation with the latents. iVAE: five normal latents
whose scales change over 40 segments; the same correlation. The same worlds and seeds on both sides,
two mixing layers for iVAE and three for the others. Time is that of training, compilation and
scoring apart. A published recipe gets a budget of seconds; where it does not reach the score in it,
the ratio is a lower bound.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from statistics import median

import jax
import numpy as np
import torch
from _eager_ica import Ivae, Model, Pcl, Tcl, learning_curve, whitening
from _harness import report, table, tell, wait_for_quiet
from numpy.typing import NDArray

from coset._fit import fit
from coset._lab import Draw, stacked
from coset._run import Trial
from coset.claims import hyvarinen2016, hyvarinen2017, khemakhem2020
from coset.claims._measures import linear_r2
from coset.metrics import mcc

D, SEGMENTS, LAYERS = 5, 40, 3
Curve = list[tuple[int, float, float]]
"""Steps, seconds of training, score."""
POINTS = {"tcl": 512 * SEGMENTS, "pcl": 2**17, "ivae": 1000 * SEGMENTS}
"""Training rows of the published recipes; of pairs, half as many as were published."""


@dataclass(frozen=True)
class Race:
    """One objective on both sides."""

    trial: Trial
    score: Callable[[NDArray, NDArray], float]
    """Latents and codes → score."""
    model: Callable[[], Model]
    limits: dict[float, float]
    """Score → seconds that ours may take."""


RACES = {
    "tcl": Race(
        hyvarinen2016.trial("small"),
        lambda z, c: linear_r2(c, np.abs(z)),
        lambda: Tcl(D, SEGMENTS, LAYERS),
        {0.95: 10.0, 0.99: 20.0},
    ),
    "pcl": Race(
        hyvarinen2017.trial("small"),
        lambda z, c: float(mcc(z, c)),
        lambda: Pcl(D),
        {0.95: 10.0, 0.99: 20.0},
    ),
    "ivae": Race(
        khemakhem2020.trial("small"),
        lambda z, c: float(mcc(z, c)),
        lambda: Ivae(D, SEGMENTS, POINTS["ivae"]),
        {0.9: 20.0, 0.95: 30.0},
    ),
}  # fmt: skip


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seeds", type=int, default=3, help="each of ours is timed alone")
    options.add_argument("--budget", type=float, default=40.0, help="seconds of a published recipe")
    given = options.parse_args()
    rows, ratios, bound = [], {}, {}
    for name, race in RACES.items():
        wait_for_quiet()
        curves = [ours(race, seed) for seed in range(given.seeds)]
        other = published(name, race, given.budget)
        for target, limit in race.limits.items():
            taken = [reached(curve, target)[1] for curve in curves]
            steps, seconds, score = reached(other, target)
            short = score < target
            if short:
                steps, seconds, score = other[-1]
            label = f"{name}_{target:g}".replace("0.", "")
            ratios[label] = median(taken)
            ratios[f"{label}_times_faster"] = seconds / median(taken)
            bound[label] = ("at_most", limit)
            if name != "pcl":
                bound[f"{label}_times_faster"] = ("at_least", 3.0)
            rows.append([
                name.upper(), f"{target}", ", ".join(f"{one:.2f}" for one in taken),
                f"{median(taken):.2f}", f"{'not in ' if short else ''}{seconds:.1f}", f"{steps:,}",
                f"{score:.3f}", f"{'more than ' if short else ''}{seconds / median(taken):.1f}",
            ])  # fmt: skip
    table(
        ["objective", "score", "seconds by seed", "median", "published: seconds", "its steps",
         "its score then", "times faster"],
        rows,
    )  # fmt: skip
    report("nonlinear_ica", ratios, bound)  # type: ignore[arg-type]


def reached(curve: Curve, target: float) -> tuple[int, float, float]:
    """Steps, seconds and score where the target is reached; never, where it is not."""
    return next((point for point in curve if point[2] >= target), (curve[-1][0], inf, 0.0))


def ours(race: Race, seed: int) -> Curve:
    """The learning curve of one seed, trained until the last target."""
    world, encoder, objective = race.trial._start(seed)
    found = fit(
        stacked([world]), stacked([encoder]), stacked([objective]), race.trial.recipe,
        keys=jax.random.key(seed)[None],
        watch=lambda latents, codes: [race.score(latents[0], codes[0])],
        until=max(race.limits),
    )  # fmt: skip
    curve = [(point.step, point.seconds, point.score[0]) for point in found.curve]
    tell(f"  seed {seed}: {curve[-1][2]:.3f} after {curve[-1][0]} steps, {curve[-1][1]:.2f} s")
    return curve


def published(name: str, race: Race, budget: float) -> Curve:
    """The learning curve of the published recipe, until the last target or its budget."""
    torch.manual_seed(0)
    world = race.trial.world(0)
    train, held_out = (
        world.sample(key, n)
        for key, n in zip(jax.random.split(jax.random.key(0)), (POINTS[name], 8192), strict=True)
    )
    whiten = whitening(np.asarray(train.batch.x, float))

    def seen(rows: Draw) -> torch.Tensor:
        x = whiten(np.asarray(rows.batch.x, float))
        if name != "ivae":
            return x
        label = torch.tensor(np.asarray(rows.batch.auxiliary), dtype=torch.int64)
        return torch.cat([x, torch.nn.functional.one_hot(label, SEGMENTS).float()], dim=1)

    if train.batch.auxiliary is not None:
        second = torch.tensor(np.asarray(train.batch.auxiliary), dtype=torch.int64)
    else:
        second = whiten(np.asarray(train.batch.positive, float))
    latents = np.asarray(held_out.latent, float)
    points = learning_curve(
        race.model(), (seen(train), second), seen(held_out),
        lambda codes: race.score(latents, codes),
        budget,
    )  # fmt: skip
    found: Curve = []
    for point in points:
        found.append(point)
        if point[2] >= max(race.limits):
            break
    steps, seconds, score = found[-1]
    tell(f"  published {name}: {score:.3f} after {steps} steps, {seconds:.1f} s")
    return found


if __name__ == "__main__":
    main()
