"""Contrastive learning inverts the data-generating process: the limit, the sphere, the box."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, PRNGKeyArray
from scipy.special import gammaln

from .._assumptions import CONVEX, INJECTIVE, PAIRED, SPHERE, UNIFORM, VMF, l_alpha
from .._claim import Case, Claim, Scale
from .._lab import AbstractEncoder
from .._recipe import Recipe
from .._run import Trial
from ..encoders import Raw
from ..objectives import Dot, InfoNCE, LAlpha
from ..worlds import (
    Additive,
    Folded,
    Laplace,
    LeakyMlp,
    Noisy,
    Normal,
    Projected,
    Sphere,
    Unbounded,
    World,
    box,
    sphere,
)
from ._budgets import budget, encoder
from ._limit import Limit
from ._measures import LinearR2, Matched

D = 10
PAPER = "zimmermann2021"
NOT_AT_HAND = "the published table was not at hand"
LOG_AREA = float(np.log(2) + D / 2 * np.log(np.pi) - gammaln(D / 2))
"""Logarithm of the area of the unit sphere in D dimensions."""
R2 = LinearR2()
MCC = Matched()
MEASURES = (R2, LinearR2(in_sample=True), MCC)
BOX_SCALES = {1.0: 0.15, 2.0: 0.25, 3.0: 0.3}
"""Of the conditional laws in the box: pairs that say less than a batch can ask for."""
SPHERE_SCALE = 0.2
"""Likewise on the sphere: the standard deviation of each coordinate."""
LOOSE = frozenset({PAIRED, INJECTIVE})
"""What is left to ask where a law is another than the objective's."""


def identity(key: PRNGKeyArray, columns: int) -> AbstractEncoder:
    """The latents themselves."""
    return Raw()


def dot(key: PRNGKeyArray, *, temperature: float) -> InfoNCE:
    """Inner products over a temperature."""
    return InfoNCE(Dot(), temperature)


def bent(key: PRNGKeyArray, *, similarity: Any, temperature: float) -> InfoNCE:
    """For laws that the similarity does not match; negatives follow the law of positives."""
    return InfoNCE(
        similarity, temperature, learned_temperature=True, negatives="positives", theory=LOOSE
    )


def power(key: PRNGKeyArray, *, alpha: float, scale: float) -> InfoNCE:
    """Minus the power alpha of each coordinate's distance, in units of the scale."""
    return InfoNCE(LAlpha(alpha), scale**alpha)


def uniform(key: PRNGKeyArray, n: int) -> Array:
    """Uniform on the unit sphere."""
    z = jax.random.normal(key, (n, D))
    return z / jnp.linalg.norm(z, axis=1, keepdims=True)


def folded(seed: int, *, d: int, kappa: float) -> World:
    """A world on the sphere in which a latent and its mirror image look the same."""
    return sphere(seed, d=d, kappa=kappa, mixing=Folded(LeakyMlp(seed, d), 0.0, 3))


def unbounded(seed: int, *, d: int, marginal: Any, conditional: Any) -> World:
    """Latents anywhere, positives around them."""
    return World(Noisy(Unbounded(d), marginal), Additive(conditional), LeakyMlp(seed, d))


def limit_cases(scale: Scale) -> tuple[Case, ...]:
    """The objective against its limit, for the ideal encoder and for one that did not learn."""
    negatives = (64, 256, 1024) if scale == "smoke" else (64, 256, 1024, 4096, 16384)
    near = 0.1 if scale == "smoke" else 0.01
    even = partial(sphere, d=D, kappa=10.0)

    def limit(world: Any, made: Any) -> Limit:
        return Limit(world, made, uniform, LOG_AREA, temperature=0.1, negatives=negatives)

    ideal = limit(even, identity)
    other = limit(even, encoder(scale, D, head="sphere"))
    skewed = limit(partial(even, marginal=Noisy(Sphere(D), Normal(0.3))), identity)
    return (
        Case("ideal encoder", "holds", ideal, "gap", ("at_most", near), 0.0, "Theorem 1"),
        Case("any encoder", "holds", other, "gap", ("at_most", near), 0.0, "Theorem 1"),
        Case("rate of one over root M", "holds", ideal, "rate", ("at_most", 0.1), 0.0, "Theorem 1"),
        Case(
            "marginal not uniform", "breaks", skewed, "gap", ("at_least", 0.2),
            breaks="latents gather around one point of the sphere",
        ),
    )  # fmt: skip


