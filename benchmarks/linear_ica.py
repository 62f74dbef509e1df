"""Linear ICA to a gradient of 1e-7: python-picard, scikit-learn's FastICA, and coset.

Half of the latents have heavy tails, half light ones; the mixture is a matrix of normal numbers.
The last data are no such mixture: 32 components of patches of two photographs.
Every solver gets the rows as they are: centring and whitening are part of the time, and the start
is random. All of them get every CPU. A ratio below 1 means that coset is faster.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from functools import partial
from statistics import median

import numpy as np
from _harness import interleaved, ratio, report, table, tell
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from coset.metrics import mcc
from coset.solvers import quasi_newton

SIZES = ((20, 10_000), (40, 50_000), (64, 100_000))
PATCHES = 30_000
TOLERANCE = 1e-7
Solver = Callable[[NDArray], NDArray]
"""Rows → codes."""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--scale", type=float, default=1.0, help="of the numbers of rows")
    given = options.parse_args()
    ratios: dict[str, float] = {}
    bound: dict[str, tuple[str, float]] = {}
    rows = []
    data = {f"{d} latents": mixture(d, int(n * given.scale)) for d, n in SIZES}
    data["patches"] = (None, patches(int(PATCHES * given.scale)))
    for what, (latent, x) in data.items():
        tell(f"{what}, {len(x):,} rows")
        kept: dict[str, NDArray] = {}
        cases = {name: partial(keep, kept, name, run, x) for name, run in SOLVERS.items()}
        taken = interleaved(cases, given.repeats)
        for name, codes in kept.items():
            steep = steepness(codes, orthogonal="free" not in name)
            found = "–" if latent is None else f"{mcc(latent, codes).value:.5f}"
            spent = f"{median(taken[name]):.3f}"
            rows.append((what, f"{len(x):,}", name, spent, f"{steep:.0e}", found))
            if name.startswith("coset"):
                key = "gradient_" + f"{name} {what}".replace("coset, ", "").replace(" ", "_")
                ratios[key], bound[key] = steep, ("at_most", 2 * TOLERANCE)
        for key, ours, theirs in PAIRS:
            named = f"{key}_{what}".replace(" ", "_")
            ratios[named], bound[named] = ratio(taken[ours], taken[theirs]), ("at_most", 1.0)
    print(
        f"Medians of {given.repeats} interleaved repetitions. The gradient is measured on codes, "
        f"by one formula for all: largest entry of the relative gradient, its antisymmetric part "
        f"where codes are kept uncorrelated. FastICA stops at its own criterion, 1e-10, "
        f"or after 200 iterations.\n"
    )
    table(("data", "rows", "solver", "seconds", "gradient", "mcc"), rows)
    report("linear_ica", ratios, bound)


def keep(kept: dict[str, NDArray], name: str, run: Solver, x: NDArray) -> None:
    """Run a solver and keep its codes."""
    kept[name] = run(x)


def mixture(d: int, n: int) -> tuple[NDArray, NDArray]:
    """Latents and rows."""
    generator = np.random.default_rng(0)
    latent = generator.laplace(size=(n, d))
    latent[:, ::2] = generator.uniform(-1, 1, size=latent[:, ::2].shape)
    return latent, latent @ generator.normal(size=(d, d))


def patches(n: int) -> NDArray:
    """8 x 8 grey pixels of scikit-learn's two photographs, without their mean; its 32 components of
    most variance.
    """
    from sklearn.datasets import load_sample_images

    generator, found = np.random.default_rng(0), []
    for image in load_sample_images().images:
        windows = sliding_window_view(image.mean(axis=2), (8, 8))
        tops, lefts = (generator.integers(0, size, n // 2) for size in windows.shape[:2])
        found.append(windows[tops, lefts].reshape(-1, 64))
    x = np.concatenate(found)
    x = x - x.mean(axis=1, keepdims=True)
    _, axes = np.linalg.eigh(np.cov(x, rowvar=False))
    return x @ axes[:, -32:]


def coset_free(x: NDArray) -> NDArray:
    return quasi_newton(x, tolerance=TOLERANCE).codes


def coset_orthogonal(x: NDArray) -> NDArray:
    return quasi_newton(x, orthogonal=True, tolerance=TOLERANCE).codes


def picard_free(x: NDArray) -> NDArray:
    return _picard(x, orthogonal=False)


def picard_orthogonal(x: NDArray) -> NDArray:
    return _picard(x, orthogonal=True)


def _picard(x: NDArray, *, orthogonal: bool) -> NDArray:
    from picard import picard

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, _, codes = picard(
            x.T, ortho=orthogonal, extended=True, tol=TOLERANCE, max_iter=1000, random_state=0
        )
    return codes.T


def fast_ica(x: NDArray) -> NDArray:
    from sklearn.decomposition import FastICA

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        solver = FastICA(whiten="unit-variance", tol=1e-10, max_iter=200, random_state=0)
        return solver.fit_transform(x)


SOLVERS: dict[str, Solver] = {
    "coset, free": coset_free,
    "python-picard, free": picard_free,
    "coset, orthogonal": coset_orthogonal,
    "python-picard, orthogonal": picard_orthogonal,
    "FastICA (scikit-learn)": fast_ica,
}
PAIRS = (
    ("picard_free", "coset, free", "python-picard, free"),
    ("picard_orthogonal", "coset, orthogonal", "python-picard, orthogonal"),
    ("fast_ica", "coset, orthogonal", "FastICA (scikit-learn)"),
)


def steepness(codes: NDArray, *, orthogonal: bool) -> float:
    """Largest entry of E[ψ(y) yᵀ] - I with ψ = y ± tanh y, or of E[± tanh(y) yᵀ], antisymmetric."""
    y = (codes - codes.mean(axis=0)).T
    if orthogonal:
        y = y / y.std(axis=1, keepdims=True)
    t, n = np.tanh(y), y.shape[1]
    power = (y**2).mean(axis=1)
    signs = np.sign((1 - t**2).mean(axis=1) * power - (t * y).mean(axis=1))
    moments = signs[:, None] * (t @ y.T) / n
    if orthogonal:
        return float(np.abs(moments - moments.T).max() / 2)
    return float(np.abs(moments + y @ y.T / n - np.eye(len(y))).max())


if __name__ == "__main__":
    main()
