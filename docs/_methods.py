"""The methods, from the estimators themselves."""

from __future__ import annotations

from dataclasses import fields

from _docstrings import arguments, cell, references, safe, sections

from coset.estimators import METHODS
from coset.estimators._trained import AbstractTrained


def method_parts() -> dict[str, str]:
    """The generated parts of the page on estimators, by name."""
    return {"methods": _table(), "shared": _shared(), "each": _each()}


def _table() -> str:
    """Method, estimator, what it learns from, what its codes are determined up to."""
    rows = [
        f"| `{name}` | [`{kind.__name__}`](#{kind.__name__.lower()}) | {cell(kind.learns_from)} "
        f"| {cell(kind.up_to)} |\n"
        for name, kind in METHODS.items()
    ]
    head = "| method | estimator | learns from | codes are determined up to |\n|---|---|---|---|\n"
    return head + "".join(rows)


def _shared() -> str:
    """The parameters of every method that trains an encoder, with their defaults."""
    defaults = {field.name: field.default for field in fields(AbstractTrained)}
    said = arguments(sections(AbstractTrained)["Args"]).splitlines()
    lines = []
    for line in said:
        name = line.partition("`")[2].partition("`")[0]
        lines.append(f"{line} Default: `{defaults[name]!r}`.\n")
    return "".join(lines)


def _each() -> str:
    """Each estimator in its own words."""
    found = []
    for kind in METHODS.values():
        parts = sections(kind)
        own = arguments(parts.get("Args", ""))
        found.append(
            f"### {kind.__name__}\n\n{safe(parts[''])}\n\n"
            + (f"{own}\n\n" if own else "")
            + f"After: {references(parts['References'])}.\n"
        )
    return "\n".join(found)
