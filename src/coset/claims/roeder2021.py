"""Two models that predict alike have codes that are linear maps of each other."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from .._assumptions import DIVERSE_LABELS, LABELLED, PAIRED
from .._claim import Case, Claim, Scale
from .._lab import AbstractEncoder
from .._recipe import Recipe
from ..encoders import Mlp
from ..objectives import Canonical
from ..worlds import (
    Blockwise,
    Clusters,
    LeakyMlp,
    Product,
    Resampled,
    Sphere,
    Uniform,
    Unpaired,
    VonMisesFisher,
    World,
)
from ._teacher import classifier, mixed, sectors
from ._twins import Twins

PAPER = "roeder2021"
FIGURE = "Figure 2b: its maximum after about 4000 iterations, value not given"
M = 4
"""Dimensions of f and g, where they are not those of the 18 sectors."""
UNDIVERSE = frozenset({DIVERSE_LABELS})


class Stretched(AbstractEncoder):
    """Codes of an encoder, each coordinate times a number that training leaves alone.

    Args:
        encoder: what is stretched.
        sizes: (k,).
    """

    encoder: AbstractEncoder
    sizes: Float[Array, " k"]

    def __call__(self, x: Float[Array, "..."]) -> Float[Array, " k"]:
        """The code of one observation."""
        return self.encoder(x) * jax.lax.stop_gradient(self.sizes)


def mlp(key: PRNGKeyArray, columns: int, *, d_out: int) -> AbstractEncoder:
    """Two layers of 64, and the code."""
    return Mlp(key, columns, d_out, widths=(64, 64))


def stretched(key: PRNGKeyArray, columns: int, *, d_out: int) -> AbstractEncoder:
    """The same, every coordinate in a unit of its own."""
    k_encoder, k_sizes = jax.random.split(key)
    sizes = jnp.exp(jax.random.normal(k_sizes, (d_out,)))
    return Stretched(mlp(k_encoder, columns, d_out=d_out), sizes)


def n_pair(key: PRNGKeyArray, columns: int) -> Canonical:
    """One encoder for both sides of a pair."""
    return Canonical.n_pair()


def cpc(key: PRNGKeyArray, columns: int, *, d_out: int) -> Canonical:
    """An encoder for each side of a pair."""
    return Canonical.cpc(stretched(key, columns, d_out=d_out))


def half_shared(seed: int, *, shared: int = M, other: int = M, kappa: float = 10.0) -> World:
    """Latents on two spheres; positives are near on the first and anywhere on the second.

    The logarithm of p(y|x) / p(y) is kappa z·z̃ and a constant, with the latents of the first
    sphere: the canonical form in as many dimensions, with f = g.
    """
    return World(
        Uniform(Product((Sphere(shared), Sphere(other)))),
        Blockwise(
            [VonMisesFisher(kappa, shared), Resampled(range(other), Sphere(other))],
            [shared, other],
        ),
        LeakyMlp(seed, shared + other, 2),
    )


def gathered(seed: int, *, labels: int, d: int = 2 * M, kappa: float = 10.0) -> World:
    """Latents around the centre of their label: p(label|z) ∝ e^{kappa centre·z}, canonical too."""
    centres = np.random.default_rng([seed, labels]).normal(size=(labels, d))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    return World(Clusters(centres, VonMisesFisher(kappa, d)), Unpaired(), LeakyMlp(seed, d, 2))


def recipe(scale: Scale, *, rate: float = 0.03) -> Recipe:
    """2,000 steps of Muon; the paper's Adam."""
    if scale == "paper":
        return Recipe(batch=512, steps=50_000, kind="adam", rate=3e-4, schedule="constant")
    if scale == "smoke":
        return Recipe(batch=256, steps=400, rate=rate)
    return Recipe(batch=512, steps=2000, rate=rate)


def labelled(
    scale: Scale, world: Any, *, labels: int, m: int = M, rate: float = 0.03, **head: Any
) -> Twins:
    """Twin classifiers of a world; of as many labels as dimensions or fewer, as a control."""
    return Twins(
        world=world,
        encoder=partial(mlp, d_out=m),
        objective=partial(classifier, labels=labels, m=m, **head),
        recipe=recipe(scale, rate=rate),
        breaking=UNDIVERSE if labels <= m else frozenset(),
    )


def taught(scale: Scale, *, labels: int, flatness: float = 1.0, **head: Any) -> Twins:
    """Twin classifiers of labels that a teacher of the same kind drew."""
    world = partial(mixed, labels=labels, m=M, flatness=flatness)
    return labelled(scale, world, labels=labels, **head)


def bounds(scale: Scale) -> tuple[float, float, float]:
    """Least correlation, least R², largest tie that hold."""
    return (0.9, 0.85, 0.3) if scale == "smoke" else (0.99, 0.95, 0.1)


