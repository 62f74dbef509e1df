"""One pass: any chunking, any type, any offset, the same numbers."""

from __future__ import annotations

import pickle

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coset._core import BadInput
from coset.metrics import Factors, Moments

KINDS = pytest.mark.parametrize("kind", [Moments, Factors])


def pair(n=200, p=5, q=3, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(n, p)) * 3 + 10
    return a, a[:, :1] @ rng.normal(size=(1, q)) + rng.normal(size=(n, q)) - 4


def direct(a, b):
    x, y = a - a.mean(0), b - b.mean(0)
    k, l = (x**2).sum(1), (y**2).sum(1)
    return {
        "mean_a": a.mean(0),
        "mean_b": b.mean(0),
        "aa": x.T @ x,
        "ab": x.T @ y,
        "bb": y.T @ y,
        "quartic": np.array([k @ k, k @ l, l @ l]),
    }


def check(moments, a, b, rtol=1e-9, names=("mean_a", "mean_b", "aa", "ab", "bb")):
    truth = direct(a.astype(float), b.astype(float))
    size = {name: max(1, np.abs(truth[name]).max()) for name in ("mean_a", "mean_b")}
    size |= {"aa": np.trace(truth["aa"]), "bb": np.trace(truth["bb"])}
    size["ab"] = np.sqrt(size["aa"] * size["bb"])
    assert moments.n == len(a)
    for name in names:
        scale = size.get(name, np.abs(truth[name]).max())
        assert np.abs(getattr(moments, name) - truth[name]).max() <= rtol * scale, name


