"""Every claim, one row: what a claim must have before anybody spends minutes on it."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path

import pytest

import coset
from coset._claim import SCALES
from coset._fingerprint import fingerprint
from coset._lab import refuse_unmet
from coset._run import Trial
from coset.claims import CLAIMS

RAW = 0.7
"""R² of the raw observation of the usual worlds, about: a bound below says nothing."""
NO_CONTROL = {
    "zimmermann2021.faint": "a setting of zimmermann2021.sphere, which has the control",
    "zimmermann2021.robustness": "its rows bend the assumptions themselves",
    "reizinger2024_cross_entropy.hard": "the hard rows of .supervised, which has the control",
    "reizinger2024_cross_entropy.short": "rows of .supervised too, at the budget they have there",
}
NO_CONTROL_AT_SMOKE = {
    "vonkuegelgen2021.style": "the control is the costly row",
    "vonkuegelgen2021.width": "the control is the costly row",
}
LOW = {
    ("vonkuegelgen2021.width", "3 codes, dependent: content"): "three codes for five latents",
}
BEYOND = {"reizinger2024_cross_entropy.short"}
"""It says itself that its budget does not show it."""
TWO = ("zimmermann2021.limit", "roeder2021.diversity")
"""Cheap ones: no training, and twins."""

each = pytest.mark.parametrize("name", CLAIMS)
at_each_scale = pytest.mark.parametrize("scale", SCALES)


def rows(name, scale):
    return CLAIMS[name].cases(scale)


def test_every_paper_has_claims():
    assert {name.partition(".")[0] for name in CLAIMS} == {
        "zimmermann2021", "vonkuegelgen2021", "rusak2024", "reizinger2024_cross_entropy",
        "roeder2021", "guo2023", "reizinger2023", "reizinger2025",
        "hyvarinen2016", "hyvarinen2017", "hyvarinen2019",
        "hyvarinen1999", "reizinger2022", "khemakhem2020", "klindt2021", "locatello2020",
        "ablin2018", "lucas2019", "tipping1999",
        "rajendran2024",
    }  # fmt: skip
    assert set(NO_CONTROL) | set(NO_CONTROL_AT_SMOKE) | set(TWO) <= set(CLAIMS)


@each
def test_names_and_words(name):
    claim = CLAIMS[name]
    assert claim.name == name
    assert re.fullmatch(r"[a-z]+\d{4}(_[a-z_]+)?\.[a-z_]+", name)
    assert claim.paper == name.partition(".")[0]
    entries = (Path(__file__).parents[2] / "references.bib").read_text()
    assert re.search(rf"^@\w+\{{{claim.paper},$", entries, re.MULTILINE)
    for text in filter(None, (claim.says, claim.differs)):
        assert re.fullmatch(r"[A-Z0-9].*[.]", text, re.DOTALL)
        assert "  " not in text
        assert "\n" not in text
    assert len(claim.says) > 60
    assert claim.assumptions
    assert len(set(claim.assumptions)) == len(claim.assumptions)


@each
@at_each_scale
def test_cases(name, scale):
    cases = rows(name, scale)
    assert len({(case.name, case.metric) for case in cases}) == len(cases)
    assert any(case.role == "holds" for case in cases)
    for case in cases:
        assert case.bound[0] in ("at_least", "at_most")
        assert (case.role == "breaks") == bool(case.breaks), case.name
        assert case.published is None or case.where, case.name
        if isinstance(case.cell, Trial):
            assert case.metric in {measure.name for measure in case.cell.measures}, case.name


@each
@at_each_scale
def test_controls(name, scale):
    without = {**NO_CONTROL, **(NO_CONTROL_AT_SMOKE if scale == "smoke" else {})}
    controls = [case for case in rows(name, scale) if case.role == "breaks"]
    assert bool(controls) != (name in without)


@each
def test_bounds_are_beyond_what_is_observed(name):
    for case in rows(name, "small"):
        if case.role == "holds" and case.metric.startswith("r2") and case.bound[0] == "at_least":
            assert case.bound[1] > RAW or (name, case.name) in LOW, case.name


@each
@at_each_scale
def test_cells_are_values(name, scale):
    for case, again in zip(rows(name, scale), rows(name, scale), strict=True):
        letters = fingerprint(case.cell)
        assert fingerprint(again.cell) == letters, case.name
        assert fingerprint(pickle.loads(pickle.dumps(case.cell))) == letters, case.name


@each
@pytest.mark.parametrize("scale", ["smoke", "small"])
def test_every_trial_may_run(name, scale):
    """Worlds meet what objectives need, and controls break what they say."""
    cells = {fingerprint(case.cell): case.cell for case in rows(name, scale)}
    for cell in cells.values():
        if isinstance(cell, Trial):
            world, _, objective = cell._start(0)
            refuse_unmet(world, objective, cell.breaking)


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    out = tmp_path_factory.mktemp("two")
    return coset.verify(list(TWO), scale="smoke", seeds=2, out=out), out


def test_two_claims_from_end_to_end(two):
    found, out = two
    assert [verdict.name for verdict in found] == list(TWO)
    assert [verdict.status for verdict in found] == ["supported", "supported"], repr(found)
    written = json.loads((out / "results.json").read_text())
    assert [claim["status"] for claim in written["claims"]] == ["supported", "supported"]
    for verdict in found:
        for case in verdict.cases:
            assert case.low <= case.score <= case.high
            assert case.seeds == 2
            assert case.met
            assert case.diverged == 0
    assert (out / "index.html").stat().st_size > 10_000


def test_a_second_call_runs_nothing(two):
    found, out = two
    done = []
    again = coset.verify(
        list(TWO), scale="smoke", seeds=2, out=out, progress=lambda *now: done.append(now)
    )
    count = len(found.runs)
    assert done == [("cells", count, count)]
    assert [case for verdict in again for case in verdict.cases] == [
        case for verdict in found for case in verdict.cases
    ]


@pytest.mark.slow
@pytest.mark.timeout(900)
@each
def test_every_claim_at_smoke(name):
    found = coset.verify(name, scale="smoke", seeds=2)
    assert found.status == "supported" or name in BEYOND, found.reason
    assert not any(case.diverged for case in found.cases)
