"""Elements as strings: escaped by construction, numbers kept short."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup, escape


def tag(name: str, *children: Any, **attributes: Any) -> Markup:
    """One element: text children and attribute values are escaped, None attributes left out.

    Example:
        >>> print(tag("text", "a < b", x=1.0, class_="c-name", data_tip='say "hi"'))
        <text x="1" class="c-name" data-tip="say &#34;hi&#34;">a &lt; b</text>
    """
    shown = [
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), _text(value))
        for key, value in attributes.items()
        if value is not None
    ]
    return Markup("<{0}{1}>{2}</{0}>").format(name, Markup("").join(shown), join(children))


def join(parts: Any) -> Markup:
    """The parts one after another, those that are plain text escaped."""
    return Markup("").join(escape(part) for part in parts if part is not None)


def path(points: list[tuple[float, float]]) -> str:
    """The `d` of a broken line through the points."""
    return "M" + "L".join(f"{_text(x)} {_text(y)}" for x, y in points)


def drawing(width: float, height: float, label: str, *children: Any, kind: str = "") -> Markup:
    """A picture of its own: scales with its column and is named for screen readers."""
    return tag(
        "svg",
        *children,
        viewBox=f"0 0 {_text(width)} {_text(height)}",
        class_=f"c-svg {kind}".strip(),
        role="img",
        aria_label=label,
        tabindex="0",
        width=width,
        height=height,
    )


def _text(value: Any) -> Any:
    if isinstance(value, float):
        return f"{value:.1f}".removesuffix(".0")
    return value
