"""The ladder as a picture: containments at the left, scores and intervals at the right."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from coset.report._numbers import MISSING, interval, percent, plain, score, typographic
from coset.report._rungs import EDGES, Rung
from coset.report._scales import FLOOR, Scale
from coset.report._svg import drawing, join, tag


@dataclass(frozen=True)
class Layout:
    """Where the parts of a rung go, for one width of the picture."""

    width: float
    row: float
    lane: float
    step: float
    name: float
    plot: tuple[float, float]
    numbers: float
    plot_dy: float = 0
    name_dy: float = 5
    says_dy: float | None = None
    stacked: bool = False
    top: float = 34
    bottom: float = 30


WIDE = Layout(960, 46, 20, 24, 120, (316, 732), 754, name_dy=-2, says_dy=16)
MIDDLE = Layout(680, 46, 16, 20, 98, (262, 578), 594, name_dy=-2, says_dy=16)
NARROW = Layout(320, 52, 10, 13, 64, (66, 312), 314, plot_dy=14, name_dy=-3, stacked=True)
SMALL = Layout(600, 25, 12, 15, 72, (222, 486), 500, top=24, bottom=24)


def ladder(rungs: list[Rung], threshold: float, level: float, layout: Layout) -> Markup:
    """The picture of all rungs, loosest at the top."""
    x = Scale(FLOOR, 1.0, *layout.plot)
    height = layout.top + len(rungs) * layout.row + layout.bottom
    at = {
        rung.name: (
            layout.lane + rung.lane * layout.step,
            layout.top + (len(rungs) - 0.5 - index) * layout.row,
        )
        for index, rung in enumerate(rungs)
    }
    holding = [rung.name for rung in rungs if rung.holds]
    label = "The ladder of groups, from loosest to strictest. " + (
        f"Reach the threshold of {plain(threshold)}: {', '.join(holding)}."
        if holding
        else f"None reaches the threshold of {plain(threshold)}."
    )
    return drawing(
        layout.width,
        height,
        label,
        join(_band(at[rung.name][1], layout) for rung in rungs if rung.minimal),
        _axis(x, [y for _, y in at.values()], threshold, level, height, layout),
        join(_edge(at[one], at[two], lane, one, two, holding, layout) for one, two, lane in EDGES),
        join(_row(rung, at[rung.name], x, layout) for rung in reversed(rungs)),
        kind="c-ladder",
    )


def _band(y: float, layout: Layout) -> Markup:
    inset = 2 if layout.row > 30 else 1
    return tag(
        "rect", x=0, y=y - layout.row / 2 + inset, width=layout.width,
        height=layout.row - 2 * inset, rx=7, class_="c-band", fill="none",
    )  # fmt: skip


def _axis(
    x: Scale, ys: list[float], threshold: float, level: float, height: float, layout: Layout
) -> Markup:
    foot = height - layout.bottom + 4
    marks = [
        tag("text", plain(v), x=x(v), y=foot + 16, text_anchor="middle", class_="c-tick")
        for v in (FLOOR, 0.0, 0.25, 0.5, 0.75, 1.0)
        if v >= 0 or not layout.stacked
    ]
    if not layout.stacked:
        marks += [
            tag("path", d=f"M{x(v):.1f} {layout.top}V{foot}", class_="c-grid",
                stroke="currentColor", stroke_opacity="0.15")
            for v in (FLOOR, 0.0, 0.25, 0.5, 0.75, 1.0)
        ]  # fmt: skip
    limit = x(threshold)
    spans = (
        [f"M{limit:.1f} {y + layout.plot_dy - 10:g}v20" for y in ys]
        if layout.stacked
        else [f"M{limit:.1f} {layout.top - 6}V{foot}"]
    )
    line = tag("path", d="".join(spans), class_="c-threshold", stroke="currentColor")
    word = tag("text", f"threshold {plain(threshold)}", x=min(limit + 6, layout.plot[1]),
               y=layout.top - 12, text_anchor="end" if threshold > 0.5 else "start",
               class_="c-head c-strong")  # fmt: skip
    return join([*marks, line, word, *_heads(level, foot, layout)])


def _heads(level: float, foot: float, layout: Layout) -> list[Markup]:
    heads = []
    if layout.row > 30:
        heads += [(0.0, layout.top - 12, "loosest ↑"), (0.0, foot + 16, "strictest ↓")]
    if layout.says_dy is not None:
        heads += [
            (layout.plot[0], layout.top - 12, "held-out two-way R²"),
            (layout.numbers, layout.top - 12, f"R² and {percent(level)} interval"),
        ]
    return [tag("text", text, x=x, y=y, class_="c-head") for x, y, text in heads]


def _edge(
    start: tuple[float, float],
    stop: tuple[float, float],
    lane: int,
    one: str,
    two: str,
    holding: list[str],
    layout: Layout,
) -> Markup:
    (x1, y1), (x2, y2), via = start, stop, layout.lane + lane * layout.step
    half = layout.row / 2
    d = f"M{x1:g} {y1:g}"
    y = y1
    if via != x1:
        y = y1 - layout.row
        d += f"C{x1:g} {y1 - half:g} {via:g} {y + half:g} {via:g} {y:g}"
    if via != x2:
        d += f"V{y2 + layout.row:g}C{via:g} {y2 + half:g} {x2:g} {y2 + half:g} {x2:g} {y2:g}"
    else:
        d += f"V{y2:g}"
    kind = "c-edge c-yes" if one in holding and two in holding else "c-edge"
    return tag("path", d=d, class_=kind, fill="none", stroke="currentColor", stroke_opacity="0.4")


def _row(rung: Rung, at: tuple[float, float], x: Scale, layout: Layout) -> Markup:
    node, y = at
    big = layout.row > 30
    state = "c-top" if rung.minimal else "c-yes" if rung.holds else "c-no"
    return tag(
        "g",
        tag("rect", x=0, y=y - layout.row / 2, width=layout.width, height=layout.row,
            class_="c-catch", fill_opacity="0"),
        _node(node, y, rung, 7.5 if big else 5),
        tag("text", rung.name, x=layout.name, y=y + layout.name_dy, class_=f"c-name {state}"),
        None if layout.says_dy is None
        else tag("text", rung.says[:28], x=layout.name, y=y + layout.says_dy, class_="c-says"),
        _marks(rung, x, y + layout.plot_dy, 5.5 if big else 4.5),
        _numbers(rung, y, state, layout),
        class_="c-hit", data_tip=rung.tip,
    )  # fmt: skip


def _node(x: float, y: float, rung: Rung, radius: float) -> Markup:
    if not rung.holds:
        return tag("circle", cx=x, cy=y, r=radius - 1, class_="c-node c-no", fill="none",
                   stroke="currentColor")  # fmt: skip
    tick = f"M{x - radius * 0.45:.1f} {y:.1f}l{radius * 0.33:.1f} {radius * 0.36:.1f}" + (
        f"l{radius * 0.6:.1f} {-radius * 0.72:.1f}"
    )
    ring = tag("circle", cx=x, cy=y, r=radius + 3, class_="c-ring", fill="none")
    return join([
        ring if rung.minimal else None,
        tag("circle", cx=x, cy=y, r=radius, class_="c-node c-yes"),
        tag("path", d=tick, class_="c-check", fill="none"),
    ])  # fmt: skip


def _marks(rung: Rung, x: Scale, y: float, radius: float) -> Markup:
    track = tag("path", d=f"M{x.start:g} {y:g}H{x.stop:g}", class_="c-track",
                stroke="currentColor", stroke_opacity="0.12")  # fmt: skip
    parts = [track]
    if rung.chance is not None and rung.chance >= x.low:
        parts.append(tag("path", d=f"M{x(rung.chance):.1f} {y - radius - 1:g}v{2 * radius + 2:g}", class_="c-luck",
                         stroke="currentColor"))  # fmt: skip
    state = "c-yes" if rung.holds else "c-no"
    if rung.low is not None and rung.high is not None and rung.high >= x.low:
        parts.append(tag("path", d=f"M{x(rung.low):.1f} {y:g}H{x(rung.high):.1f}",
                         class_=f"c-span {state}", stroke="currentColor"))  # fmt: skip
    if rung.r2 is not None and rung.r2 >= x.low:
        parts.append(tag("circle", cx=x(rung.r2), cy=y, r=radius, class_=f"c-dot {state}"))
    elif rung.r2 is not None:
        parts.append(tag("path", d=f"M{x.start + 9:g} {y - 6:g}l-9 6l9 6z", class_="c-off"))
    return join(parts)


def _numbers(rung: Rung, y: float, state: str, layout: Layout) -> Markup:
    if layout.stacked:
        return tag("text", score(rung.r2), x=layout.numbers, y=y + layout.name_dy,
                   text_anchor="end", class_=f"c-number {state}")  # fmt: skip
    if rung.r2 is None:
        return tag("text", MISSING, x=layout.numbers, y=y + 5, class_="c-says")
    shown, ends = score(rung.r2), interval(rung.low, rung.high)
    room = layout.width - layout.numbers - 10 - 9.2 * len(shown) - 7.2 * len(ends)
    return tag(
        "text",
        tag("tspan", shown, class_=f"c-number {state}"),
        tag("tspan", ends, dx=8, class_="c-span-text") if ends and room >= 0 else None,
        x=layout.numbers,
        y=y + 5,
    )


def row_of_table(rung: Rung) -> tuple[str, ...]:
    """The rung as a row of text: group, form, state, score, interval, both ways, chance, note."""
    return (
        rung.name,
        rung.says,
        rung.word,
        score(rung.r2),
        interval(rung.low, rung.high) or MISSING,
        score(rung.r2_ab),
        score(rung.r2_ba),
        score(rung.chance),
        typographic(rung.note),
    )