def classification_cases(scale: Scale) -> tuple[Case, ...]:
    """18 sectors of a plane; two labels as the control."""
    correlation, share, tied = bounds(scale)
    cell = labelled(scale, sectors, labels=18, m=2, rate=0.01)
    few = labelled(scale, partial(sectors, labels=2, steps=300), labels=2, m=2, rate=0.01)
    lost = "two labels are told apart by one direction of a code of two"
    return (
        Case("18 sectors: canonical correlations", "holds", cell, "mean_cca",
             ("at_least", correlation), where=FIGURE),
        Case("18 sectors: as published, in sample", "holds", cell, "mean_cca_in_sample",
             ("at_least", correlation), where=FIGURE),
        Case("18 sectors: f through a linear map", "holds", cell, "r2_linear",
             ("at_least", share)),
        Case("18 sectors: g through an affine map", "holds", cell, "r2_g_affine",
             ("at_least", share)),
        Case("18 sectors: both maps tied", "holds", cell, "tie", ("at_most", tied)),
        Case("18 sectors: predictions agree", "holds", cell, "kl_share", ("at_most", tied / 10)),
        Case("two labels: canonical correlations", "breaks", few, "mean_cca", ("at_most", 0.9),
             breaks=lost),
        Case("two labels: both maps tied", "breaks", few, "tie", ("at_least", 0.3), breaks=lost),
    )  # fmt: skip


def heads_cases(scale: Scale) -> tuple[Case, ...]:
    """The map from the heads alone, the tie, and what each model leaves open."""
    _, share, tied = bounds(scale)
    plain = taught(scale, labels=M + 1)
    shifted = taught(scale, labels=18, shift=1.0)
    biased = taught(scale, labels=M + 1, offset=5.0)
    open_ = "a bias for each label makes up for any shift of f"
    return (
        Case("f, map read off the heads", "holds", plain, "r2_from_heads", ("at_least", share)),
        Case("map of heads against map of data", "holds", plain, "heads_vs_data",
             ("at_most", tied)),
        Case("A and its inverse transpose", "holds", plain, "tie", ("at_most", tied)),
        Case("f without biases: linear", "holds", plain, "r2_linear", ("at_least", share)),
        Case("f with biases: affine", "holds", biased, "r2_affine", ("at_least", share)),
        Case("f with biases: map and offset read off the heads", "holds", biased, "r2_from_heads",
             ("at_least", share)),
        Case("f with biases: linear", "breaks", biased, "r2_linear", ("at_most", 0.9),
             breaks=open_),
        Case("g: affine", "holds", shifted, "r2_g_affine", ("at_least", share)),
        Case("g: linear, as published", "breaks", shifted, "r2_g_linear", ("at_most", 0.9),
             where="Appendix C states g without the shift",
             breaks="one vector added to all g(y) changes no prediction"),
        Case("f where g is shifted: linear", "holds", shifted, "r2_linear", ("at_least", share)),
    )  # fmt: skip


def diversity_cases(scale: Scale) -> tuple[Case, ...]:
    """Fewer and fewer labels, then labels nearer and nearer to a hyperplane."""
    correlation, _, tied = bounds(scale)
    enough = (M + 1,) if scale == "smoke" else (18, 8, M + 1)
    few = (M,) if scale == "smoke" else (M, 2)
    cases: list[Case] = []
    for labels in enough:
        cell = taught(scale, labels=labels)
        cases += [
            Case(f"{labels} labels: least correlation", "holds", cell, "least_cca",
                 ("at_least", correlation)),
            Case(f"{labels} labels: tie", "holds", cell, "tie", ("at_most", tied)),
        ]  # fmt: skip
    for labels in few:
        cell = taught(scale, labels=labels)
        lost = f"{labels} labels are told apart by {labels - 1} of {M} directions"
        cases += [
            Case(f"{labels} labels: least correlation", "breaks", cell, "least_cca",
                 ("at_most", 0.7), breaks=lost),
            Case(f"{labels} labels: tie", "breaks", cell, "tie", ("at_least", 0.3), breaks=lost),
            Case(f"{labels} labels: tie where logits reach", "holds", cell, "tie_subspace",
                 ("at_most", tied)),
        ]  # fmt: skip
    if scale != "smoke":
        flat = "one direction tells labels apart three hundred times less than another"
        near, nearer = (taught(scale, labels=18, flatness=x) for x in (10.0, 300.0))
        cases += [
            Case("condition 10: tie", "holds", near, "tie", ("at_most", tied)),
            Case("condition 300: tie", "breaks", nearer, "tie", ("at_least", 0.3), breaks=flat),
            Case("condition 300: least correlation", "breaks", nearer, "least_cca",
                 ("at_most", 0.7), breaks=flat),
            Case("condition 300: predictions agree", "holds", nearer, "kl_share",
                 ("at_most", tied / 10)),
        ]  # fmt: skip
    return tuple(cases)


