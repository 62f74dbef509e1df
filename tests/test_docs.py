"""What the documentation says is what the code does."""

from __future__ import annotations

import importlib
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from coset.groups import LADDER

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
EXECUTED = (
    ROOT / "README.md",
    *(DOCS / f"{name}.md" for name in ("tour", "sources", "laboratory", "estimators", "cocktail")),
)
PAGES = (*sorted(ROOT.glob("*.md")), *sorted(DOCS.glob("*.md")))
FENCE = re.compile(r"^```.*?^```$", re.M | re.S)


@pytest.fixture(scope="module")
def tools():
    """The modules of docs/, which are no package."""
    sys.path.insert(0, str(DOCS))
    yield importlib.import_module
    sys.path.remove(str(DOCS))


@pytest.mark.parametrize("page", EXECUTED, ids=lambda page: page.name)
def test_blocks_run_and_print_what_is_shown(page, tools, tmp_path, assert_prints):
    names: dict = {}
    for language, code, shown in tools("_blocks").blocks(page.read_text(encoding="utf-8")):
        printed = tools("_blocks").execute(language, code, names, tmp_path)
        if printed is not None and shown:
            assert_prints(printed, shown[2], rel=0.02, tolerance=0.006)


def test_generated_pages_are_current(tools):
    for path, text in tools("generate").pages().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name} is old: run make docs"


@pytest.mark.parametrize("name", ["light", "dark"])
def test_picture_shows_every_group(name):
    picture = ElementTree.parse(DOCS / f"ladder-{name}.svg")
    words = {element.text for element in picture.iter() if element.text}
    assert words >= set(LADDER)


def anchors(page: Path) -> set[str]:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    titles = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)|(?:src|srcset)=\"([^\"]+)\"", text):
        path, _, anchor = "".join(target).partition("#")
        if path.startswith(("https://", "http://")):
            continue
        goal = page.parent / path if path else page
        assert goal.exists() or goal == ROOT / "benchmarks" / "RESULTS.md", target
        if anchor:
            assert anchor in anchors(goal), target


def test_files_named_in_the_documentation_exist():
    for page in PAGES:
        for name in re.findall(r"`((?:src|tests|docs|examples)/[\w/.]+\.py)`", page.read_text()):
            assert (ROOT / name).exists(), f"{page.name}: {name}"


def test_references_and_bibliography_agree():
    cited = {group.cite for group in LADDER.values() if group.cite}
    for path in (ROOT / "src").rglob("*.py"):
        for keys in re.findall(
            r"^ +References:\n((?: +[\w, ]+\n)+)", path.read_text("utf-8"), re.M
        ):
            cited |= set(re.findall(r"\w+", keys))
    present = re.findall(r"^@\w+\{(\w+),$", (ROOT / "references.bib").read_text("utf-8"), re.M)
    assert len(present) == len(set(present))
    assert cited == set(present)
