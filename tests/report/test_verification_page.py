"""The page of a verification: what it says, and that text stays text."""

import json
from html.parser import HTMLParser

import pytest

from coset._core import BadInput
from coset._pages import refresh
from coset.report import render, render_index, render_verification, write_page


class Parsed(HTMLParser):
    """Elements that could load or run something, and all text."""

    def __init__(self, page):
        super().__init__()
        self.risky, self.text = [], []
        self.feed(page)

    def handle_starttag(self, name, attributes):
        given = dict(attributes)
        asks = [v for k, v in given.items() if k in ("src", "href") and not v.startswith("#")]
        listens = [k for k in given if k.startswith("on")]
        if (asks and given.get("href") != "data:,") or listens or name in ("img", "iframe"):
            self.risky.append((name, given))

    def handle_data(self, data):
        self.text.append(data)


KINDS = ["all", "one", "wild", "no runs", "single seed", "hostile", "nones", "absent", "empty"]


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_loaded_and_text_stays_text(verifications, kind):
    page = render_verification(verifications[kind])
    assert Parsed(page).risky == []
    assert page.count("<script") == 1


def test_hostile_text_is_shown_as_it_is(verifications, hostile_text):
    found = "".join(Parsed(render_verification(verifications["hostile"])).text)
    assert hostile_text + "toy2020.line" in found
    assert hostile_text + "a note" in found


def test_index_keeps_text_text(kinds, hostile_text):
    page = render_index(hostile_text, [(f"{hostile_text}.html", kinds["hostile"])])
    (link,) = Parsed(page).risky
    assert link[0] == "a"
    assert '"' not in link[1]["href"]
    assert "<" not in link[1]["href"]
    assert hostile_text in "".join(Parsed(page).text)


def test_says_what_was_found(verifications):
    page = render_verification(verifications["all"])
    said = " ".join("".join(Parsed(page).text).split())
    assert "1 of 3 claims supported." in said
    assert "Refuted: toy2020.box. Uninformative: other2021.loose." in said
    for words in ("Codes are latents up to a linear map.", "latents lie on a unit sphere",
                  "coset verify --all --out runs", "uniform. A tenth of the steps.",
                  "A toy in place of training.", "fails, as it should", "Table 2, row 3",
                  "Behind it: uniform, the same cell", "a note", "6 of 8"):  # fmt: skip
        assert words in said, words
    for word in ("supported", "refuted", "uninformative"):
        assert f"status-{word}" in page


def test_ids_are_unique(verifications):
    page = render_verification(verifications["all"])
    ids = [part.split('"')[0] for part in page.split(' id="')[1:]]
    assert len(ids) == len(set(ids))


def test_a_cell_that_several_cases_share_is_shown_once(verifications):
    page = render_verification(verifications["one"])
    assert page.count("Behind it:") == 3


def test_diverged_seeds_are_told(verifications):
    assert "1 of 1 seeds" in render_verification(verifications["single seed"])


def test_a_folder_of_comparisons_gets_pages_and_an_index(tmp_path, kinds, matrices, verifications):
    given = {"new": kinds["full"], "index": kinds["none"], "layers": matrices["square"],
             "claims": verifications["one"]}  # fmt: skip
    for name, found in given.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(found))
    (tmp_path / "other.json").write_text('{"a": 1}')
    (tmp_path / "torn.json").write_text('{"a": ')
    index = refresh(tmp_path)
    assert index == tmp_path / "index.html"
    assert {path.name for path in tmp_path.glob("*.html")} == {
        "index.html", "new.html", "index-page.html", "layers.html", "claims.html",
    }  # fmt: skip
    assert (tmp_path / "new.html").read_text() == render(kinds["full"])
    text = index.read_text()
    for name in ("new", "index-page", "layers", "claims"):
        assert f'href="{name}.html"' in text
    assert "4 results in" in text


def test_folders_without_results_are_refused(tmp_path):
    with pytest.raises(BadInput, match="is no folder"):
        refresh(tmp_path / "missing")
    with pytest.raises(BadInput, match="holds no results"):
        refresh(tmp_path)
    (tmp_path / "runs").mkdir()
    with pytest.raises(BadInput, match="did not come to its end"):
        refresh(tmp_path)


def test_write_page_knows_a_verification(tmp_path, verifications):
    written = write_page(verifications["one"], tmp_path / "page.html")
    assert written.read_text() == render_verification(verifications["one"])
