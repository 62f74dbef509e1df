"""Which update reaches a score soonest: first-order, orthogonalised, and with curvature.

The sphere of `sphere10` (ten latents, concentration 20, three mixing layers), batches of 512, three
hidden layers of 128, a cosine schedule to zero. Every optimiser gets the same seed, the same draws
and rates of its own; the best rate of each stands in the table. Seconds are those of training.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
from _harness import report, table, tell, wait_for_quiet

from coset._fit import Fitted, fit
from coset._lab import stacked
from coset._recipe import Recipe, _of_matrices
from coset.claims._measures import linear_r2
from coset.encoders import Mlp, OnSphere
from coset.objectives import Dot, InfoNCE
from coset.worlds import sphere

D, KAPPA = 10, 20.0
TARGETS = (0.99, 0.999)
EVERY = 10
"""Steps between two decompositions of the curvature."""


class Curvature(NamedTuple):
    """Running second moments of a matrix's gradient, from the left and from the right."""

    momentum: Any
    left: Any
    right: Any
    roots: Any
    count: jax.Array


def shampoo(rate: optax.Schedule, memory: float = 0.95, ridge: float = 1e-4) -> Any:
    """L^{-1/4} G R^{-1/4} for matrices, of the size that Adam's update would have.

    L and R are running means of G Gᵀ and Gᵀ G; their roots are worked out every tenth step.
    """

    def start(weights: Any) -> Curvature:
        def square(side: int) -> Callable[[Any], Any]:
            return lambda w: jnp.zeros((w.shape[side],) * 2) if w.ndim == 2 else jnp.zeros(())

        left, right = (jax.tree.map(square(side), weights) for side in (0, 1))
        zeros = jax.tree.map(jnp.zeros_like, weights)
        return Curvature(zeros, left, right, (left, right), jnp.zeros((), int))

    def root(moment: Any) -> Any:
        if moment.ndim == 0:
            return moment
        values, vectors = jnp.linalg.eigh(moment)
        kept = jnp.maximum(values, ridge * values[-1] + 1e-30)
        return (vectors * kept**-0.25) @ vectors.T

    def update(slopes: Any, state: Curvature, weights: Any) -> tuple[Any, Curvature]:
        def moved(old: Any, new: Any) -> Any:
            return memory * old + (1 - memory) * new

        of_left = jax.tree.map(lambda g: g @ g.T if g.ndim == 2 else jnp.zeros(()), slopes)
        of_right = jax.tree.map(lambda g: g.T @ g if g.ndim == 2 else jnp.zeros(()), slopes)
        left, right = (
            jax.tree.map(moved, old, new)
            for old, new in ((state.left, of_left), (state.right, of_right))
        )
        roots = jax.lax.cond(
            state.count % EVERY == 0,
            lambda: (jax.tree.map(root, left), jax.tree.map(root, right)),
            lambda: state.roots,
        )
        momentum = jax.tree.map(moved, state.momentum, slopes)

        def step(m: Any, a: Any, b: Any) -> Any:
            if m.ndim != 2:
                return -rate(state.count) * m
            turned = a @ m @ b
            return -rate(state.count) * turned * jnp.sqrt(m.size) / jnp.linalg.norm(turned) * 0.1

        changes = jax.tree.map(step, momentum, *roots)
        return changes, Curvature(momentum, left, right, roots, state.count + 1)

    return optax.GradientTransformation(start, update)


def split(of_matrices: Any, of_vectors: Any) -> Any:
    """One transformation for the encoder's matrices, another for all the rest."""

    def names(weights: Any) -> Any:
        return jax.tree.map(lambda w: "matrix" if w.ndim == 2 else "vector", weights)

    return optax.multi_transform({"matrix": of_matrices, "vector": of_vectors}, names)


def muon(rate: float, steps: int, iterations: int) -> Any:
    """Muon with so many iterations of Newton and Schulz."""
    return optax.contrib.muon(
        cosine(rate, steps),
        ns_steps=iterations,
        adam_learning_rate=cosine(0.01, steps),
        muon_weight_dimension_numbers=_of_matrices,
    )


def cosine(rate: float, steps: int) -> optax.Schedule:
    """To zero at the last step."""
    return optax.cosine_decay_schedule(rate, steps)


CASES: dict[str, tuple[tuple[float, ...], Callable[[float, int], Any]]] = {
    "SGD, momentum 0.9": ((0.3, 1.0), lambda r, n: optax.sgd(cosine(r, n), momentum=0.9)),
    "Adam": ((0.003, 0.01), lambda r, n: optax.adam(cosine(r, n))),
    "Lion (signs)": ((0.001, 0.003), lambda r, n: optax.lion(cosine(r, n))),
    "Shampoo (curvature by sides)": (
        (0.3, 1.0), lambda r, n: split(shampoo(cosine(r, n)), optax.adam(cosine(0.01, n)))
    ),
    "Muon, 3 iterations": ((0.03, 0.05), lambda r, n: muon(r, n, 3)),
    "Muon, 5 iterations": ((0.03, 0.05), lambda r, n: muon(r, n, 5)),
}  # fmt: skip


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--steps", type=int, default=2400)
    given = options.parse_args()
    rows, best = [], {}
    for name, (rates, make) in CASES.items():
        runs = {rate: run(make(rate, given.steps), given.steps) for rate in rates}
        rate, found = max(runs.items(), key=lambda item: item[1].curve[-1].score[0])
        reached = [reach(found, target) for target in TARGETS]
        best[name] = reached
        last = found.curve[-1]
        rows.append([
            name, f"{rate:g}", *(f"{s} ({t:.1f} s)" if s else "not reached" for s, t in reached),
            f"{last.score[0]:.4f}", f"{last.seconds:.1f}",
        ])  # fmt: skip
        tell(f"  {name}: {rows[-1][1:]}")
    table(["update", "rate", "steps to 0.99", "steps to 0.999", "at the end", "seconds"], rows)
    adam, orthogonal = best["Adam"][0], best["Muon, 5 iterations"][0]
    ratio = adam[1] / orthogonal[1] if adam[0] else float(given.steps)
    report(
        "optimisers", {"adam_over_muon_r2_99": ratio}, {"adam_over_muon_r2_99": ("at_least", 1.0)}
    )


def run(optimiser: Any, steps: int) -> Fitted:
    """One seed, trained to the end."""
    wait_for_quiet()
    k_encoder, k_fit = jax.random.split(jax.random.key(0))
    return fit(
        stacked([sphere(0, d=D, kappa=KAPPA)]),
        stacked([Mlp(k_encoder, D, D, head=OnSphere())]),
        stacked([InfoNCE(Dot(), 1 / KAPPA)]),
        Recipe(steps=steps),
        keys=k_fit[None],
        optimiser=optimiser,
        watch=lambda latents, codes: [linear_r2(codes[0], latents[0])],
    )


def reach(found: Fitted, target: float) -> tuple[int, float]:
    """Steps and seconds to the target; zeros where it was not reached."""
    reached = (point for point in found.curve if point.score[0] >= target)
    return next(((point.step, point.seconds) for point in reached), (0, 0.0))


if __name__ == "__main__":
    main()
