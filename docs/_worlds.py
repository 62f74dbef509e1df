"""The lists of the laboratory, from the code: worlds and their parts, objectives, assumptions."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from _docstrings import cell, sections

from coset import _assumptions, encoders, objectives, worlds
from coset._core import Assumption
from coset._lab import AbstractEncoder, AbstractObjective
from coset.encoders import AbstractHead
from coset.objectives import (
    CONTENT,
    MODULATION,
    AbsoluteDifference,
    AbstractEntropy,
    AbstractLabelHead,
    AbstractLogVariance,
    AbstractPairRegression,
    AbstractPrior,
    AbstractSimilarity,
    AbstractStatistics,
    AdaGvae,
    AlignMaxEnt,
    Anisotropic,
    AuxiliaryContrast,
    Canonical,
    Cosine,
    CrossEntropy,
    Dot,
    Elbo,
    FreeHead,
    InfoNCE,
    IVae,
    LabelTable,
    LAlpha,
    PermutationContrast,
    Powers,
    Quadratic,
    SameForAll,
    SlowVae,
)
from coset.worlds import (
    WORLDS,
    AbstractLatents,
    AbstractMixing,
    AbstractNoise,
    AbstractPairing,
    AbstractSpace,
)

FAMILIES: dict[str, tuple[tuple[ModuleType, type, str], ...]] = {
    "parts": (
        (worlds, AbstractSpace, "space"),
        (worlds, AbstractLatents, "latents"),
        (worlds, AbstractNoise, "noise"),
        (worlds, AbstractPairing, "pairing"),
        (worlds, AbstractMixing, "mixing"),
    ),
    "encoders": ((encoders, AbstractEncoder, "encoder"), (encoders, AbstractHead, "head")),
    "objectives": (
        (objectives, AbstractObjective, "objective"),
        (objectives, AbstractSimilarity, "similarity"),
        (objectives, AbstractLabelHead, "head"),
        (objectives, AbstractEntropy, "entropy"),
        (objectives, AbstractPrior, "prior"),
        (objectives, AbstractLogVariance, "spread"),
        (objectives, AbstractPairRegression, "regression"),
        (objectives, AbstractStatistics, "statistics"),
    ),
}


def lists() -> dict[str, str]:
    """Every generated part of laboratory.md, by the name of its marker."""
    members = {name: _members(families) for name, families in FAMILIES.items()}
    return {"worlds": _worlds(), **members, "assumptions": _table_of_assumptions()}


def _worlds() -> str:
    rows = (f"| `{name}` | {_first(world)} |\n" for name, world in WORLDS.items())
    return "| world | draws |\n|---|---|\n" + "".join(rows)


def _members(families: tuple[tuple[ModuleType, type, str], ...]) -> str:
    rows = (
        f"| `{thing.__name__}` | {kind} | {_first(thing)} |\n"
        for room, base, kind in families
        for thing in _final(room, base)
    )
    return "| name | is a | |\n|---|---|---|\n" + "".join(rows)


def _final(room: ModuleType, base: type) -> Iterator[type]:
    for name in room.__all__:
        thing = getattr(room, name)
        if inspect.isclass(thing) and issubclass(thing, base) and not inspect.isabstract(thing):
            yield thing


def _table_of_assumptions() -> str:
    met = {name: world(0).satisfies for name, world in WORLDS.items()}
    asked = _asked()
    rows = ["| assumption | says | worlds that meet it | objectives that need it |\n"]
    rows.append("|---|---|---|---|\n")
    for one in _assumptions_known():
        having = ", ".join(f"`{name}`" for name, found in met.items() if one in found)
        needing = _joined([name for name, found in asked.items() if one in found])
        rows.append(f"| {one.name} | {cell(one.says)} | {having or '–'} | {needing or '–'} |\n")
    return "".join(rows)


def _assumptions_known() -> list[Assumption]:
    """In the order of their file; of the powers, those that worlds have or theorems name."""
    named = [one for one in vars(_assumptions).values() if isinstance(one, Assumption)]
    return [*named, *(_assumptions.l_alpha(alpha) for alpha in (1, 2, 3))]


def _asked() -> dict[tuple[str, str], frozenset[Assumption]]:
    """What an objective needs, by its name and the option that decides."""
    import jax
    import jax.numpy as jnp

    head = FreeHead(jax.random.key(0), 4, 3)
    similarities = {
        "Dot": Dot(),
        "Cosine": Cosine(),
        **{f"LAlpha({alpha})": LAlpha(alpha) for alpha in (1, 2, 3)},
        "Anisotropic": Anisotropic(3),
        "Quadratic": Quadratic(3),
    }
    auxiliary = AuxiliaryContrast(Powers(2), LabelTable(jax.random.key(0), 4, 7), jnp.sum)
    spread = SameForAll(3)
    fresh = InfoNCE(negatives="fresh").needs - InfoNCE().needs
    return {
        **{("InfoNCE", name): InfoNCE(one).needs for name, one in similarities.items()},
        ("InfoNCE", "theory=CONTENT"): InfoNCE(theory=CONTENT).needs,
        ("InfoNCE", 'negatives="fresh"'): fresh,
        ("AlignMaxEnt", ""): AlignMaxEnt().needs,
        ("CrossEntropy", "theory=None"): CrossEntropy(head).needs,
        ("CrossEntropy", "theory=MODULATION"): MODULATION,
        ("PermutationContrast", ""): PermutationContrast(AbsoluteDifference(3)).needs,
        ("AuxiliaryContrast", ""): auxiliary.needs,
        ("Elbo", ""): Elbo(jnp.sum, spread).needs,
        ("IVae", ""): IVae(jnp.sum, spread, labels=4, d=3).needs,
        ("SlowVae", ""): SlowVae(jnp.sum, spread).needs,
        ("AdaGvae", ""): AdaGvae(jnp.sum, spread).needs,
        ("Canonical", '"labels"'): Canonical(head, "labels").needs,
        ("Canonical", '"batch"'): Canonical(None, "batch").needs,
    }


def _joined(names: list[tuple[str, str]]) -> str:
    """Each objective once, its options behind it."""
    options: dict[str, list[str]] = {}
    for objective, option in names:
        options.setdefault(objective, []).append(option)
    shown = (
        f"`{objective}`" + (f" ({', '.join(found)})" if any(found) else "")
        for objective, found in options.items()
    )
    return "; ".join(shown)


def _first(thing: Any) -> str:
    return cell(sections(thing)[""].partition("\n")[0])
