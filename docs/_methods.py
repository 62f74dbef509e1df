"""The table of methods, from the estimators themselves."""

from __future__ import annotations

from _docstrings import cell

from coset.estimators import METHODS


def methods_table() -> str:
    """Method, estimator, what it learns from, what its codes are determined up to."""
    rows = [
        f"| `{name}` | `{kind.__name__}` | {cell(kind.learns_from)} | {cell(kind.up_to)} |\n"
        for name, kind in METHODS.items()
    ]
    head = "| method | estimator | learns from | codes are determined up to |\n|---|---|---|---|\n"
    return head + "".join(rows)
