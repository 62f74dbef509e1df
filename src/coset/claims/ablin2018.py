"""Linear independent component analysis by maximum likelihood, and how soon it is found."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from .._assumptions import INDEPENDENT, LINEAR, ONE_NORMAL
from .._claim import Case, Claim, Scale, Sense
from .._core import Floats
from ..metrics import mcc
from ..solvers import natural_gradient, quasi_newton
from ._solved import Answer, Solved

PAPER = "ablin2018"
HELD_OUT = 4096
Fit = Callable[[Floats, int], Callable[[Floats], Floats]]
"""Rows and a seed → what makes codes of other rows."""

HEAVY, LIGHT, NORMAL = "laplace", "uniform", "normal"
MIXED = (HEAVY, LIGHT)


def latents(rng: np.random.Generator, laws: tuple[str, ...], n: int) -> Floats:
    """Independent latents of mean 0 and variance 1 (n, d), a law for each."""
    draw = {
        HEAVY: lambda: rng.laplace(scale=np.sqrt(0.5), size=n),
        LIGHT: lambda: rng.uniform(-np.sqrt(3), np.sqrt(3), n),
        NORMAL: lambda: rng.normal(size=n),
    }
    return np.column_stack([draw[law]() for law in laws])


def likelihood(x: Floats, seed: int, *, extended: bool) -> Callable[[Floats], Floats]:
    """The maximum of the likelihood; densities are chosen from the data where `extended`."""
    return quasi_newton(x, extended=extended, seed=seed).transform


def fast_ica(x: Floats, seed: int) -> Callable[[Floats], Floats]:
    """scikit-learn's FastICA."""
    from sklearn.decomposition import FastICA

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it does not converge where latents are normal
        fitted = FastICA(whiten="unit-variance", max_iter=500, random_state=seed).fit(x)
    transform: Callable[[Floats], Floats] = fitted.transform
    return transform


def separate(seed: int, *, laws: tuple[str, ...], n: int, fit: Fit) -> Mapping[str, Answer]:
    """Fit to n rows, match codes of others with their latents.

    References:
        comon1994, ablin2018
    """
    rng = np.random.default_rng(seed)
    d = len(laws)
    mixing = rng.normal(size=(d, d))
    seen = latents(rng, laws, n) @ mixing.T
    latent = latents(rng, laws, HELD_OUT)
    x = latent @ mixing.T
    codes = fit(seen, seed)(x)
    spread, axes = np.linalg.eigh(np.cov(seen, rowvar=False))
    turn = np.linalg.qr(rng.normal(size=(d, d)))[0]
    turned = x @ axes / np.sqrt(spread) @ turn
    scores = (float(mcc(latent, found)) for found in (codes, turned, x))
    return {"mcc_pearson": Answer(*scores)}


def steepness(
    seed: int, *, laws: tuple[str, ...], n: int, iterations: int, newton: bool
) -> Mapping[str, Answer]:
    """Logarithm of the largest entry of the gradient after some iterations on all rows."""
    rng = np.random.default_rng(seed)
    x = latents(rng, laws, n) @ rng.normal(size=(len(laws), len(laws)))
    if newton:
        found = quasi_newton(x, tolerance=0.0, iterations=iterations, head_start=False, seed=seed)
    else:
        found = natural_gradient(x, tolerance=0.0, iterations=iterations, seed=seed)
    first, last = np.log10([found.gradient_norms[0], min(found.gradient_norms)])
    return {"log10_gradient": Answer(float(last), untrained=float(first))}


def separation(
    laws: tuple[str, ...], n: int, *, extended: bool = True, fit: Fit | None = None
) -> Solved:
    """The cell of some laws."""
    chosen = fit or partial(likelihood, extended=extended)
    return Solved(partial(separate, laws=laws, n=n, fit=chosen))


def separation_cases(scale: Scale) -> tuple[Case, ...]:
    """Heavy tails, light ones, both, one normal latent; all normal as the control."""
    n = {"smoke": 4000, "small": 20_000, "paper": 100_000}[scale]
    bound: tuple[Sense, float] = ("at_least", 0.98 if scale == "smoke" else 0.99)
    rows = {
        "heavy tails": separation((HEAVY,) * 5, n),
        "heavy and light tails": separation((MIXED * 3)[:5], n),
        "one normal latent": separation((*MIXED * 2, NORMAL), n),
        "heavy and light tails, FastICA": separation((MIXED * 3)[:5], n, fit=fast_ica),
    }
    if scale != "smoke":
        rows["heavy and light tails, 20 latents"] = separation(MIXED * 10, n)
    normal = separation((NORMAL,) * 5, n)
    mistaken = separation((LIGHT,) * 5, n, extended=False)
    return (
        *(Case(name, "holds", cell, "mcc_pearson", bound) for name, cell in rows.items()),
        Case("all latents normal", "breaks", normal, "mcc_pearson", ("at_most", 0.9),
             breaks="a rotation of normal latents is as independent as they are"),
        Case("light tails, densities with heavy ones", "breaks", mistaken, "mcc_pearson",
             ("at_most", 0.95),
             breaks="the sign of the density is wrong, so that the latents are no maximum"),
    )  # fmt: skip


def speed_cases(scale: Scale) -> tuple[Case, ...]:
    """The same start, the same number of iterations, with the Hessian and without."""
    n = {"smoke": 4000, "small": 20_000, "paper": 100_000}[scale]
    cell = partial(steepness, laws=MIXED * (5 if scale == "smoke" else 10), n=n, iterations=40)
    quasi, natural = (Solved(partial(cell, newton=newton)) for newton in (True, False))
    return (
        Case("40 iterations of L-BFGS, preconditioned", "holds", quasi, "log10_gradient",
             ("at_most", -7.0)),
        Case("40 iterations of the covariant rule", "breaks", natural, "log10_gradient",
             ("at_least", -5.0),
             breaks="steps along the relative gradient, without its Hessian"),
    )  # fmt: skip


DIFFERS = (
    "Drawn latents in place of recordings of brains and of images; the paper reports times to a "
    "gradient, no scores of latents: `benchmarks/linear_ica.py` has the times."
)

CLAIMS = (
    Claim(
        name="ablin2018.separation",
        paper=PAPER,
        says="A linear mixture of independent latents, at most one of them normal, is undone by "
        "maximum likelihood up to permutation, sign and scale, whether tails are heavy or light.",
        assumptions=(LINEAR, INDEPENDENT, ONE_NORMAL),
        cases=separation_cases,
        differs=DIFFERS,
    ),
    Claim(
        name="ablin2018.speed",
        paper=PAPER,
        says="Preconditioned by the Hessian that independent latents would have, L-BFGS brings the "
        "gradient to 1e-7 in a few tens of iterations, where the covariant rule is far from it.",
        assumptions=(LINEAR, INDEPENDENT, ONE_NORMAL),
        cases=speed_cases,
        differs=DIFFERS,
    ),
)
