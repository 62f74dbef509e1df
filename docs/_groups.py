"""The ladder, from the groups themselves."""

from __future__ import annotations

from typing import Any

from _docstrings import NOTICE, cell, references, safe, sections

from coset.groups import LADDER, MomentGroup, looser
from coset.report._rungs import KNOWN

INTRODUCTION = """# Groups: the "up to" of a verdict

A group is a class of maps. `compare` fits the best map of every group, both ways, and scores it on
rows that the fit has not seen. From strict to loose:

"""

ORDER = """
The order is partial: an arrow leads from a group to those that contain it directly.

```mermaid
graph LR
{edges}
```

A comparison can therefore have two verdicts at once, such as *componentwise* and *affine*, neither
of which contains the other. A group is *minimal* when it holds and no group inside it does.

"""


def ladder_table() -> str:
    """A table of all rungs."""
    rows = ["| group | b = … | if this holds |\n|---|---|---|\n"]
    for name, group in LADDER.items():
        form = cell(group.says.removeprefix("b = "))
        rows.append(f"| {name} | {form} | {cell(KNOWN[name].meaning)} |\n")
    return "".join(rows)


def groups_page() -> str:
    """The whole page."""
    edges = "\n".join(f"  {a} --> {b}" for a, group in LADDER.items() for b in group.inside)
    entries = "".join(_entry(name, group) for name, group in LADDER.items())
    return NOTICE + INTRODUCTION + ladder_table() + ORDER.format(edges=edges) + entries


def _entry(name: str, group: Any) -> str:
    rows = isinstance(group, MomentGroup)
    inside = ", ".join(sorted(looser(name), key=list(LADDER).index))
    facts = [
        safe(sections(type(group))[""]),
        f"Fit: {safe(sections(type(group).fit_both)[''])}",
        "Scored on all rows, from second moments."
        if rows
        else "Scored on the sampled rows (`sample`, 4,096 by default).",
        f"Contained in: {inside}." if inside else "Contains every other group.",
    ]
    if group.cite:
        facts.append(f"Literature: {references(group.cite)}.")
    return f"## {name}\n\n" + "\n\n".join(facts) + "\n\n"
