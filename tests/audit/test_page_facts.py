"""What `to_dict` tells the page beside the verdict."""

import numpy as np
import pytest

import coset


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(0)
    a = rng.normal(size=(400, 20))
    b = a @ rng.normal(size=(20, 20)) + 0.3 * rng.normal(size=a.shape)
    a[7] += 40
    return coset.compare(a, b).to_dict()


def test_shuffled_correlations_are_held_out_like_those_they_are_compared_with():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 80, 20))
    told = coset.compare(a, b).to_dict()["correlations"]
    assert told["in_sample"][0] > 0.7
    for kind in ("held_out", "chance"):
        # standard error of a mean of twenty correlations on 16 rows, of 5 or 10 fits: below 0.03
        assert abs(np.mean(told[kind])) < 0.15


def test_histograms_of_both_ways_share_edges_and_lose_no_row(found):
    residuals = found["residuals"]
    edges = residuals["edges"]
    for way in ("ab", "ba"):
        assert len(residuals[way]["counts"]) == len(edges) - 1
        assert sum(residuals[way]["counts"]) + residuals[way]["beyond"] == found["rows"]
        beyond = [one for one in residuals[way]["worst"] if one["error"] > edges[-1]]
        assert len(beyond) == residuals[way]["beyond"]
    assert residuals["ab"]["worst"][0]["row"] == 7


def test_a_perfect_map_still_has_an_axis():
    a = np.random.default_rng(2).normal(size=(60, 3))
    residuals = coset.compare(a, a).to_dict()["residuals"]
    assert residuals["edges"][-1] > 0
    assert residuals["ab"]["counts"][0] == 60


def test_search_tells_what_guessing_the_row_gives(found):
    assert found["search"]["item_chance"] == 1 / found["search"]["index"]


def test_p_values_are_marked_where_no_shuffle_came_up_to_the_measure(found):
    details = found["measure_details"]
    assert details["cca"]["p_value"] == 1 / 51
    assert details["cca"]["p_least"]
    assert details["rsa"]["p_value"] == 1 / 21
    assert details["rsa"]["p_least"]
    rng = np.random.default_rng(3)
    loose = coset.compare(*rng.normal(size=(2, 100, 3))).to_dict()["measure_details"]
    assert all(d["p_least"] == (d["p_value"] in (1 / 51, 1 / 21)) for d in loose.values())
    assert not all(d["p_least"] for d in loose.values())


def test_two_stacks_are_told_apart(tmp_path):
    rows = np.random.default_rng(4).normal(size=(60, 3))
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        np.savez(tmp_path / folder / "layers.npz", first=rows, last=rows**2)
    np.savez(tmp_path / "other.npz", first=rows, last=rows**2)
    x = tmp_path / "x" / "layers.npz"
    table = coset.compare_many(x, tmp_path / "other.npz", seed=3)
    assert (table.a, table.b) == ("layers.npz", "other.npz")
    start = "Of 4 pairs, first of layers.npz and first of other.npz are closest (CKA, debiased: "
    assert table.sentence.startswith(start)
    assert "(p ≤ 0.01 over all pairs)" in table.sentence
    told = table.to_dict()
    assert (told["rows"], told["null_rows"], told["draws"], told["seed"]) == (60, 60, 99, 3)
    assert told["p_least"]
    same = coset.compare_many(x, tmp_path / "y" / "layers.npz")
    assert (same.a, same.b) == (str(x), str(tmp_path / "y" / "layers.npz"))
    stacks = coset.compare_many([rows, rows**2], [rows])
    assert (stacks.a, stacks.b) == ("a", "b")


def test_one_list_has_no_sides():
    rows = np.random.default_rng(5).normal(size=(60, 3))
    sentence = coset.compare_many({"one": rows, "two": rows + 1, "three": rows**3}).sentence
    assert sentence.startswith("Of 3 pairs, one and two are closest (CKA, debiased: 1.000).")
    assert coset.compare_many({"one": rows, "two": rows}).sentence.startswith("one and two are ")
