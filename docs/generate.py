"""Write the parts of the documentation that the code knows: run by `make docs`.

python docs/generate.py             metrics.md, groups.md, cli.md, claims.md, the lists of
                                    laboratory.md, the tables of the README
python docs/generate.py --outputs   what the code blocks of pages print as well
python docs/generate.py --figure    the README's picture as well (fits two small networks)

claims.md and the README's table of claims take their scores from results/small.json, which
`make claims` writes.
"""

from __future__ import annotations

import sys
from pathlib import Path

from _blocks import refreshed
from _claims import claims_page, claims_table
from _commands import cli_page
from _groups import groups_page, ladder_table
from _methods import method_parts
from _metrics import metrics_page
from _worlds import lists

DOCS = Path(__file__).parent
README = DOCS.parent / "README.md"
LABORATORY = DOCS / "laboratory.md"
ESTIMATORS = DOCS / "estimators.md"
RUN = (README, DOCS / "tour.md", DOCS / "sources.md", LABORATORY, ESTIMATORS, DOCS / "cocktail.md")
"""Pages whose code blocks are run."""


def pages() -> dict[Path, str]:
    """Every generated file and what should be in it."""
    tables = {"ladder": ladder_table(), "claims": claims_table()}
    return {
        DOCS / "metrics.md": metrics_page(),
        DOCS / "groups.md": groups_page(),
        DOCS / "cli.md": cli_page(),
        DOCS / "claims.md": claims_page(),
        LABORATORY: filled(LABORATORY.read_text(encoding="utf-8"), lists()),
        ESTIMATORS: filled(ESTIMATORS.read_text(encoding="utf-8"), method_parts()),
        README: filled(README.read_text(encoding="utf-8"), tables),
    }


def filled(text: str, parts: dict[str, str]) -> str:
    """A page with each part between its markers; a part without markers is left out."""
    for name, part in parts.items():
        begin, end = f"<!-- {name}: docs/generate.py -->\n", f"<!-- end of {name} -->"
        before, found, rest = text.partition(begin)
        _, closed, after = rest.partition(end)
        if found and not closed:
            raise SystemExit(f"the part {name} of a page has no {end}")
        if found:
            text = before + begin + part + end + after
    return text


def main() -> None:
    """Write every page."""
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
        print(path)
    if "--outputs" in sys.argv:
        for path in RUN:
            path.write_text(refreshed(path.read_text(encoding="utf-8")), encoding="utf-8")
            print(path)
    if "--figure" in sys.argv:
        from _figure import draw

        for path in draw(DOCS):
            print(path)


if __name__ == "__main__":
    main()
