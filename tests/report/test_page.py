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
KINDS = ["full", "wide", "small", "several", "none", "unrelated", "undetermined", "heads",
         "few labels", "huge", "minimal", "empty", "nones", "absent", "hostile"]  # fmt: skip
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
        ("full", "agree", "old.npy and new.npy agree up to an invertible affine map."),
        ("several", "several", "Verdict: componentwise, and linear"),
        ("none", "none", "Verdict: none holds"),
        ("unrelated", "unrelated", "Verdict: unrelated"),
        ("undetermined", "undetermined", "Verdict: undetermined"),
    ],
)
def test_verdict_has_its_tone_and_its_words(kinds, kind, state, said):
    page = render(kinds[kind])
    assert f'class="hero tone-{state}"' in page
    assert said in words(page)
    assert said in words(snippet(kinds[kind])) or kind == "full"


def test_numbers_are_written_for_people(kinds):
    full = {**kinds["full"], "created": "2026-11-18T21:30:00+00:00"}
    text = words(render(full))
    r2, chance = full["groups"]["affine"]["r2"], full["groups"]["affine"]["chance"]
    assert f"{r2:.3f}" in text
    assert f"{r2:.4f}" not in text
    assert chance < 0
    assert f"−{-chance:.3f}" in text
    assert f"-{-chance:.3f}" not in text
    assert "1,200 × 24" in text
    assert "18 November 2026, 21:30 UTC" in text
    assert "≤ 0.048" in text


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
    assert "of 130 directions" in wide


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


def test_names_begin_a_sentence_as_they_are_written(kinds):
    page = render({**kinds["full"], "a": {"name": "runs/old.npy"}, "b": {"name": "runs/new.npy"}})
    assert "old.npy and new.npy agree up to an invertible affine map." in words(page)


class Watched(dict):
    """A dictionary that notes which of its keys are asked for, and those inside it."""

    def __init__(self, given, asked, path=()):
        self.asked, self.path = asked, path
        super().__init__(
            {key: _watched(value, asked, (*path, key)) for key, value in given.items()}
        )

    def __getitem__(self, key):
        self.asked.add((*self.path, key))
        return super().__getitem__(key)

    def get(self, key, default=None):
        self.asked.add((*self.path, key))
        return super().get(key, default)


def _watched(value, asked, path):
    if isinstance(value, dict):
        return Watched(value, asked, path)
    if isinstance(value, list):
        return [_watched(item, asked, (*path, "*")) for item in value]
    return value


def _keys(value, path=()):
    if isinstance(value, dict):
        return set().union(*({(*path, k)} | _keys(v, (*path, k)) for k, v in value.items()))
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return _keys(value[0], (*path, "*"))
    return set()


def test_the_page_reads_only_what_a_comparison_tells(real, matrices):
    asked, told = set(), set()
    for given in (*real.values(), *(matrices[kind] for kind in ("layers", "square", "one"))):
        told |= _keys(given)
        watched = Watched(given, asked)
        render_matrix(watched) if given["kind"] == "matrix" else render(watched)
        snippet(watched)
    assert asked - told == set()


def test_learning_curve_says_what_its_number_of_rows_means(kinds):
    def said(**changes):
        curve = {"group": "affine", "rows": [8, 16, 960], "r2": [0.5, 0.96, 0.965], **changes}
        return words(render({**kinds["full"], "learning_curve": curve}))

    near = "16 paired rows come within 0.01 of what all 960 give (R² 0.965). Group"
    assert near in said(needed=16)
    assert "8 paired rows or fewer come within" in said(needed=8, r2=[0.96, 0.96, 0.965])
    low = said(needed=16, r2=[0.5, 0.9, 0.9])
    assert "give (R² 0.900). The threshold of 0.95 is not reached." in low
    assert "The score still climbs: all 960 paired rows" in said(needed=960)
    assert "Even all 960 paired rows" in said(needed=None, r2=[-3.0, -2.0, -0.1])


@pytest.mark.parametrize("kind", ["unrelated", "undetermined"])
def test_without_a_relation_no_map_is_offered(kinds, kind):
    page = render(kinds[kind])
    assert 'id="worst"' not in page
    assert 'id="fig-search"' not in page
    assert "too few rows" not in words(page)
    for shown in ("full", "none"):
        assert 'id="worst"' in render(kinds[shown])
        assert "relative to the spread of b" in words(render(kinds[shown]))


def test_marks_below_the_axis_have_a_key(kinds):
    assert "below the axis: less than −0.25" in words(render(kinds["huge"]))
    high = {name: {**group, "r2": 0.5} for name, group in kinds["full"]["groups"].items()}
    curve = {**kinds["full"]["learning_curve"], "r2": [0.0, 0.5], "rows": [8, 960]}
    page = render({**kinds["full"], "groups": high, "learning_curve": curve})
    assert "below the axis" not in page
    assert "c-off" not in page.split("</style>")[-1]


def test_columns_are_named_only_where_they_differ(kinds):
    full = kinds["full"]

    def caption(values):
        columns = {"group": "affine", "ab": values, "ba": None}
        return words(render({**full, "columns": columns}))

    assert "Least explained in b: column 1 (0.200), column 0 (0.900)." in caption([0.9, 0.2])
    assert "Least explained" not in caption([0.99999, 0.99998, 1.0])


def test_histograms_share_their_edges_and_count_what_lies_beyond(kinds):
    edges = [0.0, 0.123456, 0.246912]
    both = {"ab": {"counts": [5, 0], "beyond": 2}, "ba": {"counts": [3, 0], "beyond": 0}}
    text = words(
        render({**kinds["full"], "residuals": {"group": "affine", "edges": edges, **both}})
    )
    assert "Rows beyond 0.247: 2 (a → b)." in text
    assert "0 to 0.123 5 3" in text
    assert "0.123 to 0.247" not in text
    assert "more than 0.247 2 0" in text


def test_heads_are_shown_once_where_all_directions_count(kinds):
    whole, few = words(render(kinds["heads"])), words(render(kinds["few labels"]))
    assert "Tie, ‖A_fᵀA_g − I‖/√M" in whole
    assert "over all dimensions" not in whole
    assert "Tie, ‖A_fᵀA_g − I‖/√M, over all dimensions" in few


def test_matrix_says_which_side_is_which_and_how_it_was_made(matrices):
    layers, square = (words(render_matrix(matrices[kind])) for kind in ("layers", "square"))
    assert "Rows: a. Columns: b." in layers
    assert "156 12 × 13, rows × columns" in layers
    assert "15 of 6 representations, each once" in square
    assert "Columns:" not in square
    for text in (layers, square):
        assert "rows that were shuffled 80 shuffles 99 seed 0" in text
        assert "cka_debiased" not in text.split("How to read")[0]
        assert "≤ 0.010" in text
