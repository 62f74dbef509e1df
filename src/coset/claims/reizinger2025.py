"""Identifiable exchangeable mechanisms: a cause that varies is enough, and so is a mechanism."""

from __future__ import annotations

from functools import partial

from .._assumptions import ACYCLIC, EXCHANGEABLE, FAITHFUL, INJECTIVE, MODULATED
from .._claim import Case, Claim, Scale
from .._run import Trial
from ..worlds import StructuralEquations, World, segments
from ._budgets import budget, mlp
from ._discovery import PairDiscovery
from ._environments import Pairs
from ._unmixing import MatchedStatistics, StatisticsR2
from .guo2023 import ENVIRONMENTS, REPETITIONS
from .hyvarinen2016 import segment_classifier

PAPER = "reizinger2025"
FIGURE = "a figure, read by eye; there what should not vary does, without noise"
SPREAD = 3.0
"""Of parameters: environments then differ by more than samples of one environment do."""
ALONE: dict[str, tuple[Pairs, dict[int, float]]] = {
    "cause": (
        Pairs(mechanism=False, spread=SPREAD),
        {100: 0.69, 200: 0.86, 300: 0.86, 400: 0.90, 500: 0.81},
    ),
    "mechanism": (
        Pairs(cause=False, spread=SPREAD),
        {100: 0.80, 200: 0.90, 300: 0.85, 400: 0.92, 500: 0.88},
    ),
}
"""What varies → the world, and the published accuracies."""
LEAST = {300: 0.75, 500: 0.8}
D, SEGMENTS = 3, 20
R2, UNMIXED = StatisticsR2(), MatchedStatistics()


def either_cases(scale: Scale) -> tuple[Case, ...]:
    """The cause alone varies, the mechanism alone, or neither."""
    repetitions = REPETITIONS[scale]
    sizes = {"smoke": (500,), "small": (300, 500), "paper": ENVIRONMENTS}[scale]
    least, edges = ({500: 0.75}, 0.75) if scale == "smoke" else (LEAST, 0.8)
    neither = Pairs(cause=False, mechanism=False, spread=SPREAD)
    still = 200 if scale == "smoke" else 500
    constant = PairDiscovery(neither, (still,), max(repetitions, 50))
    cells = {name: PairDiscovery(world, sizes, repetitions) for name, (world, _) in ALONE.items()}
    return (
        *(
            Case(f"{name} alone varies, {count} environments", "holds", cell, f"accuracy_{count}",
                 ("at_least", least[count]), ALONE[name][1][count], FIGURE)
            for name, cell in cells.items() for count in sizes if count in least
        ),
        *(
            Case(f"{name} alone varies: edges", "holds", cell, "orientation_500",
                 ("at_least", edges))
            for name, cell in cells.items()
        ),
        Case("neither varies: edges", "breaks", constant, f"orientation_{still}",
             ("at_most", 0.7), breaks="all environments have the same law"),
    )  # fmt: skip


def bent(seed: int, *, scales: tuple[float, float]) -> World:
    """Exchangeable noises behind structural equations: their scales vary between segments."""
    mixing = StructuralEquations(seed, D, slope=0.25)
    return segments(seed, d=D, segments=SEGMENTS, scales=scales, mixing=mixing)


def duality_cases(scale: Scale) -> tuple[Case, ...]:
    """Noises come back where their laws vary between environments, and not where they do not."""

    def trial(least: float) -> Trial:
        scales = (least, 1.0)
        return Trial(
            world=partial(bent, scales=scales),
            encoder=partial(mlp, d_out=D, widths=(64, 64, 64), slope=0.2, head="free"),
            objective=partial(segment_classifier, labels=SEGMENTS, d=D),
            recipe=budget(scale, steps=1500),
            measures=(R2, UNMIXED),
            breaking=frozenset({MODULATED} if least == 1 else ()),
        )

    varying, bound = trial(0.0), 0.7 if scale == "smoke" else 0.95
    return (
        Case("scales vary: statistics of noises", "holds", varying, R2.name, ("at_least", bound)),
        Case("scales vary: each noise, after linear ICA", "holds", varying, UNMIXED.name,
             ("at_least", bound)),
        Case("equal scales", "breaks", trial(1.0), R2.name, ("at_most", 0.5),
             breaks="environments have the same law: their labels say nothing of the noises"),
    )  # fmt: skip


CLAIMS = (
    Claim(
        name="reizinger2025.either",
        paper=PAPER,
        says="Which of two variables causes the other is identifiable from exchangeable data where "
        "the parameter of the cause varies between environments, or that of the mechanism; both "
        "are not needed.",
        assumptions=(EXCHANGEABLE, ACYCLIC, FAITHFUL),
        cases=either_cases,
        differs="As the theorem has it, a parameter that does not vary is one constant and keeps "
        "its noise, by role of cause and mechanism. The published code puts the parameter of each "
        "environment, which still varies, in place of the noise of what should not vary, and "
        "chooses by index, so that each of its rows mixes both roles: its numbers cannot be met "
        "exactly. Parameters are uniform on (-3, 3) here: on (-1, 1), as for guo2023, a cause that "
        "varies alone says little: 0.63 of edges get their direction with 500 environments, 0.70 "
        "with 1,000. With 100 environments 0.78 (cause) and 0.75 (mechanism) of structures are "
        "found in 600 repetitions. Whether the mechanism is bent is a part of it: where it does "
        "not vary, all environments are bent or none.",
    ),
    Claim(
        name="reizinger2025.duality",
        paper=PAPER,
        says="The variability that identifies a cause identifies a representation: where the laws "
        "of the noises of structural equations vary between environments, an encoder that tells "
        "environments apart recovers the noises, as time-contrastive learning does.",
        assumptions=(EXCHANGEABLE, MODULATED, INJECTIVE, ACYCLIC),
        cases=duality_cases,
        differs="The paper states this without an experiment that was at hand.",
    ),
)