@KINDS
@given(cuts=st.lists(st.integers(1, 199), max_size=12, unique=True), seed=st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_any_chunking_any_order_of_merging(kind, cuts, seed):
    a, b = pair()
    parts = [kind().update(a[i], b[i]) for i in np.split(np.arange(200), sorted(cuts))]
    generator = np.random.default_rng(seed)
    while len(parts) > 1:
        i, j = generator.choice(len(parts), 2, replace=False)
        merged = parts[i].merge(parts[j])
        parts = [part for k, part in enumerate(parts) if k not in (i, j)] + [merged]
    check(parts[0], a, b)
    if kind is Moments:
        check(parts[0], a, b, names=("quartic",))


@KINDS
def test_updates_in_place_and_merges_into_a_new_object(kind):
    a, b = pair()
    first, second = kind().update(a[:50], b[:50]), kind().update(a[50:], b[50:])
    assert first.update(a[50:60], b[50:60]) is first
    before = first.aa.copy(), second.aa.copy()
    merged = first.merge(second)
    assert merged is not first
    np.testing.assert_array_equal(first.aa, before[0])
    np.testing.assert_array_equal(second.aa, before[1])


@KINDS
def test_empty_is_neutral(kind):
    a, b = pair()
    check(kind().merge(kind().update(a, b)), a, b)
    check(kind().update(a, b).merge(kind()), a, b)
    assert kind().merge(kind()).n == 0


@KINDS
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_offset_costs_no_accuracy(kind, dtype, offset):
    # float16 near 1e4 is a grid of 8: the data change, their moments must not lose more
    rng = np.random.default_rng(0)
    a = (rng.normal(size=(3000, 4)) * 20 + offset).astype(dtype)
    b = (rng.normal(size=(3000, 2)) * 20 - offset).astype(dtype)
    moments = kind()
    for i in range(0, 3000, 700):
        moments.update(a[i : i + 700], b[i : i + 700])
    check(moments, a, b, rtol=1e-9)


def test_offset_of_a_million_standard_deviations():
    a, b = pair()
    check(Moments().update(a + 1e7, b - 1e7), a + 1e7, b - 1e7, rtol=1e-8)


def test_drifting_and_sorted_data():
    rng = np.random.default_rng(0)
    a = rng.normal(size=(5000, 3)) + np.arange(5000)[:, None] * 1e5
    moments = Moments()
    for i in range(0, 5000, 100):
        moments.update(a[i : i + 100], a[i : i + 100, :2])
    check(moments, a, a[:, :2])
    check(moments, a, a[:, :2], names=("quartic",))


def test_bfloat16_and_integers():
    a, b = pair()
    low = a.astype(ml_dtypes.bfloat16)
    check(Moments().update(low, b), low.astype(float), b)
    check(Moments().update(a.astype(int), b), a.astype(int), b)


@KINDS
def test_swapped(kind):
    a, b = pair()
    check(kind().update(a, b).swapped(), b, a)
    if kind is Moments:
        check(kind().update(a, b).swapped(), b, a, names=("quartic",))


@KINDS
def test_pickles_small(kind):
    a, b = pair(n=5000)
    sent = pickle.dumps(kind().update(a, b))
    check(pickle.loads(sent), a, b)
    assert len(sent) < 4000


@KINDS
def test_regression_is_least_squares(kind):
    a, b = pair()
    moments = kind().update(a, b)
    design = np.column_stack([a, np.ones(len(a))])
    truth, errors, *_ = np.linalg.lstsq(design, b, rcond=None)
    np.testing.assert_allclose(moments.regression(), truth[:-1].T, rtol=1e-9)
    offset = moments.mean_b - moments.regression() @ moments.mean_a
    np.testing.assert_allclose(offset, truth[-1], rtol=1e-8)
    np.testing.assert_allclose(moments.residual(moments.regression(), offset), errors, rtol=1e-9)


@KINDS
def test_regression_of_deficient_rank_predicts_as_well(kind):
    a, b = pair()
    wide = np.column_stack([a, a[:, 0] + a[:, 1], a[:, 2], np.full(len(a), 7.0)])
    moments = kind().update(wide, b)
    offset = moments.mean_b - moments.regression() @ moments.mean_a
    full = kind().update(a, b)
    expected = full.residual(full.regression(), full.mean_b - full.regression() @ full.mean_a)
    np.testing.assert_allclose(moments.residual(moments.regression(), offset), expected, rtol=1e-9)


def test_shuffled_cross_moments_replace_the_pairing():
    a, b = pair()
    order = np.random.default_rng(0).permutation(len(b))
    truth = Moments().update(a, b[order])
    moved = Moments().update(a, b).with_cross(truth.ab)
    assert moved.cca().value == pytest.approx(truth.cca().value, abs=1e-12)


@KINDS
def test_refusals(kind):
    a, b = pair()
    spoiled = a.copy()
    spoiled[3, 1] = np.inf
    with pytest.raises(BadInput, match="row 3, column 1"):
        kind().update(spoiled, b)
    with pytest.raises(BadInput, match="columns"):
        kind().update(a, b).update(a[:, :2], b)
    with pytest.raises(BadInput, match="cannot be merged"):
        kind().update(a, b).merge(kind().update(a[:, :2], b))


def test_a_refused_block_leaves_no_trace():
    a, b = pair()
    moments = Moments().update(a, b)
    with pytest.raises(BadInput):
        moments.update(np.full((3, 5), np.nan), np.zeros((3, 3)))
    check(moments, a, b)


@KINDS
@pytest.mark.parametrize("already", [0, 40])
def test_rows_of_many_blocks_are_taken_in_whole_or_not_at_all(kind, already):
    a, b = pair(n=5000)
    moments = kind()
    if already:
        moments.update(a[:already], b[:already])
    spoiled = a.copy()
    spoiled[4321, 2] = np.nan
    with pytest.raises(BadInput, match="row 4421, column 2"):
        moments.update(spoiled, b, first_row=100)
    with pytest.raises(BadInput, match="rows and b has"):
        moments.update(a, b[1:])
    if already:
        with pytest.raises(BadInput, match="columns"):
            moments.update(a[:, :2].astype(np.float32), b)
    assert moments.n == already
    assert moments.tolerance == 0
    check(moments.update(a[already:], b[already:]), a, b)
    if kind is Moments:
        check(moments, a, b, names=("quartic",))


@KINDS
def test_what_was_refused_first_sets_no_widths(kind):
    a, b = pair()
    moments = kind()
    with pytest.raises(BadInput, match="row 0"):
        moments.update(np.full((9, 7), np.nan, dtype=np.float32), np.zeros((9, 2)))
    check(moments.update(a, b), a, b)
    assert moments.tolerance == 0
