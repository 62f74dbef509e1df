"""What stands in the page around a chart: title, words, key, and the same numbers as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from coset.report._svg import tag


@dataclass(frozen=True)
class Table:
    """Rows of text under a head; the first column names the row."""

    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    note: str = ""

    def tidy(self) -> Table:
        """The same table without the columns that say nothing."""
        kept = [i for i in range(len(self.head)) if any(row[i] for row in self.rows)]
        return Table(
            tuple(self.head[i] for i in kept),
            [tuple(row[i] for i in kept) for row in self.rows],
            self.note,
        )


@dataclass(frozen=True)
class Key:
    """One line of a chart's key: how it is drawn, and what it is."""

    kind: str
    text: str

    @property
    def swatch(self) -> Markup:
        """The mark itself, small."""
        return tag(
            "svg",
            _SWATCHES[self.kind],
            viewBox="0 0 24 14",
            width=24,
            height=14,
            class_="c-swatch",
            aria_hidden="true",
        )


@dataclass(frozen=True)
class Figure:
    """A chart in two or three widths (desktop, tablet, phone) and as a table."""

    key: str
    title: str
    caption: str
    wide: Markup
    narrow: Markup
    table: Table
    keys: tuple[Key, ...] = ()
    middle: Markup | None = None
    full: bool = False


def _line(kind: str) -> Markup:
    return tag("path", d="M1 7H23", class_=kind, fill="none", stroke="currentColor")


_SWATCHES: dict[str, Markup] = {
    "held": _line("c-line c-held"),
    "sample": _line("c-line c-sample"),
    "chance": _line("c-line c-chance"),
    "ab": _line("c-line c-ab"),
    "ba": _line("c-line c-ba"),
    "limit": _line("c-threshold"),
    "threshold": tag("path", d="M12 0V14", class_="c-threshold", stroke="currentColor"),
    "chance-tick": tag("path", d="M12 2V12", class_="c-luck", stroke="currentColor"),
    "after": tag("circle", cx=12, cy=7, r=5, class_="c-after"),
    "before": tag("circle", cx=12, cy=7, r=4.5, class_="c-before", fill="none"),
    "holds": tag("circle", cx=12, cy=7, r=5, class_="c-dot c-yes"),
    "fails": tag("circle", cx=12, cy=7, r=4.5, class_="c-dot c-no"),
    "best": tag("circle", cx=12, cy=7, r=3.2, class_="c-best"),
    "seed": _line("c-line c-seed"),
    "allowed": tag(
        "g",
        tag("rect", x=9, y=0, width=14, height=14, class_="c-band"),
        tag("path", d="M9 0V14", class_="c-threshold", stroke="currentColor"),
    ),
    "published": tag("path", d="M12 1l5 6l-5 6l-5 -6z", class_="c-published", fill="none"),
    "raw": tag("rect", x=8, y=3, width=8, height=8, class_="c-raw"),
    "span": tag("path", d="M2 7H22", class_="c-span c-yes", stroke="currentColor"),
    "bars": tag("rect", x=3, y=2, width=18, height=11, class_="c-bar c-ab"),
    "step": tag("path", d="M2 13V3H12V7H22V13", class_="c-step c-ba", fill="none"),
    "needed": tag("path", d="M12 0V14", class_="c-needed", stroke="currentColor"),
    "below": tag("path", d="M6 3h12l-6 10z", class_="c-off"),
    "left": tag("path", d="M17 1l-11 6l11 6z", class_="c-off"),
    "edge": tag("path", d="M5 13C5 6 19 8 19 1", class_="c-edge", fill="none"),
}
