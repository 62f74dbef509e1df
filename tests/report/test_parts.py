"""The small pure functions that the page is made of."""

import math

import pytest

from coset.groups import LADDER
from coset.report import _numbers as numbers
from coset.report._names import shortened
from coset.report._rungs import KNOWN, rungs
from coset.report._scales import Scale, apart, luminance, ramp, score_floor, thin, ticks
from coset.report._svg import tag

CONTAINMENTS = {
    ("identity", "permutation"), ("permutation", "signed-permutation"),
    ("signed-permutation", "scaled-permutation"), ("scaled-permutation", "componentwise"),
    ("componentwise", "nonlinear"), ("signed-permutation", "orthogonal"),
    ("orthogonal", "linear"), ("linear", "affine"), ("affine", "nonlinear"),
    ("orthogonal", "similarity"), ("similarity", "affine"), ("scaled-permutation", "affine"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.98213, "0.982"), (1, "1.000"), (-0.0213, "−0.021"), (-0.0001, "0.000"), (0, "0.000"),
        (-3.917, "−3.92"), (-40.26, "−40.3"), (-1204.2, "−1,204"), (1.5e7, "1.5 × 10⁷"),
        (-2e-9, "0.000"), (None, "–"), (math.nan, "–"), (math.inf, "–"), ("x", "–"), (True, "–"),
    ],
)  # fmt: skip
def test_score(value, text):
    assert numbers.score(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (0.95, "0.95"), (1024, "1,024"), (-2.5, "−2.5"), (1e-7, "1.0 × 10⁻⁷"), (None, "–")],
)
def test_plain(value, text):
    assert numbers.plain(value) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("chance gives -0.02", "chance gives −0.02"), ("[-1, -0.5]", "[−1, −0.5]"),
        ("run-1.npy", "run-1.npy"), ("--rows 5", "--rows 5"), ("a - b", "a - b"), (None, ""),
    ],
)  # fmt: skip
def test_minus_is_a_minus_only_before_numbers(text, shown):
    assert numbers.typographic(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2026-11-18T21:30:00+00:00", "18 November 2026, 21:30 UTC"),
        ("2026-01-02T03:04:05", "2 January 2026, 03:04"), ("yesterday", "yesterday"), (None, ""),
    ],
)  # fmt: skip
def test_when(text, shown):
    assert numbers.when(text) == shown


def test_scale_carries_ends_to_ends_and_clips():
    scale = Scale(-0.25, 1, 100, 200)
    assert (scale(-0.25), scale(1), scale(-40), scale(2)) == (100, 200, 100, 200)
    assert Scale(1, 100, 0, 10, log=True)(10) == pytest.approx(5)
    assert Scale(3, 3, 0, 10)(3) == 5


def test_ticks_are_round_and_inside():
    assert ticks(0, 1, 4) == [0, 0.25, 0.5, 0.75, 1.0]
    assert ticks(1, 12, 5, whole=True) == [5, 10]
    assert ticks(0, 3, 8, whole=True) == [0, 1, 2, 3]
    assert ticks(5, 5) == [5]


def test_thinning_keeps_the_ends():
    chosen = thin(1024, 40)
    assert (chosen[0], chosen[-1], len(chosen)) == (0, 1023, 40)
    assert thin(3, 40) == [0, 1, 2]
    assert apart([(0, "a"), (5, "b"), (30, "c")], 10) == [(5, "b"), (30, "c")]


def test_floor_of_scores():
    assert [score_floor(v) for v in ([0.2, 1], [-0.05], [-40], [])] == [0, -0.1, -0.25, 0]


def test_ramp_climbs_in_lightness_alone():
    from coset.report._heat import DARK, LIGHT

    light = [luminance(colour) for colour in ramp(LIGHT, 24)]
    dark = [luminance(colour) for colour in ramp(DARK, 24)]
    assert light == sorted(light, reverse=True)
    assert dark == sorted(dark)


def test_edges_are_the_containments_of_the_ladder(kinds):
    order = list(KNOWN)
    assert order == list(LADDER)
    edges = {(rung.name, other) for rung in rungs(kinds["full"]) for other in rung.inside}
    assert edges == CONTAINMENTS
    assert all(order.index(one) < order.index(two) for one, two in edges)


def test_names_lose_what_they_share_at_both_ends():
    paths = [f"experiments/run-{k}/layer.npy" for k in range(3)]
    assert shortened(paths, 12) == ["…run-0…", "…run-1…", "…run-2…"]
    assert shortened(paths, 40) == paths
    assert shortened([".npy", "a long name.npy"], 8)[0] == ".npy"
    assert all(len(name) <= 12 for name in shortened(["x" * 40 + str(k) for k in range(3)], 12))


def test_p_values_at_their_floor_say_so():
    assert numbers.p_value(1 / 51, least=True) == "≤ 0.020"
    assert numbers.p_value(0.0131) == "0.013"
    assert numbers.p_value(None) == "–"
    assert [numbers.brief(v) for v in (0.0431239, 1.2, 0, None)] == ["0.0431", "1.2", "0", "–"]


def test_elements_escape_what_they_are_given():
    assert tag("text", "<b>", data_tip='"x"\'') == (
        '<text data-tip="&#34;x&#34;&#39;">&lt;b&gt;</text>'
    )
    assert tag("g", tag("path", d="M0 0"), None) == '<g><path d="M0 0"></path></g>'


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("the rows may be out of order", "The rows may be out of order."),
        ("old.npy is wider", "old.npy is wider."),
        ("a holds more", "a holds more."),
        ("Done.", "Done."),
        ("", ""),
    ],
)
def test_sentences_begin_and_end_as_such(text, shown):
    assert numbers.sentence(text, ("a", "b")) == shown
