"""The page as text: every kind of comparison renders, nothing of the data is markup."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from importlib.resources import files

import pytest

from coset.report import render, render_matrix, snippet, write_page

VOID = {"meta", "link", "br", "img", "input", "hr"}
KINDS = ["full", "wide", "small", "several", "none", "unrelated", "undetermined", "huge",
         "minimal", "empty", "nones", "absent", "hostile"]  # fmt: skip
MATRICES = ["layers", "square", "deep", "hostile", "empty", "one", "nones"]


class Structure(HTMLParser):
    """Collects tags, attributes and text, and insists that every element is closed in order."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.attributes, self.ids, self.text = [], [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not self.open or self.open[-1] not in {"script", "style"}:
            self.text.append(data)


def structure(page):
    found = Structure()
    found.feed(page)
    found.close()
    assert found.open == []
    assert len(found.ids) == len(set(found.ids))
    return found


def words(page):
    return re.sub(r"\s+", " ", " ".join(structure(page).text))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_a_whole_page(kinds, kind):
    page = render(kinds[kind])
    assert page.startswith("<!doctype html>")
    found = structure(page)
    assert found.tags.count("h1") == 1
    assert {"main", "header", "footer", "title"} <= set(found.tags)
    assert ("viewport", "width=device-width, initial-scale=1") in _pairs(page)
    text = words(page)
    for leaked in ("None", "nan", "inf ", "Undefined", "{{", "{%"):
        assert leaked not in text or kind == "hostile", leaked
    assert len(page.encode()) < 300_000


def _pairs(page):
    return set(re.findall(r'name="(viewport)" content="([^"]*)"', page))


@pytest.mark.parametrize("kind", MATRICES)
def test_every_matrix_is_a_whole_page(matrices, kind):
    found = structure(render_matrix(matrices[kind]))
    assert found.tags.count("h1") == 1


@pytest.mark.parametrize("kind", KINDS)
def test_snippet_is_small_and_confined(kinds, kind):
    shown = snippet(kinds[kind])
    structure(shown)
    assert len(shown.encode()) < 30_000
    style = re.search(r"<style>(.*?)</style>", shown, re.S)[1]
    selectors = [part for rule in style.split("}")[:-1] for part in rule.split("{")[0].split(",")]
    assert all(part.strip().startswith(".coset-snippet") for part in selectors)
    assert "<script" not in shown


@pytest.mark.parametrize(
    ("kind", "state", "said"),
    [
        ("full", "agree", "old.npy and new.npy agree up to an affine map."),
        ("several", "several", "Verdict: componentwise, and orthogonal"),
        ("none", "none", "Verdict: none holds"),
        ("unrelated", "unrelated", "Verdict: unrelated"),
        ("undetermined", "undetermined", "Verdict: undetermined, too few rows"),
    ],
)
def test_verdict_has_its_tone_and_its_words(kinds, kind, state, said):
    page = render(kinds[kind])
    assert f'class="hero tone-{state}"' in page
    assert said in words(page)
    assert said in words(snippet(kinds[kind])) or kind == "full"


def test_numbers_are_written_for_people(kinds):
    text = words(render(kinds["full"]))
    assert "0.982" in text
    assert "0.9821" not in text
    assert "−0.021" in text
    assert "-0.021" not in text
    assert "1,797 × 64" in text
    assert "18 November 2026, 21:30 UTC" in text
    assert "< 0.001" in text


def test_scores_far_below_the_axis_are_marked_and_told(kinds):
    page = render(kinds["huge"])
    assert page.count('class="c-off"') >= 30
    assert "−1.5 × 10⁷" in words(page)


def test_hostile_text_stays_text(kinds, matrices, hostile_text):
    for page in (
        render(kinds["hostile"]),
        render_matrix(matrices["hostile"]),
        snippet(kinds["hostile"]),
    ):
        found = structure(page)
        assert "img" not in found.tags
        assert not any(name.startswith("on") for name, _ in found.attributes)
        assert "<script>alert" not in page
        assert "49" not in re.findall(r"<p[^>]*>\s*49\s*</p>", page)
        assert hostile_text in "".join(found.text)


def test_only_our_script_may_run(kinds, matrices):
    for page in (render(kinds["hostile"]), render_matrix(matrices["hostile"])):
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
        assert "default-src &#39;none&#39;" in policy or "default-src 'none'" in policy
        assert "sha256-" in policy
        assert page.count("<script") == 1 + page.count('<script type="application/json"')


def test_nothing_is_loaded_from_elsewhere(kinds, matrices):
    for page in (render(kinds["full"]), render_matrix(matrices["layers"]), snippet(kinds["full"])):
        assert not re.search(r"https?://", page)
        assert "@import" not in page
        assert "url(" not in page
        loaded = [v for n, v in structure(page).attributes if n in {"src", "href", "xlink:href"}]
        assert all(value.startswith(("#", "data:")) for value in loaded)


def test_every_chart_has_a_name_and_a_table(kinds):
    page = render(kinds["full"])
    figures = re.findall(r"<figure.*?</figure>", page, re.S)
    assert len(figures) == 6
    for figure in figures:
        assert "<figcaption>" in figure
        assert "<table>" in figure
        assert figure.count('role="img"') >= 2
        assert all(
            len(label) > 20 for label in re.findall(r'role="img" aria-label="([^"]*)"', figure)
        )


def test_wide_representations_are_summed_up(kinds):
    small, wide = render(kinds["small"]), render(kinds["wide"])
    assert small.count('class="c-bar c-ab"') >= 12
    assert len(wide) < len(small) * 1.5
    assert "share of columns, best first" in wide
    assert "of 1,024 directions" in wide


def test_file_is_written_whole_or_not_at_all(tmp_path, kinds, monkeypatch):
    target = tmp_path / "page.html"
    assert write_page(kinds["full"], target) == target
    assert target.read_text(encoding="utf-8") == render(kinds["full"])
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]

    def broken(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(OSError, match="disk full"):
        write_page(kinds["none"], target)
    assert target.read_text(encoding="utf-8") == render(kinds["full"])
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_same_comparison_gives_the_same_page(kinds):
    assert render(kinds["full"]) == render(kinds["full"])


def test_templates_are_files_of_the_package():
    names = {path.name for path in files("coset.report").joinpath("templates").iterdir()}
    assert {"page.html.j2", "matrix.html.j2", "snippet.html.j2", "style.css", "page.js"} <= names


def test_library_is_imported_without_templates():
    code = "import sys, coset; sys.exit('jinja2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_sentence_is_cut_into_what_is_said_and_why():
    from coset.report._verdict import _split

    cut = _split("a: x and b agree up to a rotation: R² 0.99; no more.", ("a: x", "b"))
    assert cut == ("a: x and b agree up to a rotation.", "R² 0.99; no more.")
    cut = _split("Undetermined: 9 rows are too few; give more.", ("a", "b"))
    assert cut == ("9 rows are too few.", "Give more.")
    assert _split("a and b are equal.", ("a", "b")) == ("a and b are equal.", "")


def test_matrix_is_written_and_shown_by_the_same_calls(tmp_path, matrices):
    target = write_page(matrices["layers"], tmp_path / "matrix.html")
    assert target.read_text(encoding="utf-8") == render_matrix(matrices["layers"])
    shown = snippet(matrices["square"])
    structure(shown)
    assert "c-heat" in shown


def test_relation_is_taken_from_the_comparison_where_it_is_told(kinds):
    assert "tone-none" in render({**kinds["unrelated"], "related": True})
    assert "tone-unrelated" in render({**kinds["none"], "related": False})
