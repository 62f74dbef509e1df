"""Write the parts of the documentation that the code knows: run by `make docs`.

python docs/generate.py            metrics.md, groups.md, cli.md, the ladder of the README
python docs/generate.py --figure   the README's picture as well (fits two small networks)
"""

from __future__ import annotations

import sys
from pathlib import Path

from _blocks import refreshed
from _commands import cli_page
from _groups import groups_page, ladder_table
from _metrics import metrics_page

DOCS = Path(__file__).parent
README = DOCS.parent / "README.md"
BEGIN, END = "<!-- ladder: docs/generate.py -->\n", "<!-- end of ladder -->"


def pages() -> dict[Path, str]:
    """Every generated file and what should be in it."""
    before, _, rest = README.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    return {
        DOCS / "metrics.md": metrics_page(),
        DOCS / "groups.md": groups_page(),
        DOCS / "cli.md": cli_page(),
        README: before + BEGIN + ladder_table() + end + after,
    }


def main() -> None:
    """Write every page."""
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
        print(path)
    if "--outputs" in sys.argv:
        for path in (README, DOCS / "tour.md", DOCS / "sources.md"):
            path.write_text(refreshed(path.read_text(encoding="utf-8")), encoding="utf-8")
            print(path)
    if "--figure" in sys.argv:
        from _figure import draw

        for path in draw(DOCS):
            print(path)


if __name__ == "__main__":
    main()
