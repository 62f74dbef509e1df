"""Variational autoencoders identify latents where a label modulates the prior of codes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from jaxtyping import PRNGKeyArray

from .._assumptions import CONDITIONALLY_INDEPENDENT, EXPONENTIAL_FAMILY, MODULATED
from .._claim import Case, Claim, Scale
from .._lab import AbstractObjective, AbstractWorld
from .._recipe import Recipe
from .._run import Trial
from ..objectives import MODULATION, Elbo, IVae
from ..worlds import Shuffled, segments
from ._budgets import mlp
from ._measures import LinearR2, Matched
from ._recovered import Recovered
from ._unmixing import components, observed, turned
from ._variational import NOISE, MatchedDraw, adam, networks

PAPER = "khemakhem2020"
QUOTED = "about 0.9, as a user of the published code quotes the paper"
MCC, DRAW, R2 = Matched(), MatchedDraw(), LinearR2()
SIZES: dict[Scale, dict[str, Any]] = {
    "smoke": {"d": 4, "segments": 20, "layers": 2},
    "small": {"d": 5, "segments": 40, "layers": 2},
    "paper": {"d": 5, "segments": 40, "layers": 3},
}
WIDTHS: dict[Scale, tuple[int, ...]] = {
    "smoke": (32, 32), "small": (64, 64), "paper": (100, 100, 100),
}  # fmt: skip
STEPS: dict[Scale, int] = {"smoke": 1200, "small": 6000, "paper": 50_000}
SCALED: dict[str, Any] = {"law": "normal", "scales": (0.5, 3.0), "means": 0.0}
SHIFTED: dict[str, Any] = {**SCALED, "means": 5.0}


def ivae(
    key: PRNGKeyArray,
    *,
    labels: int,
    d: int,
    widths: tuple[int, ...],
    means: bool,
    published: bool,
) -> IVae:
    """A table of the prior's parameters for each label; the publication's form of posteriors has a
    variance of each coordinate, from observation and label, in place of a whole covariance.
    """
    seen = labels if published else 0
    parts = networks(key, d=d, widths=widths, labels=seen, whole=not published)
    return IVae(*parts, labels, d, NOISE, means=means, learned_noise=True)


def plain(key: PRNGKeyArray, *, d: int, widths: tuple[int, ...]) -> Elbo:
    """The same without labels."""
    return Elbo(*networks(key, d=d, widths=widths), noise=NOISE, learned_noise=True)


def shuffled(seed: int, **settings: Any) -> AbstractWorld:
    """Segments whose labels belong to other rows."""
    return Shuffled(segments(seed, **settings))


def trial(
    scale: Scale,
    *,
    published: bool = False,
    labelled: bool = True,
    shuffle: bool = False,
    recipe: Recipe | None = None,
    **world: Any,
) -> Trial:
    """Segments that scale, and shift if wanted, normal latents."""
    settings: dict[str, Any] = {**SIZES[scale], **SCALED, **world}
    d, labels, widths = settings["d"], settings["segments"], WIDTHS[scale]
    learner: Callable[..., AbstractObjective] = partial(plain, d=d, widths=widths)
    if labelled:
        learner = partial(
            ivae, labels=labels, d=d, widths=widths, means=settings["means"] > 0,
            published=published,
        )  # fmt: skip
    broken = {MODULATED} if settings["scales"][0] == settings["scales"][1] else set()
    if shuffle:
        broken = {CONDITIONALLY_INDEPENDENT, EXPONENTIAL_FAMILY, MODULATED}
    return Trial(
        world=partial(shuffled if shuffle else segments, **settings),
        encoder=partial(mlp, d_out=d, widths=widths, slope=0.2, head="free"),
        objective=learner,
        recipe=recipe or adam(STEPS[scale]),
        measures=(MCC, DRAW, R2),
        breaking=frozenset(broken),
    )


def cases(scale: Scale) -> tuple[Case, ...]:
    """Latents of which labels set the scale, or mean and scale; and what must fail."""
    least = 0.85 if scale == "smoke" else 0.95
    scaled, world = trial(scale), partial(segments, **SIZES[scale], **SCALED)
    rotated = partial(turned, world=world, d=SIZES[scale]["d"])
    shown: tuple[Case, ...] = (
        Case("scales", "holds", scaled, MCC.name, ("at_least", least), 0.9, QUOTED),
        Case("scales, one draw of each posterior", "holds", scaled, DRAW.name,
             ("at_least", least), 0.9, QUOTED),
        Case("equal scales", "breaks", trial(scale, scales=(1.75, 1.75)), MCC.name,
             ("at_most", 0.85), breaks="the label says nothing of the latents"),
    )  # fmt: skip
    if scale == "smoke":
        return shown
    return (
        *shown,
        Case("means and scales", "holds", trial(scale, **SHIFTED), MCC.name, ("at_least", least)),
        Case("labels of other rows", "breaks", trial(scale, shuffle=True), MCC.name,
             ("at_most", 0.85), breaks="the label is independent of the latents"),
        Case("no labels", "breaks", trial(scale, labelled=False), MCC.name, ("at_most", 0.85),
             breaks="the prior of codes is the same normal law for all rows"),
        Case("posteriors of independent coordinates", "breaks", trial(scale, published=True),
             MCC.name, ("at_most", 0.9), 0.9, QUOTED,
             breaks="no posterior of this form is the true one: columns are not orthogonal"),
        Case("linear ICA of the observation", "breaks",
             Recovered(world, components, (MCC,), floors=()), MCC.name, ("at_most", 0.85),
             breaks="a linear mixing is assumed, and the mixing is not linear"),
        Case("latents, rotated at random", "breaks",
             Recovered(rotated, observed, (MCC,), floors=()), MCC.name, ("at_most", 0.85),
             breaks="a rotation is left open"),
    )  # fmt: skip


DIFFERS = (
    "Two well-conditioned matrices with leaky ReLU between, in place of three with xtanh. The "
    "whole covariance of posteriors makes the bound tight where the columns of the decoder's "
    "Jacobian are not orthogonal. With the published form, a variance of each coordinate, the best "
    "bound lies elsewhere: one run passed 0.885 after 1,250 steps and ended at 0.71. The noise of "
    "the decoder is learned, from 0.3 down, and the bound is the plain one, where published code "
    "weighs its parts 100, 1, 0 and 10: so weighed, the published form reached 0.951 on one seed "
    "(benchmarks/nonlinear_ica.py). Three matrices take longer: two seeds reach 0.955 and 0.794 in "
    "20,000 steps. Scores are held out, of means unless they are said to be of draws. A figure "
    "of a later paper shows 0.895 to 0.918 for two layers, by a correlation that ignores sign and "
    "shape."
)

CLAIMS = (
    Claim(
        name="khemakhem2020.labels",
        paper=PAPER,
        says="Where latents are independent given a label that modulates them in enough ways, a "
        "variational autoencoder whose prior of codes depends on the label, and whose posteriors "
        "may be the true ones, recovers them up to their order and a map of each.",
        assumptions=tuple(sorted(MODULATION)),
        cases=cases,
        differs=DIFFERS,
    ),
)
