"""Agreement of several fits: what is one is 1, what is unrelated is at chance, words otherwise."""

from __future__ import annotations

import numpy as np
import pytest

import coset
from coset._core import BadInput

RNG = np.random.default_rng(0)
CODES = RNG.normal(size=(600, 3))
TURNS = [np.linalg.qr(RNG.normal(size=(3, 3)))[0] for _ in range(4)]


class Turning:
    """A fitted estimator, as far as consistency is concerned."""

    def __init__(self, turn):
        self.turn = turn

    def transform(self, x):
        return np.asarray(x) @ self.turn


def test_fits_that_differ_by_a_member_of_the_group_agree():
    found = coset.consistency([Turning(turn) for turn in TURNS], CODES, group="orthogonal")
    assert found.mean == pytest.approx(1, abs=1e-9)
    assert found.matrix.shape == (4, 4)
    assert found.chance < 0.05
    strict = coset.consistency([CODES @ turn for turn in TURNS], group="permutation")
    assert strict.mean < 0.9


def test_unrelated_fits_are_at_chance():
    found = coset.consistency(dict(zip("abc", RNG.normal(size=(3, 600, 3)), strict=True)))
    assert found.names == ("a", "b", "c")
    assert found.mean == pytest.approx(found.chance, abs=0.02)
    assert found.low <= found.mean <= found.high


def test_every_cell_is_the_held_out_score_of_compare():
    noisy = [CODES + RNG.normal(size=CODES.shape) * size for size in (0.0, 0.3, 0.6)]
    found = coset.consistency(noisy)
    pair = coset.compare(noisy[0], noisy[2]).groups["affine"]
    assert found.matrix[0, 2] == pytest.approx(pair.r2_ab, abs=1e-12)
    assert found.matrix[2, 0] == pytest.approx(pair.r2_ba, abs=1e-12)
    lesser = np.minimum(found.matrix, found.matrix.T)[np.triu_indices(3, 1)]
    assert found.mean == pytest.approx(lesser.mean())
    assert found.low < found.mean < found.high
    assert float(found) == found.mean
    assert "3 fits agree up to affine" in repr(found)


def test_two_fits_have_the_interval_of_their_score():
    noisy = CODES + RNG.normal(size=CODES.shape) * 0.5
    found = coset.consistency([CODES, noisy])
    pair = coset.compare(CODES, noisy).groups["affine"]
    assert (found.low, found.high) == pytest.approx((pair.low, pair.high))


def test_each_fit_may_have_rows_of_its_own():
    found = coset.consistency([Turning(t) for t in TURNS[:2]], [CODES, CODES * 2])
    assert found.mean == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize(
    ("models", "x", "says"),
    [
        ([CODES], None, "1 fit"),
        (CODES, None, "list or mapping"),
        ([Turning(TURNS[0]), CODES], CODES, "mixed"),
        ([Turning(turn) for turn in TURNS], None, "without X"),
        ([CODES, CODES], CODES, "leave X out"),
        ([Turning(turn) for turn in TURNS], [CODES], "4 models and 1 arrays"),
        ([CODES, CODES[:-1]], None, "rows"),
    ],
)
def test_wrong_input_is_refused_in_words(models, x, says):
    with pytest.raises(BadInput, match=says):
        coset.consistency(models, x)
