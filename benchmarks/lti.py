"""Controls of a linear system: seconds and score of the likelihood against gradient steps.

One data set, d controls and d + 1 environments of 12,000 steps each, B and C random, means of the
controls as published (random, or 0). Learners: the likelihood of unknown laws by joint
diagonalisation; the likelihood of known laws by L-BFGS; the published objective for known laws by
its recipe (SGD, batches of 64, rate 0.003, gradients cut to norm 0.5), compiled here and eagerly in
PyTorch, and eagerly with log |det| added. The recipe gets a budget of steps, by default less than a
hundredth of the published one. Time is that of learning, data and scores apart; scores are MCC on a
second half of the trajectories.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from statistics import median

import numpy as np
import torch
from _harness import interleaved, ratio, report, table, tell

from coset.claims._learners import (
    BATCH,
    CLIP,
    RATE,
    Linear,
    known_laws,
    likelihood,
    published,
    successive,
)
from coset.claims._systems import Learned, RandomMap, Seen, pair, pooled_mcc
from coset.worlds import random_system


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--d", type=int, default=5)
    options.add_argument("--length", type=int, default=12_000)
    options.add_argument("--steps", type=int, default=10_000, help="of gradient learners")
    options.add_argument("--repeats", type=int, default=2)
    given = options.parse_args()
    torch.set_num_threads(1)
    rows, ratios = [], {}
    for label, means in (("means", True), ("no_means", False)):
        system = random_system(np.random.default_rng(0), given.d, means=means)
        drawn = system.simulate(np.random.default_rng(1), 2 * given.length)
        seen = Seen(drawn.observations[:, : given.length + 1], system.means, system.variances)
        tell(f"{label}: d = {given.d}, {len(system.means)} environments of {given.length} steps")
        found: dict[str, Learned] = {}
        taken = interleaved(learners(seen, given.steps, found), given.repeats)
        later = drawn.observations[:, given.length :]
        scores = {
            name: pooled_mcc(drawn.controls[:, given.length :], one.controls(later))
            for name, one in found.items()
        }
        ours = taken["likelihood"]
        for name, seconds in taken.items():
            rows.append([
                label, name, f"{median(seconds):.3f}", f"{ratio(seconds, ours):.1f}",
                f"{scores[name]:.4f}",
            ])  # fmt: skip
        ratios[f"{label}_eager_to_likelihood_seconds"] = ratio(taken["eager, published"], ours)
        ratios[f"{label}_likelihood_mcc"] = scores["likelihood"]
        ratios[f"{label}_eager_mcc"] = scores["eager, published"]
        ratios[f"{label}_eager_log_det_mcc"] = scores["eager, with log det"]
    table(["data", "learner", "s", "times the likelihood's", "MCC, held out"], rows)
    print(f"Learners by gradient have {given.steps} steps of {BATCH} rows.\n")
    bound = {f"{label}_likelihood_mcc": ("at_least", 0.995) for label in ("means", "no_means")}
    bound["means_eager_to_likelihood_seconds"] = ("at_least", 20.0)
    report("lti", ratios, bound)


def learners(seen: Seen, steps: int, found: dict[str, Learned]) -> dict[str, Callable[[], None]]:
    """What is timed; what each learned is left in `found`."""
    ways = {
        "likelihood": likelihood,
        "likelihood, laws known": known_laws,
        "compiled, published": partial(published, steps=steps),
        "eager, published": partial(eager, steps=steps, log_det=False),
        "eager, with log det": partial(eager, steps=steps, log_det=True),
    }

    def timed(name: str) -> None:
        found[name] = ways[name]([seen], [0])[0]

    return {name: partial(timed, name) for name in ways}


def eager(seen: list[Seen], seeds: list[int], *, steps: int, log_det: bool) -> list[Linear]:
    """The published recipe in PyTorch."""
    one, d = seen[0], seen[0].observations.shape[2]
    torch.manual_seed(seeds[0])
    z = torch.tensor(pair(one.observations)[:, ::2].reshape(-1, 2 * d), dtype=torch.float32)
    at = torch.tensor(successive(one)[2].reshape(len(one.means), -1)[:, ::2].ravel())
    mu, variances = (torch.tensor(x, dtype=torch.float32) for x in (one.means, one.variances))
    start = RandomMap.of(np.random.default_rng(seeds[0]), d, d).rows
    weight = torch.nn.Parameter(torch.tensor(start, dtype=torch.float32))
    optimiser = torch.optim.SGD([weight], lr=RATE)
    for _ in range(steps):
        rows = torch.randint(len(z), (BATCH,))
        e = at[rows]
        value = (((z[rows] @ weight.T - mu[e]) ** 2 / variances[e]).sum(1) / 2).mean()
        if log_det:
            value = value - torch.linalg.slogdet(weight[:, d:])[1]
        optimiser.zero_grad()
        value.backward()
        torch.nn.utils.clip_grad_norm_([weight], CLIP)
        optimiser.step()
    return [Linear(weight.detach().numpy().astype(float))]


if __name__ == "__main__":
    main()