def members_cases(scale: Scale) -> tuple[Case, ...]:
    """N-pair, contrastive prediction of vectors, and classes that are clusters."""
    correlation, share, tied = bounds(scale)

    def paired(objective: Any, d_out: int = M) -> Twins:
        return Twins(half_shared, partial(stretched, d_out=d_out), objective, recipe(scale))

    one, two = paired(n_pair), paired(partial(cpc, d_out=M))
    wide = paired(partial(cpc, d_out=M + 2), M + 2)
    many, few = (
        labelled(scale, partial(gathered, labels=k), labels=k, m=2 * M) for k in (10 * M, 2 * M)
    )
    cases = (
        Case("N-pair: f through a rotation", "holds", one, "r2_orthogonal", ("at_least", share)),
        Case("N-pair: both maps tied", "holds", one, "tie", ("at_most", tied)),
        Case("CPC: f through a linear map", "holds", two, "r2_linear", ("at_least", share)),
        Case("CPC: g through an affine map", "holds", two, "r2_g_affine", ("at_least", share)),
        Case("CPC: both maps tied", "holds", two, "tie", ("at_most", tied)),
        Case("CPC: f through a rotation", "breaks", two, "r2_orthogonal", ("at_most", 0.9),
             breaks="f and g are apart, so that one can be stretched where the other is shrunk"),
        Case("classes: least correlation", "holds", many, "least_cca", ("at_least", correlation)),
        Case("classes: f through a linear map", "holds", many, "r2_linear", ("at_least", share)),
        Case("CPC, codes wider than what positives share", "breaks", wide, "least_cca",
             ("at_most", 0.7), breaks="codes of g vary in fewer directions than they have columns"),
        Case("as many classes as dimensions", "breaks", few, "least_cca", ("at_most", 0.7),
             breaks="the centres' differences span one direction less than the codes"),
    )  # fmt: skip
    return cases[:-2] if scale == "smoke" else cases


DIFFERS = (
    "2,000 steps of Muon on batches of 512, fresh rows at every step, in place of 50,000 of Adam; "
    "scores are held out; rows of g start small."
)

CLAIMS = (
    Claim(
        name="roeder2021.classification",
        paper=PAPER,
        says="Classifiers trained twice on labels that a model of their own kind drew end with "
        "codes that are linear maps of each other, given more labels than dimensions.",
        assumptions=(LABELLED, DIVERSE_LABELS),
        cases=classification_cases,
        differs=DIFFERS + " The teacher learns the sectors for 1,000 steps (two labels: 300), "
        "not to convergence, and "
        "its labels are drawn, not its likeliest; g is a table of labels, not a network; the code "
        "follows two layers of 64, since the order of layers is not given. With rows of g ten "
        "times as large at the start, of teacher and students, one pair of three ended with "
        "sectors in different orders: predictions 0.4 nats apart, mean correlation 0.89.",
    ),
    Claim(
        name="roeder2021.heads",
        paper=PAPER,
        says="Without data, the differences of g alone give the map A between the f of two models "
        "that predict alike; the g are related by its inverse transpose and a shift, and with "
        "biases the f are shifted too.",
        assumptions=(LABELLED, DIVERSE_LABELS),
        cases=heads_cases,
        differs=DIFFERS + " Nothing of the kind was measured; the shift of g and the biases are "
        "corrections of the published statement.",
    ),
    Claim(
        name="roeder2021.diversity",
        paper=PAPER,
        says="The differences of g must span all M dimensions: M + 1 labels can do it, M cannot, "
        "and what they do not span stays open.",
        assumptions=(LABELLED, DIVERSE_LABELS),
        cases=diversity_cases,
        differs=DIFFERS + " Not measured in the paper. At condition 300 the theorem still holds, "
        "but this budget does not show the last direction: predictions agree without it. Two-way "
        "R² of f, pooled over columns, stays above 0.99 in every control, since what is left open "
        "hardly varies; the tie and the least correlation see it.",
    ),
    Claim(
        name="roeder2021.members",
        paper=PAPER,
        says="The same holds for every member of the family: N-pair codes up to a rotation, since "
        "f = g there, contrastive prediction and classification up to a linear map.",
        assumptions=(PAIRED, LABELLED, DIVERSE_LABELS),
        cases=members_cases,
        differs=DIFFERS + " Vectors from a leaky network in place of patches of CIFAR-10, of which "
        "only a figure is published; N-pair was not measured in the paper.",
    ),
)
