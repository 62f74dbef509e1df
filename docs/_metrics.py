"""Every metric of the library, from its docstring."""

from __future__ import annotations

import inspect
from typing import Any

from _docstrings import NOTICE, arguments, references, returned, safe, sections

from coset import metrics

FAMILIES = {
    "Similarity of two codes": (
        "Row i of `a` and of `b` is the same thing. `compare` prints most of these beside the "
        "verdict.",
        "cca svcca pwcca cka procrustes mcc r2 rsa knn_overlap neighbours recall",
    ),
    "Chance and intervals": (
        "For any metric, these or your own.",
        "chance chance_layers interval",
    ),
    "Codes against known latents": (
        "Latents first, codes second. `score` gives them all at once, as `coset score` does.",
        "score dci dci_from_importances mig sap modularity irs infomec explicitness beta_vae "
        "factor_vae",
    ),
    "Jacobians": ("Of a map from latents to observations, known or learned.", "ima_contrast"),
    "Second moments, for any number of rows": (
        "The states behind the one pass: update in place, merge in any tree, ask for the scores of "
        "the first family that second moments determine.",
        "Moments Factors",
    ),
}

INTRODUCTION = """# Metrics

Each metric is a plain function of two arrays that returns a small object: `float(score)` is the
number, its other fields are named below. Everything is computed in float64. Invariance, chance and
what other implementations do differently stand in the text of each.

"""


def metrics_page() -> str:
    """The whole page."""
    families = {title: names.split() for title, (_, names) in FAMILIES.items()}
    missing = set(metrics.__all__) ^ {name for names in families.values() for name in names}
    if missing:
        raise SystemExit(f"docs/_metrics.py: FAMILIES and coset.metrics differ in {missing}")
    parts = [NOTICE, INTRODUCTION]
    for title, names in families.items():
        links = ", ".join(f"[`{name}`](#{name.lower()})" for name in names)
        parts.append(f"- **{title}**: {links}\n")
    for title, names in families.items():
        parts.append(f"\n## {title}\n\n{FAMILIES[title][0]}\n")
        parts += [_entry(name, getattr(metrics, name)) for name in names]
    return "".join(parts)


def _entry(name: str, thing: Any) -> str:
    said = sections(thing)
    call = f"coset.metrics.{name}{_signature(thing)}"
    parts = [f"### {name}\n", f"```text\n{call}\n```\n", safe(said[""]) + "\n"]
    if "Args" in said:
        parts.append(arguments(said["Args"]) + "\n")
    if inspect.isfunction(thing) and (fields := returned(thing)):
        parts.append(f"Returns: {fields}\n")
    if "Example" in said:
        parts.append(f"```pycon\n{said['Example']}\n```\n")
    if "References" in said:
        parts.append(f"Literature: {references(said['References'])}.\n")
    return "\n" + "\n".join(parts)


def _signature(thing: Any) -> str:
    given = inspect.signature(thing)
    bare = [p.replace(annotation=p.empty) for p in given.parameters.values()]
    return str(given.replace(parameters=bare, return_annotation=given.empty))
