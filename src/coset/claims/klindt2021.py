"""Variational autoencoders identify latents whose moves are sparse."""

from __future__ import annotations

from functools import partial
from typing import Any

from jaxtyping import PRNGKeyArray

from .._assumptions import INJECTIVE, PAIRED, UNBOUNDED, l_alpha
from .._claim import Case, Claim, Scale
from .._recipe import Recipe
from .._run import Trial
from ..objectives import Elbo, SlowVae
from ..worlds import Additive, GeneralisedNormal, World, unbounded
from ._budgets import mlp
from ._measures import LinearR2, Matched
from ._recovered import Recovered
from ._unmixing import components, observed, turned
from ._variational import NOISE, MatchedDraw, adam, networks

PAPER = "klindt2021"
MCC, DRAW, R2 = Matched(), MatchedDraw(), LinearR2()
SIZES: dict[Scale, dict[str, Any]] = {
    "smoke": {"d": 4, "layers": 2},
    "small": {"d": 5, "layers": 2},
    "paper": {"d": 10, "layers": 3},
}
WIDTHS: dict[Scale, tuple[int, ...]] = {
    "smoke": (32, 32), "small": (64, 64), "paper": (128, 128, 128),
}  # fmt: skip
STEPS: dict[Scale, int] = {"smoke": 1500, "small": 5000, "paper": 50_000}
MOVE = 1.0
"""Standard deviation of moves."""


def moving(seed: int, *, normal: bool, **settings: Any) -> World:
    """Standard normal latents that make Laplace moves, or normal ones of the same variance."""
    noise = GeneralisedNormal(MOVE * (2**0.5 if normal else 0.5**0.5), 2.0 if normal else 1.0)
    return unbounded(seed, pairing=Additive(noise), **settings)


def slow(key: PRNGKeyArray, *, d: int, widths: tuple[int, ...]) -> SlowVae:
    """The rate is that of the world."""
    return SlowVae(
        *networks(key, d=d, widths=widths), rate=2**0.5 / MOVE, noise=NOISE, learned_noise=True
    )


def plain(key: PRNGKeyArray, *, d: int, widths: tuple[int, ...]) -> Elbo:
    """The same without pairs."""
    return Elbo(*networks(key, d=d, widths=widths), noise=NOISE, learned_noise=True)


def trial(
    scale: Scale,
    *,
    normal: bool = False,
    paired: bool = True,
    recipe: Recipe | None = None,
    **world: Any,
) -> Trial:
    """Pairs that are one move apart."""
    settings: dict[str, Any] = {**SIZES[scale], **world}
    d, widths = settings["d"], WIDTHS[scale]
    return Trial(
        world=partial(moving, normal=normal, **settings),
        encoder=partial(mlp, d_out=d, widths=widths, slope=0.2, head="free"),
        objective=partial(slow if paired else plain, d=d, widths=widths),
        recipe=recipe or adam(STEPS[scale]),
        measures=(MCC, DRAW, R2),
        breaking=frozenset({l_alpha(1)} if normal else ()),
    )


def cases(scale: Scale) -> tuple[Case, ...]:
    """Laplace moves; and what must fail."""
    least = 0.85 if scale == "smoke" else 0.95
    world = partial(moving, normal=False, **SIZES[scale])
    rotated = partial(turned, world=world, d=SIZES[scale]["d"])
    untrained = (
        Case("linear ICA of the observation", "breaks",
             Recovered(world, components, (MCC,), floors=()), MCC.name, ("at_most", 0.85),
             breaks="latents are taken to be anything but normal, and the mixing to be linear"),
        Case("latents, rotated at random", "breaks",
             Recovered(rotated, observed, (MCC,), floors=()), MCC.name, ("at_most", 0.85),
             breaks="a rotation is left open"),
    )  # fmt: skip
    alone = Case("no pairs", "breaks", trial(scale, paired=False), MCC.name, ("at_most", 0.85),
                 breaks="nothing is known of moves")  # fmt: skip
    return (
        Case("Laplace moves", "holds", trial(scale), MCC.name, ("at_least", least)),
        Case("normal moves", "breaks", trial(scale, normal=True), MCC.name, ("at_most", 0.85),
             breaks="moves are rotation-invariant, and so are the latents"),
        *(() if scale == "smoke" else (alone, *untrained)),
    )  # fmt: skip


CLAIMS = (
    Claim(
        name="klindt2021.moves",
        paper=PAPER,
        says="Where latents make independent Laplace moves between the two observations of a pair, "
        "a variational autoencoder whose prior of pairs is that law recovers them up to their "
        "order, signs and scales.",
        assumptions=(PAIRED, l_alpha(1), UNBOUNDED, INJECTIVE),
        cases=cases,
        differs="Normal latents with Laplace moves of the same variance, through a leaky network, "
        "in place of rendered scenes, whose tables were not found. The divergence from the law of "
        "moves is exact, in one direction, and weighs 1; published code adds both directions, "
        "subtracts one entropy, and weighs that by 10. Posteriors have a whole covariance.",
    ),
)
