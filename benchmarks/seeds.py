"""Eight seeds in one program against eight runs one after another."""

from __future__ import annotations

import argparse
from statistics import median

import jax
from _harness import report, table, tell, wait_for_quiet

from coset._fit import Fitted, fit
from coset._lab import stacked
from coset._recipe import Recipe
from coset.encoders import Mlp, OnSphere
from coset.objectives import Dot, InfoNCE
from coset.worlds import sphere

D, KAPPA = 10, 20.0
SHAPES = {"small": (128, (32, 32)), "default": (512, (128, 128, 128))}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seeds", type=int, default=8)
    options.add_argument("--steps", type=int, default=300)
    options.add_argument("--repeats", type=int, default=3)
    given = options.parse_args()
    rows, ratios = [], {}
    for name, (batch, widths) in SHAPES.items():
        recipe = Recipe(batch=batch, steps=given.steps)
        run([0], widths, recipe)
        run(list(range(given.seeds)), widths, recipe)
        together, apart, first = [], [], []
        for _ in range(given.repeats):
            wait_for_quiet()
            jointly = run(list(range(given.seeds)), widths, recipe)
            singly = [run([seed], widths, recipe) for seed in range(given.seeds)]
            together.append(jointly.seconds)
            apart.append(sum(one.seconds for one in singly))
            tell(f"  {name}: together {together[-1]:.2f} s, one by one {apart[-1]:.2f} s")
        # what a user meets: every new program is compiled as well
        jax.clear_caches()
        jointly = run(list(range(given.seeds)), widths, recipe)
        first = [jointly.seconds + jointly.compile_seconds, 0.0]
        jax.clear_caches()
        for seed in range(given.seeds):
            one = run([seed], widths, recipe)
            first[1] += one.seconds + one.compile_seconds
        ratios[f"{name}_running"] = median(b / a for a, b in zip(together, apart, strict=True))
        ratios[f"{name}_with_compilation"] = first[1] / first[0]
        rows.append([
            name, f"{batch} x {'-'.join(map(str, widths))}", f"{median(together):.2f}",
            f"{median(apart):.2f}", f"{ratios[f'{name}_running']:.2f}", f"{first[0]:.2f}",
            f"{first[1]:.2f}",
        ])  # fmt: skip
    table(
        ["shape", "batch x widths", "together s", "one by one s", "ratio", "together, compiled s",
         "one by one, compiled once s"],
        rows,
    )  # fmt: skip
    print(f"{given.seeds} seeds, {given.steps} steps each. The sums of both ways are the same.\n")
    report("seeds", ratios, {"small_running": ("at_least", 1.0)})


def run(seeds: list[int], widths: tuple[int, ...], recipe: Recipe) -> Fitted:
    """These seeds in one program."""
    return fit(
        stacked([sphere(seed, d=D, kappa=KAPPA) for seed in seeds]),
        stacked([Mlp(jax.random.key(s), D, D, widths=widths, head=OnSphere()) for s in seeds]),
        stacked([InfoNCE(Dot(), 1 / KAPPA) for _ in seeds]),
        recipe,
        keys=jax.numpy.stack([jax.random.key(seed) for seed in seeds]),
    )


if __name__ == "__main__":
    main()
