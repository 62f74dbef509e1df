"""The cases of a claim on lines: score, interval, bound, published number, floors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from markupsafe import Markup

from coset.report._figure import Figure, Key, Table
from coset.report._names import clipped
from coset.report._numbers import interval, known, number, plain, score
from coset.report._scales import Scale, score_floor, ticks
from coset.report._svg import drawing, join, tag

UNIT = 1.02
"""Scores up to here are drawn from 0 to 1."""


@dataclass(frozen=True)
class Layout:
    """Where the parts of a case go: beside its line, or above it."""

    width: float
    row: float
    track: tuple[float, float]
    down: float
    """From the top of a row to its line."""
    beside: bool = False

    def letters(self, number: str) -> int:
        """That a name has room for, next to its number where they share a line."""
        room = self.track[0] - 10 if self.beside else self.width - 24 - 9.4 * len(number)
        return max(int(room / 8.4), 3)


WIDE = Layout(960, 52, (330, 748), 26, beside=True)
MIDDLE = Layout(620, 66, (8, 612), 44)
NARROW = Layout(320, 66, (8, 312), 44)


@dataclass(frozen=True)
class Row:
    """One case as it is drawn; what is not known is None."""

    name: str
    role: str
    metric: str
    score: float | None
    low: float | None
    high: float | None
    sense: str
    limit: float | None
    published: float | None
    untrained: float | None
    raw: float | None
    met: bool
    told: Mapping[str, Any]

    @classmethod
    def of(cls, case: Mapping[str, Any]) -> Row:
        """The row of a case as plain values."""
        sense, limit = [*(case.get("bound") or ()), None, None][:2]
        values = {
            key: number(case.get(key))
            for key in ("score", "low", "high", "published", "untrained", "raw")
        }
        return cls(
            name=str(case.get("name") or "case"),
            role="control" if case.get("role") == "breaks" else "holds",
            metric=str(case.get("metric") or "score"),
            sense=str(sense),
            limit=number(limit),
            met=bool(case.get("met")),
            told=case,
            **values,
        )

    @property
    def numbers(self) -> list[float]:
        """All that is drawn of it."""
        every = (self.score, self.low, self.high, self.limit, self.published, self.untrained)
        return known((*every, self.raw))

    @property
    def bound(self) -> str:
        """`≥ 0.95`."""
        sign = "≤" if self.sense == "at_most" else "≥"
        return "" if self.limit is None else f"{sign} {plain(self.limit)}"

    @property
    def verdict(self) -> str:
        """What the score says of the case, in words."""
        if self.role == "control":
            return "fails, as it should" if self.met else "does not fail"
        return "holds" if self.met else "does not hold"

    @property
    def note(self) -> str:
        """What stands under the name."""
        if self.role == "holds":
            return ""
        broken = str(self.told.get("breaks") or "")
        return f"control: {broken}" if broken else "control"

    @property
    def tip(self) -> str:
        """All numbers in words."""
        named = (("published", self.published), ("untrained", self.untrained), ("raw", self.raw))
        lines = [
            f"{self.name} ({self.role})",
            f"{self.metric} {score(self.score)} {interval(self.low, self.high)}".rstrip(),
            f"asked {self.bound}: {self.verdict}",
            *(f"{name} {score(value)}" for name, value in named if value is not None),
        ]
        return "\n".join(lines)


def cases_figure(key: str, cases: Sequence[Mapping[str, Any]]) -> Figure | None:
    """Every case of a claim; neighbours of one metric share an axis."""
    rows = [Row.of(case) for case in cases]
    if not rows:
        return None
    label = "Scores of the cases. " + "; ".join(row.tip.replace("\n", ", ") for row in rows)
    keys = [
        Key("holds", "score, as expected"),
        Key("fails", "score, not as expected"),
        Key("span", "95 % interval over seeds"),
        Key("allowed", "bound, and where the score should be"),
        Key("published", "published"),
        Key("chance-tick", "untrained encoder"),
        Key("raw", "raw observation"),
    ]
    drawn = {
        "fails": any(not row.met for row in rows),
        "holds": any(row.met for row in rows),
        "published": any(row.published is not None for row in rows),
        "chance-tick": any(row.untrained is not None for row in rows),
        "raw": any(row.raw is not None for row in rows),
    }
    return Figure(
        key=key,
        title="Cases",
        caption="Means over seeds. A control breaks an assumption and should fail: its shaded side "
        "is where failure lies.",
        wide=_chart(label, rows, WIDE),
        middle=_chart(label, rows, MIDDLE),
        narrow=_chart(label, rows, NARROW),
        table=_table(rows),
        keys=tuple(one for one in keys if drawn.get(one.kind, True)),
        full=True,
    )


def _table(rows: Sequence[Row]) -> Table:
    head = ("case", "role", "metric", "score", "interval", "bound", "verdict", "published",
            "where", "untrained", "raw", "seeds", "seconds", "breaks")  # fmt: skip
    return Table(
        head,
        [
            (
                row.name, row.role, row.metric, score(row.score), interval(row.low, row.high),
                row.bound, row.verdict, _told(row.published), str(row.told.get("where") or ""),
                _told(row.untrained), _told(row.raw), plain(row.told.get("seeds")),
                plain(number(row.told.get("seconds")) and round(float(row.told["seconds"]), 1)),
                str(row.told.get("breaks") or ""),
            )
            for row in rows
        ],
    ).tidy()  # fmt: skip


def _told(value: float | None) -> str:
    return "" if value is None else plain(value) if abs(value) >= 1 else score(value)


def _chart(label: str, rows: Sequence[Row], layout: Layout) -> Markup:
    parts, top = [], 0.0
    for metric, found in groupby(rows, key=lambda row: row.metric):
        panel, high = _panel(metric, list(found), layout)
        parts.append(tag("g", panel, transform=f"translate(0 {top:g})"))
        top += high
    return drawing(layout.width, top, label, *parts)


def _panel(metric: str, rows: Sequence[Row], layout: Layout) -> tuple[Markup, float]:
    """The cases of one metric over one axis, and how high they stand."""
    x, marks = _axis([value for row in rows for value in row.numbers], layout.track)
    head, foot = 26.0, 30.0
    end = head + layout.row * len(rows)
    grid = [
        join([
            tag("path", d=f"M{x(v):.1f} {head:g}V{end:g}", class_="c-grid"),
            tag("text", text, x=min(max(x(v), 3.6 * len(text)), layout.width - 3.6 * len(text)),
                y=end + 16, text_anchor="middle", class_="c-tick"),
        ])
        for v in marks
        for text in (plain(v),)
    ]  # fmt: skip
    lines = [_line(row, x, head + layout.row * place, layout) for place, row in enumerate(rows)]
    title = tag("text", clipped(metric, 36), x=layout.track[0], y=14, class_="c-head")
    return join([title, *grid, *lines]), end + foot


def _axis(values: Sequence[float], track: tuple[float, float]) -> tuple[Scale, list[float]]:
    start, stop = track
    inner = (start + 8, stop - 8)
    high = max(values, default=1.0)
    if high <= UNIT:
        floor = score_floor(values)
        return Scale(floor, 1.0, *inner), [0.0, 0.25, 0.5, 0.75, 1.0]
    low = min(values)
    room = 0.04 * (high - low) or 1.0
    x = Scale(low - room, high + room, *inner)
    return x, ticks(x.low, x.high, 4)


def _line(row: Row, x: Scale, top: float, layout: Layout) -> Markup:
    y = top + layout.down
    state = "c-yes" if row.met else "c-no"
    note = row.note
    low_name = layout.beside and bool(note)
    ends = interval(row.low, row.high) if row.told.get("seeds") != 1 else ""
    control = " (control)" if note and not layout.beside else ""
    shown = ("✓ " if row.met else "✗ ") + score(row.score)
    name = clipped(row.name, max(layout.letters(shown) - len(control), 3)) + control
    said = [
        tag("text", name, x=0 if layout.beside else layout.track[0],
            y=top + (20 if low_name else 31) if layout.beside else top + 18,
            class_="c-name c-halo"),
        tag("text", clipped(note, 42), x=0, y=top + 39, class_="c-says") if low_name else None,
        _number(row, shown, ends, (y, top), layout),
    ]  # fmt: skip
    return tag(
        "g",
        tag("rect", x=0, y=top, width=layout.width, height=layout.row, class_="c-catch",
            fill_opacity="0"),
        *_marks(row, x, y, state),
        *said,
        class_="c-hit", data_tip=row.tip,
    )  # fmt: skip


def _number(row: Row, shown: str, ends: str, at: tuple[float, float], layout: Layout) -> Markup:
    y, top = at
    state = "c-yes" if row.met else "c-no"
    room = layout.width - layout.track[1] - 22 - 9.4 * len(shown) - 7.4 * len(ends)
    if layout.beside:
        return tag(
            "text",
            tag("tspan", shown, class_=f"c-number {state}"),
            tag("tspan", ends, dx=8, class_="c-span-text") if ends and room > 0 else None,
            x=layout.track[1] + 14,
            y=y + 5,
        )
    return tag("text", shown, x=layout.track[1], y=top + 18, text_anchor="end",
               class_=f"c-number c-halo {state}")  # fmt: skip


def _marks(row: Row, x: Scale, y: float, state: str) -> list[Markup | None]:
    parts: list[Markup | None] = [_allowed(row, x, y)]
    parts.append(tag("path", d=f"M{x.start - 8:g} {y:g}H{x.stop + 8:g}", class_="c-track"))
    if row.untrained is not None:
        parts.append(tag("path", d=f"M{x(row.untrained):.1f} {y - 7:g}v14", class_="c-luck"))
    if row.raw is not None:
        parts.append(tag("rect", x=x(row.raw) - 4.5, y=y - 4.5, width=9, height=9, class_="c-raw"))
    if row.low is not None and row.high is not None:
        parts.append(tag("path", d=f"M{x(row.low):.1f} {y:g}H{x(row.high):.1f}",
                         class_=f"c-span {state}"))  # fmt: skip
    if row.score is not None and row.score < x.low:
        parts.append(tag("path", d=f"M{x.start + 9:g} {y - 6:g}l-9 6l9 6z", class_="c-off"))
    elif row.score is not None:
        parts.append(tag("circle", cx=x(row.score), cy=y, r=5.5, class_=f"c-dot {state}"))
    if row.published is not None:
        d = f"M{x(row.published):.1f} {y - 9:g}l6 9l-6 9l-6 -9z"
        parts.append(tag("path", d=d, class_="c-published", fill="none"))
    return parts


def _allowed(row: Row, x: Scale, y: float) -> Markup | None:
    """The side of the bound where the score should be."""
    if row.limit is None:
        return None
    edge = x(row.limit)
    left, right = (x.start - 8, edge) if row.sense == "at_most" else (edge, x.stop + 8)
    return join([
        tag("rect", x=left, y=y - 11, width=max(right - left, 0.0), height=22, class_="c-band"),
        tag("path", d=f"M{edge:.1f} {y - 11:g}v22", class_="c-threshold"),
    ])  # fmt: skip