def sphere_cases(scale: Scale) -> tuple[Case, ...]:
    """A von Mises-Fisher law on the sphere, two concentrations, and a mixing that folds."""

    def trial(kappa: float, *, world: Any = sphere) -> Trial:
        return Trial(
            world=partial(world, d=D, kappa=kappa),
            encoder=encoder(scale, D, head="sphere"),
            objective=partial(dot, temperature=1 / kappa),
            recipe=budget(scale),
            measures=MEASURES,
            breaking=frozenset({INJECTIVE} if world is folded else ()),
        )

    bound = 0.8 if scale == "smoke" else 0.99
    return (
        *(
            Case(f"κ = {kappa:g}", "holds", trial(kappa), R2.name, ("at_least", bound),
                 where=NOT_AT_HAND)
            for kappa in ((10.0,) if scale == "smoke" else (10.0, 20.0))
        ),
        Case(
            "mixing that folds", "breaks", trial(10.0, world=folded), R2.name,
            ("at_most", 0.95 * bound), breaks="two latents look the same",
        ),
    )  # fmt: skip


def faint_cases(scale: Scale) -> tuple[Case, ...]:
    """Positives that hardly resemble their latent: each pair says a fiftieth of what it says at
    κ = 10, so it takes more of them.
    """
    d, least, recipe = D, 0.85, budget(scale, steps=4000, batch=1536)
    if scale == "smoke":  # seconds are enough for four dimensions
        d, least, recipe = 4, 0.9, Recipe(batch=768, steps=800)
    faint = Trial(
        world=partial(sphere, d=d, kappa=1.0),
        encoder=encoder(scale, d, head="sphere"),
        objective=partial(dot, temperature=1.0),
        recipe=recipe,
        measures=MEASURES,
    )
    return (Case("κ = 1", "holds", faint, R2.name, ("at_least", least), where=NOT_AT_HAND),)


def box_cases(scale: Scale) -> tuple[Case, ...]:
    """L^α laws in the box with the matching objective; α = 2 leaves a rotation."""

    def trial(alpha: float, head: str = "box") -> Trial:
        return Trial(
            world=partial(box, d=D, alpha=alpha, scale=BOX_SCALES[alpha]),
            encoder=encoder(scale, D, head=head),
            objective=partial(power, alpha=alpha, scale=BOX_SCALES[alpha]),
            recipe=budget(scale),
            measures=(MCC, R2, Matched("spearman")),
        )

    bound = 0.7 if scale == "smoke" else 0.95
    excluded = trial(2.0, "free")
    cases = [
        Case(f"α = {alpha:g}", "holds", trial(alpha), MCC.name, ("at_least", bound),
             where=NOT_AT_HAND)
        for alpha in ((1.0,) if scale == "smoke" else (1.0, 3.0))
    ]  # fmt: skip
    cases += [
        Case("α = 2, codes anywhere", "breaks", excluded, MCC.name, ("at_most", 0.85),
             breaks="distances of α = 2 are the same after a rotation", where=NOT_AT_HAND),
        Case("α = 2, codes anywhere: up to a linear map", "holds", excluded, R2.name,
             ("at_least", 0.9 if scale == "smoke" else 0.99), where=NOT_AT_HAND),
    ]  # fmt: skip
    if scale != "smoke":
        cases.append(
            Case("α = 2, codes in a box", "holds", trial(2.0), MCC.name, ("at_least", bound),
                 differs="the theorem leaves α = 2 out; but of all rotations only permutations "
                 "and flips map a box onto itself")
        )  # fmt: skip
    return tuple(cases)


