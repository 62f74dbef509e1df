"""What the documentation says is what the code does."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from coset.groups import LADDER

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
EXECUTED = (ROOT / "README.md", DOCS / "tour.md", DOCS / "sources.md")
PAGES = (*sorted(ROOT.glob("*.md")), *sorted(DOCS.glob("*.md")))
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


def blocks(text: str) -> list[tuple[str, str, str | None]]:
    """Language, code, and the output shown right under it."""
    found = list(FENCE.finditer(text))
    shown = []
    for this, following in zip(found, [*found[1:], None]):
        under = following and not text[this.end() : following.start()].strip()
        output = following[2] if under and following[1] == "text" else None
        shown.append((this[1], this[2], output))
    return shown


def execute(language: str, code: str, names: dict, folder: Path) -> str | None:
    """What a block prints; None for a block that is not to be run."""
    if language == "python":
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(code, "documentation", "exec"), names)
        return printed.getvalue()
    lines = code.strip().splitlines()
    if language != "bash" or not all(line.startswith("coset ") for line in lines):
        return None
    place = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": place, "COLUMNS": "80"}
    ran = subprocess.run(
        ["bash", "-e", "-c", code], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout + ran.stderr


@pytest.mark.parametrize("page", EXECUTED, ids=lambda page: page.name)
def test_blocks_run_and_print_what_is_shown(page, tmp_path, monkeypatch, assert_prints):
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    for language, code, shown in blocks(page.read_text(encoding="utf-8")):
        printed = execute(language, code, names, tmp_path)
        if printed is not None and shown is not None:
            assert_prints(printed, shown, rel=0.02, tolerance=0.006)


@pytest.fixture(scope="module")
def generate():
    sys.path.insert(0, str(DOCS))
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.path.remove(str(DOCS))


def test_generated_pages_are_current(generate):
    for path, text in generate.pages().items():
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
