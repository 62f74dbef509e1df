"""The README's picture: the page's own ladder of two classifiers, for light and dark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import coset
from coset._demo import SEEDS, classifier
from coset.report._ladder import ladder
from coset.report._layout import WIDE
from coset.report._rungs import rungs

STYLE = Path(coset.report.__file__).parent / "templates" / "style.css"


def draw(folder: Path) -> Iterator[Path]:
    """Compare two seeds of the demo's classifier of digits and draw the result."""
    found = coset.compare(*(classifier(seed) for seed in SEEDS)).to_dict()
    picture = str(ladder(rungs(found), found["threshold"], found["level"], WIDE))
    picture = re.sub(r' (class="c-svg[^"]*"|tabindex="0"|data-tip="[^"]*")', "", picture)
    picture = picture.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    picture = re.sub(r'viewBox="0 0 (\S+) (\S+)"', r'viewBox="-16 -10 992 \2"', picture, count=1)
    for shade, name in enumerate(("light", "dark")):
        path = folder / f"ladder-{name}.svg"
        path.write_text(picture.replace(">", ">" + _style(shade), 1) + "\n", encoding="utf-8")
        yield path


def _style(shade: int) -> str:
    """The rules of the page that the picture uses, with the colours of one theme put in."""
    text = STYLE.read_text(encoding="utf-8")
    values = dict(re.findall(r"(--[a-z-]+): ([^;]+);", text))
    rules = re.findall(r"^(?:text|\.c-[^{]*) \{[^}]*\}", text, re.M)
    used = "\n".join(rule for rule in rules if "--on" not in rule)
    for _ in range(2):
        used = re.sub(r"var\((--[a-z-]+)\)", lambda m: values[m.group(1)], used)
        used = re.sub(r"light-dark\(([^,]+), ([^)]+)\)", lambda m: m.group(shade + 1), used)
    used = used.replace("&", "&amp;").replace("<", "&lt;")
    return f"<style>svg {{ font-family: {values['--sans']}; }}\n{used}</style>"
