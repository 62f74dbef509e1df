"""Cross-entropy inverts the data-generating process: labels of classes, and of instances."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import PRNGKeyArray

from .._assumptions import CLUSTERED, INJECTIVE, LABELLED, SPANNING_CENTRES
from .._claim import Case, Claim, Scale
from .._recipe import Recipe
from .._run import Trial, View
from ..objectives import CrossEntropy, FreeHead, UnitHead
from ..worlds import clusters
from ._budgets import budget, encoder
from ._measures import LinearR2, linear_r2

PAPER = "reizinger2024_cross_entropy"
SUPERVISED, DIET = "Table 3 (supervised)", "Table 2 (DIET)"
Z = LinearR2()
PUBLISHED = Recipe(batch=1024, steps=50_000, kind="adam", rate=1e-3, schedule="constant")


@dataclass(frozen=True)
class CentresR2:
    """Centres of the labels from the rows of the head, by least squares."""

    name: str = "r2_centres"

    def __call__(self, view: View) -> float:
        """The score of one seed; where labels are instances, a centre stands for each of them."""
        if view.objective is None:
            return float("nan")
        rows = np.asarray(view.objective.head.rows, dtype=float)
        centres = np.asarray(view.world.latents.centres, dtype=float)
        return linear_r2(rows, centres[np.arange(len(rows)) % len(centres)], in_sample=True)


@dataclass(frozen=True)
class Stretch:
    """Distance of the linear map from codes to latents from a multiple of a rotation: the mean of
    |σ_i / mean σ - 1| over its singular values.
    """

    name: str = "stretch"

    def __call__(self, view: View) -> float:
        """The score of one seed."""
        latent, codes = view.latent, view.codes
        if codes.shape[1] != latent.shape[1]:
            return float("nan")
        centred = codes - codes.mean(0)
        map_, *_ = np.linalg.lstsq(centred, latent - latent.mean(0), rcond=None)
        sizes = np.linalg.svd(map_, compute_uv=False)
        return float(np.mean(np.abs(sizes / sizes.mean() - 1)))


V = CentresR2()
STRETCH = Stretch()


def cross_entropy(key: PRNGKeyArray, *, labels: int, d: int, unit: bool) -> CrossEntropy:
    """A head with a row for each label, free or of unit rows."""
    head = UnitHead if unit else FreeHead
    return CrossEntropy(head(key, labels, d))


def trial(
    scale: Scale,
    *,
    instances: int | None = None,
    unit: bool = False,
    head: str = "free",
    recipe: Recipe | None = None,
    **world: Any,
) -> Trial:
    """A world of clusters on the sphere; labels are classes, or instances where they are given."""
    settings: dict[str, Any] = {"d": 5, "classes": 100, "kappa": 10.0, **world}
    d, classes = settings["d"], settings["classes"]
    if scale == "paper":
        recipe = PUBLISHED
    made = partial(
        cross_entropy, labels=classes if instances is None else instances, d=d, unit=unit
    )
    return Trial(
        world=partial(clusters, instances=instances, **settings),
        encoder=encoder(scale, d, head=head),
        objective=made,
        recipe=recipe or budget(scale, steps=3000, batch=1024),
        measures=(Z, V, STRETCH),
        breaking=frozenset({SPANNING_CENTRES} if classes <= d else ()),
    )


ROWS: dict[str, dict[str, Any]] = {
    "d = 5, 100 classes, κ = 10": {},
    "d = 10": {"d": 10},
    "1000 classes": {"classes": 1000},
    "κ = 5": {"kappa": 5.0},
    "normal law": {"law": "normal"},
    "Laplace law": {"law": "laplace"},
    "d = 20": {"d": 20},
    "10 classes": {"classes": 10},
    "κ = 50": {"kappa": 50.0},
}
HARD = ("d = 20", "10 classes", "κ = 50")
"""Rows that the paper shows failing although the theorem covers them: under 0.9 for one head."""
MISSPECIFIED = "Laplace law"
MOST_CLASSES, MOST_INSTANCES = "10000 classes", "100000 instances"
LARGE: dict[str, dict[str, Any]] = {
    MOST_CLASSES: {"classes": 10_000}, MOST_INSTANCES: {"instances": 100_000},
}  # fmt: skip
"""Rows at the scale of the paper alone."""
SUPERVISED_Z = {
    "d = 5, 100 classes, κ = 10": 0.998, "d = 10": 0.972, "1000 classes": 0.998, "κ = 5": 0.997,
    "normal law": 0.996, "Laplace law": 0.854, "d = 20": 0.821, "10 classes": 0.975,
    "κ = 50": 0.655, MOST_CLASSES: 0.998,
}  # fmt: skip
DIET_Z = {
    "d = 5, 100 classes, κ = 10": (0.986, 0.990), "d = 10": (0.925, 0.930),
    "1000 classes": (0.993, 0.992), "κ = 5": (0.986, 0.990), "normal law": (0.987, 0.986),
    "Laplace law": (0.852, 0.854), "d = 20": (0.708, 0.819), "10 classes": (0.886, 0.900),
    "κ = 50": (0.450, 0.725), MOST_INSTANCES: (0.982, 0.997),
}  # fmt: skip
DIET_V = {
    "d = 5, 100 classes, κ = 10": (0.999, 0.999), "d = 10": (0.996, 0.996),
    "1000 classes": (0.999, 0.999), "κ = 5": (0.999, 0.998), "normal law": (0.998, 0.996),
    "Laplace law": (0.997, 0.995), "d = 20": (0.971, 0.997), "10 classes": (0.857, 0.990),
    "κ = 50": (0.497, 0.755), MOST_INSTANCES: (0.995, 0.998),
}  # fmt: skip


def longer(scale: Scale, name: str, steps: int) -> Recipe:
    """More steps where there are more dimensions."""
    return budget(scale, steps=8000 if name == "d = 10" else steps, batch=1024)


def rows_of(scale: Scale, largest: str) -> list[str]:
    """The rows shown at a scale: one, those that a budget of minutes brings home, or all."""
    easy = [name for name in ROWS if name not in (*HARD, MISSPECIFIED)]
    return {"smoke": easy[:1], "small": easy, "paper": [*easy, *HARD, largest]}[scale]


def supervised_cases(scale: Scale) -> tuple[Case, ...]:
    """Labels are classes; a control has too few of them to span the space."""
    shown = rows_of(scale, MOST_CLASSES)
    bound = 0.8 if scale == "smoke" else 0.95
    cells = {
        n: trial(scale, recipe=longer(scale, n, 3000), **LARGE.get(n, ROWS.get(n, {})))
        for n in shown
    }
    few = trial(scale, classes=4)
    odd = trial(scale, **ROWS[MISSPECIFIED])
    return (
        *(
            Case(f"{name}: z", "holds", cell, Z.name,
                 ("at_least", bound), SUPERVISED_Z[name], SUPERVISED)
            for name, cell in cells.items()
        ),
        Case("4 classes in 5 dimensions", "breaks", few, Z.name, ("at_most", 0.9),
             breaks="four centres do not span five dimensions"),
        Case(f"{MISSPECIFIED}: z", "breaks", odd, Z.name, ("at_most", 0.95),
             SUPERVISED_Z[MISSPECIFIED], SUPERVISED,
             breaks="latents do not follow a von Mises-Fisher law around their centre"),
    )  # fmt: skip


def diet_cases(scale: Scale) -> tuple[Case, ...]:
    """Labels are instances, a thousand of them; both heads, latents and centres."""
    shown = rows_of(scale, MOST_INSTANCES)
    bound = 0.75 if scale == "smoke" else 0.95
    cases: list[Case] = []
    for name in shown:
        recipe = longer(scale, name, 2000)
        least = 0.9 if name == "d = 10" else bound
        for index, (kind, unit) in enumerate((("unit rows", True), ("free rows", False))):
            if scale == "smoke" and not unit:
                continue
            world = {"instances": 1000, **{**ROWS, **LARGE}[name]}
            cell = trial(scale, unit=unit, recipe=recipe, **world)
            cases += [
                Case(f"{name}, {kind}: z", "holds", cell, Z.name, ("at_least", least),
                     DIET_Z[name][index], DIET),
                Case(f"{name}, {kind}: v", "holds", cell, V.name, ("at_least", least),
                     DIET_V[name][index], DIET),
            ]  # fmt: skip
    few = trial(scale, instances=1000, classes=4, recipe=longer(scale, "", 2000))
    cases.append(
        Case("4 centres in 5 dimensions", "breaks", few, Z.name, ("at_most", 0.9),
             breaks="four centres do not span five dimensions")
    )  # fmt: skip
    return tuple(cases)


def hard_cases(scale: Scale) -> tuple[Case, ...]:
    """The rows that are published as failing, and tight clusters on spheres: with rows and codes of
    one length, neighbouring classes pin down those that are never mistaken for one another.
    """
    recipe = budget(scale, steps=8000, batch=1024)
    bound = 0.72 if scale == "smoke" else 0.95
    tight = ROWS["κ = 50"]
    spheres = trial(scale, recipe=recipe, unit=True, head="ball", **tight)
    cases = [
        Case("κ = 50, codes and rows on spheres: z", "holds", spheres, Z.name, ("at_least", bound),
             SUPERVISED_Z["κ = 50"], f"{SUPERVISED}, free codes and rows")
    ]  # fmt: skip
    if scale != "smoke":
        cases.append(
            Case("10 classes: z", "holds", trial(scale, recipe=recipe, **ROWS["10 classes"]),
                 Z.name, ("at_least", bound), SUPERVISED_Z["10 classes"], SUPERVISED)
        )  # fmt: skip
    return tuple(cases)


def short_cases(scale: Scale) -> tuple[Case, ...]:
    """Rows that a budget of minutes does not bring home."""
    recipe = budget(scale, steps=6000, batch=1024)
    bound = 0.72 if scale == "smoke" else 0.95
    shown = ("κ = 50",) if scale == "smoke" else ("κ = 50", "d = 20")
    return tuple(
        Case(f"{name}: z", "holds", trial(scale, recipe=recipe, **ROWS[name]), Z.name,
             ("at_least", bound), SUPERVISED_Z[name], SUPERVISED)
        for name in shown
    )  # fmt: skip


DIFFERS = (
    "Three hidden layers of 128 without batch normalisation and Muon on batches of 1,024, 3,000 "
    "steps, in place of six hidden layers of up to 250 with batch normalisation and Adam, 50,000 "
    "steps; both regressions have an intercept."
)
ASSUMPTIONS = (LABELLED, CLUSTERED, SPANNING_CENTRES, INJECTIVE)

CLAIMS = (
    Claim(
        name="reizinger2024_cross_entropy.supervised",
        paper=PAPER,
        says="Where latents gather on the sphere around one centre for each class, a classifier "
        "that minimises the cross-entropy recovers them up to a linear map.",
        assumptions=ASSUMPTIONS,
        cases=supervised_cases,
        differs=DIFFERS + " 8,000 steps for ten dimensions.",
    ),
    Claim(
        name="reizinger2024_cross_entropy.diet",
        paper=PAPER,
        says="The same holds where every instance is a class of its own: latents and centres are "
        "recovered up to linear maps, whether the head's rows are free or of unit length.",
        assumptions=ASSUMPTIONS,
        cases=diet_cases,
        differs=DIFFERS + " 2,000 steps here, 8,000 for ten dimensions.",
    ),
    Claim(
        name="reizinger2024_cross_entropy.hard",
        paper=PAPER,
        says="With codes and rows of the head on spheres latents are recovered from tight clusters "
        "too, and with more steps from few classes, where the paper's runs fall short.",
        assumptions=ASSUMPTIONS,
        cases=hard_cases,
        differs=DIFFERS + " 8,000 steps here.",
    ),
    Claim(
        name="reizinger2024_cross_entropy.short",
        paper=PAPER,
        says="The theorem covers tight clusters and many dimensions with free codes too; this "
        "budget does not show it, nor does the paper's.",
        assumptions=ASSUMPTIONS,
        cases=short_cases,
        differs=DIFFERS + " 6,000 steps here. At κ = 50 classes that are no neighbours are never "
        "mistaken for one another, so little pulls their logits into place: two of three seeds "
        "reach 0.99, one stays at 0.76, after 8,000 steps as well; with unit rows and codes all of "
        "them reach 0.98 to 0.99. At d = 20 it is a matter of samples: batches of 4,096 reach 0.70 "
        "after 2,000 steps, 0.80 after 5,000 and 0.86 after 10,000, still rising (H200).",
    ),
)
