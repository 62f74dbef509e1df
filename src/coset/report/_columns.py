"""How far each column is explained: bars for a few columns, sorted curves for many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from markupsafe import Markup

from coset.report._bars import Panel, column_bars
from coset.report._figure import Figure, Key, Table
from coset.report._frame import HALF, PHONE
from coset.report._lines import Lines, Series
from coset.report._numbers import known, numbers, plain, score
from coset.report._scales import sinks

MOST_COLUMNS = 60
QUANTILES = {0: "lowest", 5: "5 % quantile", 25: "25 % quantile", 50: "median",
             75: "75 % quantile", 95: "95 % quantile", 100: "highest"}  # fmt: skip
WORST = 20


@dataclass(frozen=True)
class Side:
    """The columns of one representation, and how far the map from the other explains each."""

    key: str
    letter: str
    way: str
    values: list[float | None]

    @property
    def names(self) -> list[str]:
        """What to call the columns."""
        return [f"column {index}" for index in range(len(self.values))]

    def quantile(self, share: float) -> float:
        """The R² below which this share of the columns lies."""
        return float(np.quantile(known(self.values), share))

    def least(self, most: int) -> list[tuple[str, float]]:
        """The columns that are explained least."""
        pairs = [(name, v) for name, v in zip(self.names, self.values) if v is not None]
        return sorted(pairs, key=lambda pair: pair[1])[:most]


def columns_figure(comparison: Mapping[str, Any]) -> Figure | None:
    """R² of each column; beyond sixty, the sorted curve of all of them."""
    given = comparison.get("columns") or {}
    both = (_side(given, "ab", "b", "a → b"), _side(given, "ba", "a", "b → a"))
    sides = [side for side in both if known(side.values)]
    if not sides:
        return None
    few = all(len(side.values) <= MOST_COLUMNS for side in sides)
    label = "How far each column is explained. " + "; ".join(
        f"{side.way}: median R² {score(side.quantile(0.5))}" for side in sides
    )
    worst = " ".join(filter(None, map(_least, sides)))
    wide, narrow = _bars(label, sides) if few else _curves(label, sides)
    return Figure(
        key="columns",
        title="How far each column is explained",
        caption=f"Held-out R² by the {given.get('group') or 'fitted'} map. {worst}".strip(),
        wide=wide,
        narrow=narrow,
        table=_every(sides) if few else _summary(sides),
        keys=(
            *([] if few else [Key(s.key, f"{s.way}: columns of {s.letter}") for s in sides]),
            *(
                [Key("below", "below the axis")]
                if few and any(sinks(s.values) for s in sides)
                else []
            ),
        ),
    )


def _side(given: Mapping[str, Any], key: str, letter: str, way: str) -> Side:
    return Side(key, letter, way, numbers(given.get(key)))


def _least(side: Side) -> str:
    """The columns that are explained least, where they stand out from one another."""
    shown = [(name, score(value)) for name, value in side.least(3)]
    if len({text for _, text in shown}) < 2:
        return ""
    said = ", ".join(f"{name} ({text})" for name, text in shown)
    return f"Least explained in {side.letter}: {said}."


def _bars(label: str, sides: Sequence[Side]) -> tuple[Markup, Markup]:
    panels = [
        Panel(f"{side.way}: R² of the columns of {side.letter}", side.names, side.values,
              f"c-{side.key}")
        for side in sides
    ]  # fmt: skip
    wide = replace(HALF, height=178, top=26, bottom=42)
    narrow = replace(PHONE, height=168, top=26, bottom=42)
    return column_bars(label, panels, wide), column_bars(label, panels, narrow)


def _curves(label: str, sides: Sequence[Side]) -> tuple[Markup, Markup]:
    shares = [index / 2 for index in range(201)]
    curves = {side.key: [side.quantile(1 - share / 100) for share in shares] for side in sides}
    chart = Lines(
        label=label,
        series=tuple(Series(f"c-{side.key}", shares, curves[side.key]) for side in sides),
        x_marks=tuple((float(v), f"{v} %") for v in (0, 25, 50, 75, 100)),
        x_title="share of columns, best first",
        y_title="held-out R² of a column",
        tips=lambda i: "\n".join(
            [f"{plain(shares[i])} % of the columns have at least"]
            + [f"{side.way} R² {score(curves[side.key][i])}" for side in sides]
        ),
    )
    return chart.draw(HALF), chart.draw(PHONE)


def _every(sides: Sequence[Side]) -> Table:
    rows = [
        (name, side.way, score(value))
        for side in sides
        for name, value in zip(side.names, side.values)
    ]
    return Table(("column", "map", "R²"), rows)


def _summary(sides: Sequence[Side]) -> Table:
    rows = [
        (word, side.way, score(side.quantile(share / 100)))
        for side in sides
        for share, word in QUANTILES.items()
    ]
    rows += [(name, side.way, score(value)) for side in sides for name, value in side.least(WORST)]
    note = f"Quantiles, then the {WORST} least explained columns each way."
    return Table(("columns", "map", "R²"), rows, note)
