"""The linear variational autoencoder: its bound has the optimum of probabilistic PCA."""

from __future__ import annotations

from .._assumptions import EQUAL_NOISE, LINEAR, NORMAL_LATENTS
from .._claim import Case, Claim, Scale
from ._linear_vae import AgainstPca, Posterior

PAPER = "lucas2019"
GAP = round(941.654 - 941.611, 3)
WHERE = "notebook of the published code: MNIST, 200 latents, 941.654 less 941.611"
FEW, MANY, KEPT = 8, 24, 5


def cell(
    scale: Scale, k: int = FEW, *, posterior: Posterior = "diagonal", kept: int | None = None
) -> AgainstPca:
    """Digits, k latents."""
    steps = {"smoke": 2000, "small": 10_000, "paper": 100_000}[scale]
    return AgainstPca(k, steps, 1e-3 if scale == "paper" else 1e-2, posterior, kept)


def optimum_cases(scale: Scale) -> tuple[Case, ...]:
    """The decoder's likelihood, and the bound, beside the closed form."""
    cases = []
    for k in (FEW,) if scale == "smoke" else (FEW, MANY):
        cases += [
            Case(f"{k} latents: likelihood", "holds", cell(scale, k), "likelihood_gap",
                 ("at_most", GAP), GAP, WHERE),
            Case(f"{k} latents: bound", "holds", cell(scale, k), "bound_gap", ("at_most", GAP)),
        ]  # fmt: skip
    unit = cell(scale, posterior="unit")
    return (
        *cases,
        Case("posterior with the prior's covariance", "breaks", unit, "likelihood_gap",
             ("at_least", 0.5), breaks="the posterior cannot be that of the model"),
    )  # fmt: skip


def axes_cases(scale: Scale) -> tuple[Case, ...]:
    """Which latents: the principal axes where the posterior is diagonal."""
    full = cell(scale, posterior="full")
    return (
        Case("diagonal posterior", "holds", cell(scale), "mcc_pearson", ("at_least", 0.98)),
        Case("any posterior", "breaks", full, "mcc_pearson", ("at_most", 0.9),
             breaks="a posterior of any covariance follows every rotation of latents"),
    )  # fmt: skip


def collapse_cases(scale: Scale) -> tuple[Case, ...]:
    """How many latents: as many as there are eigenvalues above the noise."""
    held, full = cell(scale, kept=KEPT), cell(scale, kept=KEPT, posterior="full")
    return (
        Case(f"{KEPT} of {FEW} above the noise", "holds", held, "active", ("at_most", 0.0)),
        Case("any posterior", "breaks", full, "active", ("at_least", 1.0),
             breaks="a rotation spreads what is told over all latents"),
    )  # fmt: skip


DIFFERS = (
    "The 1,797 digits of 64 pixels that scikit-learn has in place of 1,000 of MNIST, which need a "
    "download, with 8 and 24 latents in place of 200; Adam at 0.01 with a cosine schedule, 10,000 "
    "steps, in place of 0.001. The bound is that of all rows, exactly, as published."
)
ASSUMPTIONS = (LINEAR, NORMAL_LATENTS, EQUAL_NOISE)

CLAIMS = (
    Claim(
        name="lucas2019.optimum",
        paper=PAPER,
        says="A linear variational autoencoder with a diagonal posterior of one covariance for all "
        "rows reaches the maximum of the likelihood of probabilistic PCA, and its bound is tight.",
        assumptions=ASSUMPTIONS,
        cases=optimum_cases,
        differs=DIFFERS,
    ),
    Claim(
        name="lucas2019.axes",
        paper=PAPER,
        says="The diagonal posterior takes away the rotation that the likelihood leaves open: "
        "latents are the principal axes, each with its own variance.",
        assumptions=ASSUMPTIONS,
        cases=axes_cases,
        differs=DIFFERS,
    ),
    Claim(
        name="lucas2019.collapse",
        paper=PAPER,
        says="Posteriors collapse onto the prior where the likelihood wants it: under noise of "
        "fixed variance, latents are told only for eigenvalues of the covariance above it.",
        assumptions=ASSUMPTIONS,
        cases=collapse_cases,
        differs=DIFFERS + " The noise is fixed between the fifth eigenvalue and the sixth.",
    ),
)
