"""Probabilistic PCA and factor analysis: what the likelihood of linear latents determines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from .._assumptions import COLUMN_NOISE, EQUAL_NOISE, LINEAR, NORMAL_LATENTS
from .._claim import Case, Claim, Scale
from .._core import Floats
from ..metrics import mcc, procrustes
from ..solvers import LinearGaussian, factor_analysis, ppca
from ._solved import Answer, Solved

PAPER = "tipping1999"
HELD_OUT = 4096
P, K = 20, 4
EQUAL = (0.2,) * P
UNEQUAL = (0.05, 8.0, 0.1, 4.0, 1.0) * 4
SCALES = (0.1, 10.0, 0.3, 3.0, 1.0, 0.5, 2.0, 0.2, 5.0, 1.0) * 2
Solver = Callable[[Floats, int], LinearGaussian]


def recover(seed: int, *, noise: tuple[float, ...], n: int, solver: Solver) -> Mapping[str, Answer]:
    """Fit to n rows of a model, compare parameters with its own and codes with its latents.

    Scores: `loadings_gap`, ‖W Wᵀ - truth‖ / ‖truth‖; `noise_gap`, the mean of |ψ_j - truth| over
    truth; `r2_similarity` and `mcc_pearson` of posterior means and latents of other rows;
    `likelihood_change`, of the mean log-likelihood by a rotation of W (untrained: by a map that is
    none); `rescaled_gap`, how far ψ moves when columns are rescaled, and back, relative to it.
    """
    rng = np.random.default_rng(seed)
    true = LinearGaussian(rng.normal(size=(P, K)), np.array(noise), rng.normal(size=P))
    _, seen = draw(rng, true, n)
    latent, x = draw(rng, true, HELD_OUT)
    found = solver(seen, K)
    guess = LinearGaussian(rng.normal(size=(P, K)), np.full(P, seen.var()), seen.mean(0))
    map_ = rng.normal(size=(K, K))
    turned = found.rotated(np.linalg.qr(map_)[0])
    bent = LinearGaussian(found.loadings @ map_, found.noise, found.mean)
    scaled = solver(seen * SCALES, K).noise / np.square(SCALES)
    codes, random = found.posterior_mean(x), guess.posterior_mean(x)
    level = found.log_likelihood(x)
    return {
        "loadings_gap": Answer(_apart(found, true), _apart(guess, true)),
        "noise_gap": Answer(_off(found.noise, true.noise), _off(guess.noise, true.noise)),
        "r2_similarity": Answer(*(procrustes(c, latent).value ** 2 for c in (codes, random, x))),
        "mcc_pearson": Answer(*(float(mcc(latent, c)) for c in (codes, random, x))),
        "likelihood_change": Answer(*(abs(m.log_likelihood(x) - level) for m in (turned, bent))),
        "rescaled_gap": Answer(_off(scaled, found.noise)),
    }


def draw(rng: np.random.Generator, model: LinearGaussian, n: int) -> tuple[Floats, Floats]:
    """Latents and rows of a model."""
    latent = rng.normal(size=(n, K))
    noise = rng.normal(size=(n, P)) * np.sqrt(model.noise)
    return latent, latent @ model.loadings.T + model.mean + noise


def _apart(found: LinearGaussian, true: LinearGaussian) -> float:
    wanted = true.loadings @ true.loadings.T
    return float(
        np.linalg.norm(found.loadings @ found.loadings.T - wanted) / np.linalg.norm(wanted)
    )


def _off(found: Floats, true: Floats) -> float:
    return float(np.mean(np.abs(found - true) / true))


def rows(scale: Scale) -> int:
    """To fit to."""
    return {"smoke": 10_000, "small": 50_000, "paper": 1_000_000}[scale]


def cell(scale: Scale, solver: Solver, noise: tuple[float, ...]) -> Solved:
    """A solver on rows with noise of these variances."""
    return Solved(partial(recover, noise=noise, n=rows(scale), solver=solver))


def ppca_cases(scale: Scale) -> tuple[Case, ...]:
    """What is determined, and the codes' coordinates, which are not."""
    equal, unequal = cell(scale, ppca, EQUAL), cell(scale, ppca, UNEQUAL)
    return (
        Case("W Wᵀ", "holds", equal, "loadings_gap", ("at_most", 0.05)),
        Case("variance of the noise", "holds", equal, "noise_gap", ("at_most", 0.02)),
        Case("codes, up to a rotation", "holds", equal, "r2_similarity", ("at_least", 0.95)),
        Case("likelihood of W R", "holds", equal, "likelihood_change", ("at_most", 1e-9)),
        Case("codes, coordinate by coordinate", "breaks", equal, "mcc_pearson", ("at_most", 0.95),
             breaks="asks for more than the likelihood determines: latents without the rotation"),
        Case("W Wᵀ, unequal noise", "breaks", unequal, "loadings_gap", ("at_least", 0.1),
             breaks="noise has a variance of its own in each column"),
    )  # fmt: skip


def factor_cases(scale: Scale) -> tuple[Case, ...]:
    """Noise of each column; columns may be rescaled; the rotation stays open."""
    unequal = cell(scale, factor_analysis, UNEQUAL)
    principal = cell(scale, ppca, UNEQUAL)
    return (
        Case("W Wᵀ", "holds", unequal, "loadings_gap", ("at_most", 0.05)),
        Case("variances of the noise", "holds", unequal, "noise_gap", ("at_most", 0.1)),
        Case("codes, up to a rotation", "holds", unequal, "r2_similarity", ("at_least", 0.95)),
        Case("likelihood of W R", "holds", unequal, "likelihood_change", ("at_most", 1e-9)),
        Case("columns rescaled", "holds", unequal, "rescaled_gap", ("at_most", 1e-6)),
        Case("columns rescaled, PPCA", "breaks", principal, "rescaled_gap", ("at_least", 0.5),
             breaks="noise of one variance for all columns, which rescaling undoes"),
        Case("codes, coordinate by coordinate", "breaks", unequal, "mcc_pearson",
             ("at_most", 0.95),
             breaks="asks for more than the likelihood determines: latents without the rotation"),
    )  # fmt: skip


DIFFERS = (
    "The paper has no table of parameters recovered: the model is drawn here, so as to know them."
)

CLAIMS = (
    Claim(
        name="tipping1999.ppca",
        paper=PAPER,
        says="Normal latents under a linear map and noise of one variance: the likelihood has its "
        "maximum in closed form, which determines W Wᵀ, the noise, and latents up to a rotation.",
        assumptions=(LINEAR, NORMAL_LATENTS, EQUAL_NOISE),
        cases=ppca_cases,
        differs=DIFFERS,
    ),
    Claim(
        name="tipping1999.factor_analysis",
        paper=PAPER,
        says="With a variance of the noise for each column the same holds, whatever the columns "
        "are multiplied by; the rotation of latents stays open.",
        assumptions=(LINEAR, NORMAL_LATENTS, COLUMN_NOISE),
        cases=factor_cases,
        differs=DIFFERS,
    ),
)
