"""One rung of the ladder: its node, its name, its score on the axis and in digits."""

from __future__ import annotations

from markupsafe import Markup

from coset.report._layout import Layout
from coset.report._numbers import MISSING, interval, score
from coset.report._rungs import Rung
from coset.report._scales import Scale
from coset.report._svg import join, tag


def row_of_ladder(rung: Rung, at: tuple[float, float], x: Scale, layout: Layout) -> Markup:
    """The rung at its place: everything in its row of the picture but the edges."""
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
        tall = f"M{x(rung.chance):.1f} {y - radius - 1:g}v{2 * radius + 2:g}"
        parts.append(tag("path", d=tall, class_="c-luck", stroke="currentColor"))
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
