"""What `compare` returns."""

from __future__ import annotations

import datetime
import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..groups import LADDER
from ..metrics._cca import CCA
from ._anatomy import chance_correlations, held_out_correlations, residuals_of
from ._measures import DRAWS, FEW_DRAWS, Detail, details_of
from ._pass import Summary
from ._rungs import Rung
from ._search import Curve, Search, learning_curve, search_of
from ._tie import Tie
from ._verdict import Verdict

SCHEMA = 1
LEAST_P = {1 / (1 + draws) for draws in (DRAWS, FEW_DRAWS)}
"""What p-values are where no draw came up to the measure: they may be smaller."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Up to what two codes agree, how sure that is, and the maps between them.

    What costs more than the verdict (intervals of the measures, recall, learning curve, residuals)
    is worked out when it is first asked for, from what the one pass kept.
    """

    groups: Mapping[str, Rung]
    """Every rung of the ladder, strict to loose."""
    measures: Mapping[str, float]
    """The measures of the literature; `details` has their intervals and chance levels."""
    threshold: float
    level: float
    settings: Mapping[str, Any]
    heads: Tie | None
    """The tie between both functions of the canonical form, where heads were given."""
    _verdict: Verdict = field(repr=False)
    _summary: Summary = field(repr=False)
    _cca: CCA = field(repr=False)
    _notes: Mapping[str, str] = field(repr=False)
    _row_numbers: NDArray[np.intp] = field(repr=False)

    @property
    def verdict(self) -> tuple[str, ...]:
        """The minimal groups that hold; () when none does."""
        return self._verdict.groups

    @property
    def undetermined(self) -> bool:
        """True when there are too few rows to tell; the verdict is then ()."""
        return self._verdict.undetermined

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        return self._verdict.sentence

    @property
    def hints(self) -> tuple[str, ...]:
        """What to look at next."""
        return self._verdict.hints

    @property
    def route(self) -> str:
        """How moments were found: "gram" (one pass) or "exact" (for ill-conditioned data)."""
        return self._cca.route

    @property
    def saturated(self) -> bool:
        """Are canonical correlations of 1 forced by the number of columns?"""
        return self._cca.saturated

    @property
    def best(self) -> str:
        """The first minimal group that holds, or else the one that comes closest."""
        if self.verdict:
            return self.verdict[0]
        return max(self.groups.values(), key=lambda rung: rung.r2).name

    @cached_property
    def details(self) -> Mapping[str, Detail]:
        """Interval, chance and p-value of each measure."""
        return details_of(self._summary, self.measures, self._notes, self.level)

    @cached_property
    def search(self) -> Search | None:
        """Recall of the old index under new queries, before and after alignment."""
        return search_of(self._summary, self.best)

    @cached_property
    def learning_curve(self) -> Curve | None:
        """How many rows the map needs."""
        return learning_curve(self._summary, self.best)

    def meets(self, expected: str) -> bool:
        """Does this group hold, or a stricter one that it contains?"""
        from ..groups import group, looser

        group(expected)
        return any(expected == name or expected in looser(name) for name in self.verdict)

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain JSON values (None where a number is not defined)."""
        summary = self._summary
        best = self.groups[self.best]
        residuals = residuals_of(summary, self.best, self._row_numbers)
        return _plain({
            "schema": SCHEMA,
            "kind": "comparison",
            "version": _version(),
            "command": self.settings.get("command"),
            "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "a": self._side(0),
            "b": self._side(1),
            "rows": summary.deal.rows,
            "threshold": self.threshold,
            "folds": summary.deal.folds,
            "seed": summary.deal.seed,
            "level": self.level,
            "verdict": list(self.verdict),
            "undetermined": self.undetermined,
            "related": None if self.undetermined else self._verdict.related,
            "sentence": self.sentence,
            "hints": list(self.hints),
            "route": self.route,
            "saturated": self.saturated,
            "sampled_rows": len(summary.sampled),
            "groups": {name: self._rung(rung) for name, rung in self.groups.items()},
            "measures": dict(self.measures),
            "measure_details": {
                name: {**asdict(detail), "p_least": detail.p_value in LEAST_P}
                for name, detail in self.details.items()
            },
            "correlations": {
                "in_sample": self._cca.correlations,
                "held_out": held_out_correlations(summary),
                "chance": chance_correlations(summary),
            },
            "columns": {"group": best.name, "ab": best.columns_ab, "ba": best.columns_ba},
            "residuals": residuals and {"group": best.name, **residuals.to_dict()},
            "search": self.search and asdict(self.search),
            "learning_curve": self.learning_curve and asdict(self.learning_curve),
            "heads": self.heads and self.heads.to_dict(),
            "settings": dict(self.settings),
        })  # fmt: skip

    def _side(self, k: int) -> dict[str, Any]:
        return {
            "name": self._summary.names[k],
            "rows": self.settings["rows_b" if k else "rows_a"],
            "columns": (self._summary.b if k else self._summary.a).shape[1],
            "rank": self._cca.ranks[k],
        }

    def _rung(self, rung: Rung) -> dict[str, Any]:
        return {
            "says": rung.says,
            "r2": rung.r2,
            "r2_ab": rung.r2_ab,
            "r2_ba": rung.r2_ba,
            "low": rung.low,
            "high": rung.high,
            "chance": rung.chance,
            "holds": rung.holds,
            "minimal": rung.name in self.verdict,
            "inside": list(LADDER[rung.name].inside),
            "rows": rung.rows,
        }

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write the page: one self-contained file."""
        from ..report import write_page

        write_page(self.to_dict(), path)

    def _repr_html_(self) -> str:
        from ..report import snippet

        return snippet(self.to_dict())

    def __repr__(self) -> str:
        lines = [self.sentence, *(f"  hint: {hint}" for hint in self.hints)]
        return "\n".join(lines)


def _plain(value: Any) -> Any:
    """NumPy → Python, and numbers that JSON cannot hold → None."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value


def _version() -> str:
    from importlib.metadata import version

    return version("coset")
