"""Steps per second against an eager PyTorch loop of equal shapes, and what a step spends.

Both draw fresh pairs on the sphere, run the same encoder with Adam on the same objective. Then, for
the default recipe: how much of the machine's matrix product a step reaches, and what eats the rest.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import pairwise
from statistics import median
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import torch
from _eager import PUBLISHED, World, encoder, steps
from _harness import report, table, tell, wait_for_quiet

from coset._fit import fit
from coset._lab import stacked
from coset._recipe import Recipe
from coset.encoders import Mlp, OnSphere
from coset.objectives import Dot, InfoNCE
from coset.worlds import sphere

D, KAPPA = 10, 20.0
SHAPES = {
    "small": (256, (64, 64), 400),
    "default": (512, (128, 128, 128), 300),
    "large": (2048, (256, 256, 256), 50),
    "published": (6144, PUBLISHED, 4),
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--repeats", type=int, default=3)
    given = options.parse_args()
    rows, ratios = [], {}
    for name, (batch, widths, count) in SHAPES.items():
        ours, eager = [], []
        compiled, loop = compiled_loop(batch, widths, count), eager_loop(batch, widths)
        for _ in range(given.repeats):
            wait_for_quiet()
            ours.append(count / compiled())
            began = time.perf_counter()
            for _ in range(max(3, count // 10)):
                next(loop)
            eager.append(max(3, count // 10) / (time.perf_counter() - began))
            tell(f"  {name}: {ours[-1]:.1f} compiled, {eager[-1]:.1f} eager steps per second")
        ratios[name] = median(a / b for a, b in zip(ours, eager, strict=True))
        shape = f"{batch} x {'-'.join(map(str, widths))}"
        rows.append(
            [name, shape, f"{median(ours):.1f}", f"{median(eager):.1f}", f"{ratios[name]:.1f}"]
        )
    table(["shape", "batch x widths", "compiled steps/s", "eager steps/s", "ratio"], rows)
    ratios["share_of_peak"] = anatomy()
    bound = {name: ("at_least", 1.0) for name in SHAPES}
    report("step_rate", ratios, bound)


def learner(batch: int, widths: tuple[int, ...]) -> tuple[Any, Any, Any]:
    """World, encoder, objective."""
    made = Mlp(jax.random.key(0), D, D, widths=widths, slope=0.01, head=OnSphere())
    return sphere(0, d=D, kappa=KAPPA), made, InfoNCE(Dot(), 1 / KAPPA)


def compiled_loop(batch: int, widths: tuple[int, ...], count: int) -> Callable[[], float]:
    """Seconds of `count` steps, compiled before the first is counted."""
    parts = [stacked([part]) for part in learner(batch, widths)]
    recipe = Recipe(batch=batch, steps=count, kind="adam", rate=1e-4, schedule="constant")
    keys = jax.random.split(jax.random.key(1), 1)
    run = lambda: fit(*parts, recipe, keys=keys).seconds  # noqa: E731
    run()
    return run


def eager_loop(batch: int, widths: tuple[int, ...]) -> Any:
    """The same loop in PyTorch, warm."""
    torch.manual_seed(0)
    loop = steps(World(0, "cpu"), encoder(widths, 0.01, "cpu"), batch)
    for _ in range(3):
        next(loop)
    return loop


def anatomy() -> float:
    """What a step of the default recipe spends; returns its share of the peak product rate."""
    batch, widths, _ = SHAPES["default"]
    world, made, objective = learner(batch, widths)
    optimiser = Recipe().optimiser
    key = jax.random.key(0)
    seen = world.sample(key, batch).batch

    def slopes(pair: Any) -> Any:
        return eqx.filter_grad(lambda both: both[1](both[0], seen, key=key))(pair)

    weights = eqx.filter((made, objective), eqx.is_inexact_array)
    memory = optimiser.init(weights)

    def moved(key: Any) -> Any:
        """The weights, a little different at every step: else the compiler does it once for all."""
        return jax.tree.map(lambda x: x + 1e-6 * jax.random.uniform(key), weights)

    parts = {
        "drawing the batch": repeated(lambda k: world.sample(k, batch).batch),
        "objective and its slope": repeated(
            lambda k: slopes(eqx.combine(moved(k), (made, objective)))
        ),
        "Muon": repeated(lambda k: optimiser.update(moved(k), memory, weights)),
    }
    layers = sum(a * b for a, b in pairwise([D, *widths, D]))
    products = 6 * 2 * batch * layers + 6 * batch**2 * D
    peak = product_rate()
    whole = sum(parts.values())
    ideal = products / peak
    rows = [[name, f"{1e3 * taken:.2f}", f"{taken / whole:.0%}"] for name, taken in parts.items()]
    table(["part of a step (default shape)", "ms", "share"], rows)
    print(
        f"A step needs {products / 1e6:.0f} million operations in the products of encoder and "
        f"logits: {1e3 * ideal:.2f} ms at the rate of a 2048 x 2048 product here "
        f"({peak / 1e9:.0f} GFLOP/s), {ideal / whole:.0%} of the {1e3 * whole:.2f} ms it takes.\n"
    )
    return ideal / whole


def repeated(work: Callable[[Any], Any], count: int = 200) -> float:
    """Seconds of one call inside a compiled scan: the least of three runs."""

    @jax.jit
    def many(key: Any) -> Any:
        def one(total: Any, step: Any) -> Any:
            found = jax.tree.leaves(eqx.filter(work(jax.random.fold_in(key, step)), eqx.is_array))
            return total + sum(
                jnp.sum(x) for x in found if jnp.issubdtype(x.dtype, jnp.floating)
            ), None

        return jax.lax.scan(one, 0.0, jnp.arange(count))[0]

    many(jax.random.key(0)).block_until_ready()
    taken = []
    for _ in range(3):
        began = time.perf_counter()
        many(jax.random.key(1)).block_until_ready()
        taken.append(time.perf_counter() - began)
    return min(taken) / count


def product_rate(size: int = 2048) -> float:
    """Operations per second of a large product in single precision."""
    x = jnp.ones((size, size))
    product = jax.jit(lambda x: x @ x)
    product(x).block_until_ready()
    taken = []
    for _ in range(5):
        began = time.perf_counter()
        product(x).block_until_ready()
        taken.append(time.perf_counter() - began)
    return 2 * size**3 / min(taken)


if __name__ == "__main__":
    main()
