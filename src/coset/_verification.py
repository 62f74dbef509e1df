"""Verdicts on several claims, and the runs that they rest on."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from ._claim import Claim, Run, Scale
from ._verdict import Verdict
from .sweep import as_stored

SCHEMA = 1
RESULTS, PAGE = "results.json", "index.html"
"""Files of a verification beside its runs."""
FIRST = ("name", "role", "metric", "score", "low", "high", "bound", "published", "untrained",
         "raw", "seeds", "seconds")  # fmt: skip
"""Of a case: what scripts rely on; the rest follows."""


@dataclass(frozen=True, eq=False, repr=False)
class Verification:
    """What running claims found: their verdicts in the order of the claims."""

    verdicts: tuple[Verdict, ...]
    claims: tuple[Claim, ...]
    runs: Mapping[str, Run]
    """Of every cell, by its fingerprint; several cases may share one."""
    scale: Scale
    seeds: tuple[int, ...]
    command: str | None = None
    created: str = field(
        default_factory=lambda: datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    )

    @property
    def ok(self) -> bool:
        """Is every claim supported?"""
        return all(verdict.status == "supported" for verdict in self.verdicts)

    @property
    def sentence(self) -> str:
        """How many claims are supported, and which are not."""
        good = sum(verdict.status == "supported" for verdict in self.verdicts)
        many = len(self.verdicts)
        said = f"{good} of {many} claim{'s' * (many != 1)} supported"
        others = [f"{one.name} is {one.status}" for one in self if one.status != "supported"]
        return said + (f": {', '.join(others)}." if others else ".")

    def to_dict(self, *, runs: bool = False) -> dict[str, Any]:
        """Everything as plain JSON values; the runs, with their curves, where they are asked for.

        Args:
            runs: the page shows them, scripts rarely want them.
        """
        found: dict[str, Any] = {
            "schema": SCHEMA,
            "scale": self.scale,
            "claims": [
                _claim(verdict, claim)
                for verdict, claim in zip(self.verdicts, self.claims, strict=True)
            ],
            "kind": "verification",
            "sentence": self.sentence,
            "seeds": list(self.seeds),
            "version": version("coset"),
            "command": self.command,
            "created": self.created,
        }
        if runs:
            found["runs"] = {name: as_stored(run.to_dict()) for name, run in self.runs.items()}
        return found

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write the page: one self-contained file."""
        from .report import write_page

        write_page(self.to_dict(runs=True), path)

    def __iter__(self) -> Iterator[Verdict]:
        return iter(self.verdicts)

    def __len__(self) -> int:
        return len(self.verdicts)

    def __repr__(self) -> str:
        lines = [f"  {one.name}: {one.status}, {one.reason}" for one in self.verdicts]
        return "\n".join([self.sentence, *lines])


def _claim(verdict: Verdict, claim: Claim) -> dict[str, Any]:
    found = verdict.to_dict()
    first = {name: found.pop(name) for name in ("name", "paper", "status", "cases")}
    first["cases"] = [
        {**{name: case[name] for name in FIRST}, **case} for case in first["cases"]
    ]  # fmt: skip
    assumptions = [{"name": one.name, "says": one.says} for one in claim.assumptions]
    return {**first, **found, "assumptions": assumptions}
