"""Generalised contrastive learning: codes that tell the own auxiliary from another's."""

from __future__ import annotations

from functools import partial
from typing import Any

import equinox as eqx
import jax
from jaxtyping import PRNGKeyArray

from .._assumptions import (
    CONDITIONALLY_INDEPENDENT,
    INJECTIVE,
    LABELLED,
    MODULATED,
    VARIABLE,
)
from .._claim import Case, Claim, Scale
from .._recipe import Recipe
from .._run import Trial
from ..objectives import MODULATION, AuxiliaryContrast, LabelTable, Powers
from ..worlds import segments
from ._budgets import budget, mlp
from ._measures import LinearR2, Matched
from ._recovered import Recovered
from ._unmixing import MatchedStatistics, StatisticsR2, components, observed, turned

PAPER = "hyvarinen2019"
MCC, R2 = Matched(), LinearR2()
STATISTICS, UNMIXED = StatisticsR2(), MatchedStatistics()
SIZES: dict[Scale, dict[str, Any]] = {
    "smoke": {"d": 5, "segments": 20, "layers": 2},
    "small": {"d": 5, "segments": 40},
    "paper": {"d": 20, "segments": 256},
}
WIDTHS: dict[Scale, tuple[int, ...]] = {
    "smoke": (64, 64), "small": (64, 64, 64), "paper": (80, 80),
}  # fmt: skip
SHIFTED: dict[str, Any] = {"law": "normal", "scales": (0.5, 2.0), "means": 2.0}
"""Normal latents whose mean and scale a segment sets: both statistics of a normal law change."""
SCALED: dict[str, Any] = {"law": "laplace", "scales": (0.0, 1.0), "means": 0.0}


def contrast(key: PRNGKeyArray, *, labels: int, d: int, order: int) -> AuxiliaryContrast:
    """A table of labels weights the first powers of each code; a network is a(code)."""
    k_table, k_marginal = jax.random.split(key)
    return AuxiliaryContrast(
        Powers(order),
        LabelTable(k_table, labels, order * d + 1),
        eqx.nn.MLP(d, "scalar", 128, 2, key=k_marginal),
        theory=MODULATION if order == 1 else None,
    )


def trial(scale: Scale, *, order: int = 2, **world: Any) -> Trial:
    """Segments as auxiliary: what of a latent's law they change is what the world is told."""
    settings: dict[str, Any] = {**SIZES[scale], **world}
    d, labels = settings["d"], settings["segments"]
    recipe = budget(scale, steps=2000, batch=256, vector_rate=0.02)
    if scale == "paper":
        recipe = Recipe(batch=512, steps=3_000_000, kind="sgd", rate=0.1, schedule="constant")
    even = settings["scales"][0] == settings["scales"][1]
    lost = VARIABLE if order == 2 else MODULATED
    return Trial(
        world=partial(segments, **settings),
        encoder=partial(mlp, d_out=d, widths=WIDTHS[scale], slope=0.2, head="free"),
        objective=partial(contrast, labels=labels, d=d, order=order),
        recipe=recipe,
        measures=(MCC, R2) if order == 2 else (STATISTICS, UNMIXED),
        breaking=frozenset({lost} if even else ()),
    )


def latent_cases(scale: Scale) -> tuple[Case, ...]:
    """Latents one by one where both moments change; and what must fail."""
    sizes = SIZES[scale]
    least = 0.9 if scale == "smoke" else 0.95
    world = partial(segments, **sizes, **SHIFTED)
    rotated = partial(turned, world=world, d=sizes["d"])
    return (
        Case("means and scales", "holds", trial(scale, **SHIFTED), MCC.name, ("at_least", least)),
        Case("means alone", "breaks", trial(scale, **{**SHIFTED, "scales": (1.0, 1.0)}), MCC.name,
             ("at_most", 0.85), breaks="labels shift latents but scale none: a rotation is open"),
        Case("neither", "breaks", trial(scale, **{**SHIFTED, "scales": (1.0, 1.0), "means": 0.0}),
             MCC.name, ("at_most", 0.85), breaks="the label says nothing of the latents"),
        Case("linear ICA of the observation", "breaks",
             Recovered(world, components, (MCC,), floors=()), MCC.name, ("at_most", 0.85),
             breaks="a linear mixing is assumed, and the mixing is not linear"),
        Case("latents, rotated at random", "breaks",
             Recovered(rotated, observed, (MCC,), floors=()), MCC.name, ("at_most", 0.85),
             breaks="a rotation is left open"),
    )  # fmt: skip


def statistic_cases(scale: Scale) -> tuple[Case, ...]:
    """One statistic of each latent: found up to a linear map, and after linear ICA."""
    least = 0.8 if scale == "smoke" else 0.95
    one = trial(scale, order=1, **SCALED)
    even = trial(scale, order=1, **{**SCALED, "scales": (1.0, 1.0)})
    return (
        Case("statistics, linearly", "holds", one, STATISTICS.name, ("at_least", least)),
        Case("statistics after linear ICA", "holds", one, UNMIXED.name, ("at_least", least)),
        Case("equal scales", "breaks", even, STATISTICS.name, ("at_most", 0.5),
             breaks="the label says nothing of the latents"),
    )  # fmt: skip


DIFFERS = (
    "Five latents, 40 segments and three mixing layers; three leaky hidden layers of 64, Muon and "
    "2,000 steps on fresh draws of 256, each against the labels of all others; the term of the "
    "observation alone is a network on the codes. No score of the paper's own experiments stands "
    "in its text."
)

CLAIMS = (
    Claim(
        name="hyvarinen2019.latents",
        paper=PAPER,
        says="Where latents are independent given an auxiliary that shifts and scales each of them "
        "in enough ways, the codes of a network that tells the own auxiliary of an observation "
        "from another's are the latents, up to their order and a map of each.",
        assumptions=(LABELLED, CONDITIONALLY_INDEPENDENT, VARIABLE, INJECTIVE),
        cases=latent_cases,
        differs=DIFFERS,
    ),
    Claim(
        name="hyvarinen2019.statistics",
        paper=PAPER,
        says="Where the auxiliary weights one statistic of each latent alone, codes that enter the "
        "regression linearly are a linear map of the statistics, which linear ICA undoes.",
        assumptions=tuple(sorted(MODULATION)),
        cases=statistic_cases,
        differs=DIFFERS,
    ),
)