def robustness_cases(scale: Scale) -> tuple[Case, ...]:
    """Rows in which an assumption is bent: conditional, marginal, or space."""
    recipe = budget(scale, steps=3000, batch=768)
    linear_bound = 0.7 if scale == "smoke" else 0.95

    def on_sphere(**options: Any) -> Trial:
        return Trial(
            partial(sphere, d=D, **options), encoder(scale, D, head="sphere"),
            partial(bent, similarity=Dot(), temperature=0.1), recipe, MEASURES,
        )  # fmt: skip

    def free(world: Any, unit: float) -> Trial:
        objective = partial(bent, similarity=LAlpha(2), temperature=unit**2)
        return Trial(world, encoder(scale, D), objective, recipe, MEASURES)

    around = partial(Noisy, Sphere(D), Normal(1.0))
    near = Projected(Laplace(SPHERE_SCALE / 2**0.5))
    rows = {
        "sphere, Laplace conditional": on_sphere(pairing=near),
        "sphere, normal conditional": on_sphere(pairing=Projected(Normal(SPHERE_SCALE))),
        "sphere, normal marginal, Laplace conditional": on_sphere(marginal=around(), pairing=near),
        "box, normal conditional, free codes": free(partial(box, d=D, alpha=2.0, scale=0.25), 0.25),
        "box, Laplace conditional, free codes": free(
            partial(box, d=D, alpha=1.0, scale=0.15), 0.25
        ),
        "unbounded, Laplace marginal, normal conditional": free(
            partial(unbounded, d=D, marginal=Laplace(1.0), conditional=Normal(1.0)), 1.0
        ),
        "unbounded, normal marginal, normal conditional": free(
            partial(unbounded, d=D, marginal=Normal(1.0), conditional=Normal(1.0)), 1.0
        ),
    }
    shown = list(rows)[:2] if scale == "smoke" else list(rows)
    return tuple(
        Case(name, "holds", rows[name], R2.name, ("at_least", linear_bound), where=NOT_AT_HAND)
        for name in shown
    )


CLAIMS = (
    Claim(
        name="zimmermann2021.limit",
        paper=PAPER,
        says="With M negatives the contrastive objective, less log M plus the logarithm of the "
        "volume of the latents' space, tends to the cross-entropy between the law of positives "
        "and the one that the encoder implies, with deviations of order 1/√M.",
        assumptions=(PAIRED, UNIFORM),
        cases=limit_cases,
    ),
    Claim(
        name="zimmermann2021.sphere",
        paper=PAPER,
        says="On the sphere, with uniform latents and von Mises-Fisher positives, an encoder that "
        "minimises InfoNCE recovers the latents up to a rotation and one scale.",
        assumptions=(PAIRED, SPHERE, UNIFORM, VMF, INJECTIVE),
        cases=sphere_cases,
        differs="Three hidden layers of 128 and Muon on batches of 512 in place of six hidden "
        "layers of up to 500 and Adam on batches of 6144; the anchor is not among its own "
        "negatives; scores are held out.",
    ),
    Claim(
        name="zimmermann2021.faint",
        paper=PAPER,
        says="The same holds at κ = 1, where positives hardly resemble their latent.",
        assumptions=(PAIRED, SPHERE, UNIFORM, VMF, INJECTIVE),
        cases=faint_cases,
        differs="As for the sphere, on batches of 1,536. The bound is that of a budget of minutes: "
        "with batches of 6,144 the same recipe reaches 0.90 after 1,600 steps, 0.98 after 3,200, "
        "0.99 after 6,350 and 0.998 after 10,000 (three seeds, 68 seconds on one H200); with "
        "2,048 it is at 0.98 after 10,000.",
    ),
    Claim(
        name="zimmermann2021.box",
        paper=PAPER,
        says="In a convex body, with uniform latents and positives whose log density falls with "
        "an L^α distance, α ≥ 1 and not 2, the matching objective recovers the latents up to "
        "permutation, sign and scale.",
        assumptions=(PAIRED, CONVEX, UNIFORM, l_alpha(1), INJECTIVE),
        cases=box_cases,
        differs="As for the sphere. The conditional laws are wider than the published 0.05: there "
        "a pair holds over 20 nats, more than a batch of 512 can ask for (6.2), and training "
        "stalls (α = 3: MCC 0.58 after 3,000 steps where 0.3 gives 0.998 after 2,000).",
    ),
    Claim(
        name="zimmermann2021.robustness",
        paper=PAPER,
        says="Where conditional, marginal or space differ from what the objective assumes, the "
        "latents are still recovered up to a linear map, nearly.",
        assumptions=(PAIRED, INJECTIVE),
        cases=robustness_cases,
        differs="As for the sphere; the temperature is learned, as the law does not give one, and "
        "negatives are the positives of other rows: where positives have another marginal law "
        "than anchors, anchors as negatives end at 0.915 (unbounded, normal; at batches of 512 "
        "and 6,144 alike). Conditional laws on the sphere and in the box are wider than the "
        "published 0.05, for the reason given with the box: with 0.05 on the sphere R² is 0.90 "
        "after 6,000 steps of 512, and 0.998 after 5,000 of 6,144 (H200).",
    ),
)
