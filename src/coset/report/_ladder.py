"""The ladder as a picture: containments at the left, scores and intervals at the right."""

from __future__ import annotations

from markupsafe import Markup

from coset.report._layout import ROOM, Layout
from coset.report._numbers import MISSING, interval, percent, plain, score
from coset.report._row import row_of_ladder
from coset.report._rungs import Rung
from coset.report._scales import FLOOR, Scale
from coset.report._svg import drawing, join, tag


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
    by_name = {rung.name: rung for rung in rungs}
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
        join(_edge(rung, by_name[other], at, layout) for rung in rungs for other in rung.inside),
        join(row_of_ladder(rung, at[rung.name], x, layout) for rung in reversed(rungs)),
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
            (
                layout.numbers,
                layout.top - 12,
                f"R² and {percent(level)} interval"
                if layout.width - layout.numbers > ROOM
                else "R²",
            ),
        ]
    return [tag("text", text, x=x, y=y, class_="c-head") for x, y, text in heads]


def _edge(one: Rung, two: Rung, at: dict[str, tuple[float, float]], layout: Layout) -> Markup:
    """The line from a rung to one that contains it: it climbs in the outer of their lanes."""
    (x1, y1), (x2, y2) = at[one.name], at[two.name]
    via = max(x1, x2)
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
    kind = "c-edge c-yes" if one.holds and two.holds else "c-edge"
    return tag("path", d=d, class_=kind, fill="none", stroke="currentColor", stroke_opacity="0.4")


def row_of_table(rung: Rung) -> tuple[str, ...]:
    """The rung as a row of text: group, form, state, score, interval, both ways, chance."""
    return (
        rung.name,
        rung.says,
        rung.word,
        score(rung.r2),
        interval(rung.low, rung.high) or MISSING,
        score(rung.r2_ab),
        score(rung.r2_ba),
        score(rung.chance),
    )
