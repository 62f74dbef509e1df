"""The tie of two softmax heads: exact where the theorem holds, plainly off where it does not."""

import importlib.util
import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from scipy.special import log_softmax
from threadpoolctl import threadpool_limits

from coset._core import BadInput
from coset.audit._tie import map_from_heads, tie

N, K, M = 400, 12, 4
KEYS = {
    "tie", "tie_chance", "tie_subspace", "tie_floor", "tie_logits", "rank", "rank_a", "rank_b",
    "condition", "condition_a", "condition_b", "classes", "dimensions", "diverse",
    "r2_from_heads", "r2_from_data", "distance", "kl", "sentence",
}  # fmt: skip


def model(seed=0, n=N, labels=K, width=M):
    rng = np.random.default_rng(seed)
    return rng, rng.normal(size=(n, width)) + 0.5, rng.normal(size=(labels, width))


def equal_pair(seed=0, scale=1.0, **sizes):
    """Two models of one distribution, and the matrix between their codes."""
    rng, f, g = model(seed, **sizes)
    matrix = scale * rng.normal(size=(f.shape[1],) * 2)
    return f, g, f @ matrix.T, g @ np.linalg.inv(matrix) + rng.normal(size=f.shape[1]), matrix


def noisy_pair(seed=0):
    f, g, f_b, g_b, _ = equal_pair(seed)
    rng = np.random.default_rng(seed + 1000)
    return f, g, f_b + 0.3 * rng.normal(size=f_b.shape), g_b + 0.1 * rng.normal(size=g_b.shape)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("labels", [M + 1, K, 300])
def test_equal_models_are_tied(scale, labels):
    f_a, g_a, f_b, g_b, matrix = equal_pair(scale=scale, labels=labels)
    found = tie(f_a, f_b, (g_a, g_b))
    assert max(found.tie, found.tie_subspace, found.tie_logits) < 1e-8
    assert found.diverse
    assert found.rank == found.rank_a == found.rank_b == M
    assert found.tie_floor == 0
    np.testing.assert_allclose(found.map_from_heads, matrix, rtol=1e-8, atol=1e-9 * scale)
    assert found.distance < 1e-8
    assert min(found.r2_from_heads, found.r2_from_data) > 1 - 1e-12
    assert found.kl < 1e-12
    assert found.kl_back < 1e-12
    assert found.kl_chance > 0.1
    assert found.tie_chance > 0.5
    assert "are tied as equal predictions require" in found.sentence


def test_single_precision_is_read_as_such():
    arrays = [x.astype(np.float32) for x in equal_pair(labels=200)[:4]]
    found = tie(arrays[0], arrays[2], (arrays[1], arrays[3]))
    assert found.tie < 1e-4
    assert found.rank == M


def with_biases(seed=0):
    """Equal models whose codes differ by an offset that the biases make up for."""
    f_a, g_a, f_b, g_b, _ = equal_pair(seed)
    rng = np.random.default_rng(seed + 1)
    bias, offset = rng.normal(size=K), 3 * rng.normal(size=M)
    return f_a, f_b + offset, (g_a, g_b), bias, bias - (g_b @ offset)


def test_biases_free_an_offset_and_the_heads_know_it():
    f_a, f_b, heads, bias_a, bias_b = with_biases()
    found = tie(f_a, f_b, heads, bias_a=bias_a, bias_b=bias_b)
    assert found.biases
    assert found.tie < 1e-8
    assert found.kl < 1e-12
    assert found.r2_from_heads > 1 - 1e-12


def test_biases_that_are_not_given_leave_the_divergence_unknown():
    f_a, f_b, heads, *_ = with_biases()
    found = tie(f_a, f_b, heads, biases=True)
    assert found.tie < 1e-8
    assert found.r2_from_heads > 1 - 1e-12
    assert (found.kl, found.kl_back, found.kl_rows) == (None, None, 0)
    assert "the biases were not given" in found.sentence


def test_an_offset_without_biases_is_no_equality():
    f_a, f_b, heads, *_ = with_biases()
    found = tie(f_a, f_b, heads)
    assert found.tie > 0.05
    assert found.kl > 0.1


def test_independent_heads_are_tied_by_chance():
    """Over 2,000 seeds the least tie was 0.86 and the least divergence 2.1."""
    for seed in range(5):
        f_a, g_a, f_b, *_ = equal_pair(seed, labels=40)
        found = tie(f_a, f_b, (g_a, np.random.default_rng(seed + 99).normal(size=(40, M))))
        assert found.tie > 0.6
        assert found.tie_chance > 0.6
        assert found.kl > 1
        assert "not tied" in found.sentence


@pytest.mark.parametrize("biases", [False, True])
def test_too_few_labels_determine_rank_directions_only(biases):
    labels, width = 4, 6
    rng, f_a, g_a = model(labels=labels, width=width)
    g_b = rng.normal(size=(labels, width))
    centred_a, centred_b = (g - g.mean(axis=0) for g in (g_a, g_b))
    inverse = np.linalg.pinv(centred_b)
    free = np.eye(width) - inverse @ centred_b
    f_b = f_a @ (inverse @ centred_a).T + rng.normal(size=f_a.shape) @ free
    found = tie(f_a, f_b, (g_a, g_b), bias_a=np.zeros(labels) if biases else None)
    assert found.kl < 1e-12
    assert not found.diverse
    assert found.rank == found.rank_a == found.rank_b == labels - 1
    assert found.tie >= found.tie_floor - 1e-9 == pytest.approx(np.sqrt(3 / 6))
    assert found.tie_subspace < 1e-8
    assert found.r2_from_heads_subspace > 1 - 1e-10
    assert found.r2_from_heads < 0.9
    assert "not diverse (4 labels where 6 dimensions need at least 7)" in found.sentence
    assert "determine 3 directions" in found.sentence


def test_many_labels_of_low_rank_are_not_diverse_either():
    rng, f, _ = model()
    g = rng.normal(size=(50, 2)) @ rng.normal(size=(2, M))
    found = tie(f, f, (g, g))
    assert not found.diverse
    assert found.rank_a == found.rank == 2
    assert "span 2 of 4 dimensions" in found.sentence


def test_dead_units_take_no_part():
    f_a, g_a, f_b, g_b, _ = equal_pair()
    wide = [np.hstack([f, np.zeros((N, 2))]) for f in (f_a, f_b)]
    extra = np.random.default_rng(5).normal(size=(2, K, 2))
    heads = [np.hstack([g, more]) for g, more in zip((g_a, g_b), extra)]
    found = tie(*wide, heads)
    assert found.diverse
    assert found.rank == M
    assert found.tie_subspace < 1e-8
    assert found.tie_logits < 1e-8
    assert "reach the logits in 4 of 6 dimensions only" in found.sentence


def test_a_constant_unit_beside_biases_is_a_bias():
    f_a, f_b, heads, bias_a, bias_b = with_biases()
    ones = np.hstack([f_a, np.full((N, 1), 2.0)])
    head = np.hstack([heads[0], bias_a[:, None] / 2])
    found = tie(ones, f_b, (head, heads[1]), bias_b=bias_b)
    assert found.rank == M
    assert found.kl < 1e-12
    assert found.tie_subspace < 1e-8
    assert found.r2_from_heads_subspace > 1 - 1e-10


def test_a_wider_model_must_earn_its_width():
    f_a, g_a, f_b, g_b, _ = equal_pair()
    rng = np.random.default_rng(7)
    more_f, more_g = rng.normal(size=(N, 3)), rng.normal(size=(K, 3))
    found = tie(f_a, np.hstack([f_b, more_f]), (g_a, np.hstack([g_b, more_g])))
    assert found.tie_ab < 0.5 < found.tie_ba == found.tie
    assert (found.dimensions, found.dimensions_b) == (M, M + 3)


@pytest.mark.parametrize("biases", [False, True])
def test_against_the_formula_written_out(biases):
    f_a, g_a, f_b, g_b = noisy_pair()
    found = tie(f_a, f_b, (g_a, g_b), biases=biases)
    ones = np.ones((N, 1))

    def fit(x, y, intercept):
        design = np.hstack([x, np.ones((len(x), 1))]) if intercept else x
        return np.linalg.lstsq(design, y, rcond=None)[0][: x.shape[1]].T

    a_f, a_g = fit(f_a, f_b, biases), fit(g_a, g_b, True)
    error = a_f.T @ a_g - np.eye(M)
    assert found.tie_ab == pytest.approx(np.linalg.norm(error) / np.sqrt(M), rel=1e-9)
    np.testing.assert_allclose(found.map_from_data, a_f, rtol=1e-9, atol=1e-12)
    centred = f_a - biases * ones @ f_a.mean(axis=0, keepdims=True)
    shown = centred @ (g_a - g_a.mean(axis=0)).T
    wrong = centred @ error @ (g_a - g_a.mean(axis=0)).T
    forwards = np.linalg.norm(wrong) / np.linalg.norm(shown)
    swapped = tie(f_b, f_a, (g_b, g_a), biases=biases)
    assert swapped.tie == pytest.approx(found.tie, rel=1e-9)
    assert swapped.tie_logits == pytest.approx(found.tie_logits, rel=1e-9)
    assert found.tie_logits >= forwards * (1 - 1e-9)
    heads = fit_differences(g_a, g_b)
    assert found.distance == pytest.approx(
        np.linalg.norm(heads - a_f) / np.linalg.norm(a_f), rel=1e-8
    )


def fit_differences(g_a, g_b):
    """(g_b(y) - g_b(y')) A = g_a(y) - g_a(y') for all pairs, by least squares."""
    pairs = list(itertools.combinations(range(len(g_a)), 2))
    left, right = ([g[i] - g[j] for i, j in pairs] for g in (g_b, g_a))
    return np.linalg.lstsq(np.array(left), np.array(right), rcond=None)[0]


def test_map_from_heads_is_least_squares_over_all_differences():
    _, g_a, _, g_b = noisy_pair()
    np.testing.assert_allclose(map_from_heads(g_a, g_b), fit_differences(g_a, g_b), rtol=1e-9)


def test_map_from_chosen_labels_is_the_construction_of_the_theorem():
    _, g_a, _, g_b = noisy_pair()
    chosen = [3, 0, 7, 11, 5]
    l_a, l_b = ((g[chosen[1:]] - g[chosen[0]]).T for g in (g_a, g_b))
    np.testing.assert_allclose(
        map_from_heads(g_a, g_b, chosen), (l_a @ np.linalg.inv(l_b)).T, rtol=1e-8
    )


def test_heads_of_one_dimension_and_two_labels():
    f_a, g_a, f_b, g_b, matrix = equal_pair(labels=2, width=1)
    found = tie(f_a, f_b, (g_a, g_b))
    assert found.tie < 1e-8
    assert found.diverse
    np.testing.assert_allclose(map_from_heads(g_a, g_b), matrix)


def test_divergence_against_its_definition():
    f_a, g_a, f_b, g_b = noisy_pair()
    p, q = (log_softmax(f @ g.T, axis=1) for f, g in ((f_a, g_a), (f_b, g_b)))
    found = tie(f_a, f_b, (g_a, g_b))
    assert found.kl == pytest.approx((np.exp(p) * (p - q)).sum(axis=1).mean(), rel=1e-9)
    assert found.kl_back == pytest.approx((np.exp(q) * (q - p)).sum(axis=1).mean(), rel=1e-9)
    assert found.kl_rows == N


def test_what_no_prediction_shows_changes_nothing():
    """New coordinates of either model, and a vector added to all labels."""
    f_a, g_a, f_b, g_b = noisy_pair()
    rng = np.random.default_rng(3)
    before = tie(f_a, f_b, (g_a, g_b))
    turn_a, turn_b = rng.normal(size=(2, M, M))
    after = tie(
        f_a @ turn_a.T, f_b @ turn_b.T,
        (g_a @ np.linalg.inv(turn_a) + 4, g_b @ np.linalg.inv(turn_b) - 7),
    )  # fmt: skip
    assert after.tie_logits == pytest.approx(before.tie_logits, rel=1e-8)
    assert after.kl == pytest.approx(before.kl, rel=1e-8)
    only_b = tie(f_a, f_b @ turn_b.T, (g_a, g_b @ np.linalg.inv(turn_b)))
    assert only_b.tie_ab == pytest.approx(before.tie_ab, rel=1e-8)


def test_same_seed_same_numbers_and_all_of_them_json():
    f_a, g_a, f_b, g_b = noisy_pair()
    first, second = (tie(f_a, f_b, (g_a, g_b), seed=4).to_dict() for _ in range(2))
    assert first == second
    assert set(first) >= KEYS
    assert json.loads(json.dumps(first, allow_nan=False)) == first


def refused():
    f_a, g_a, f_b, g_b, _ = equal_pair()
    few_a, wide_a, few_b, wide_b, _ = equal_pair(n=14, width=12)
    return {
        "g_a has 12 labels and g_b has 11": (f_a, f_b, (g_a, g_b[:-1])),
        "f_a has 400 rows and f_b has 399": (f_a, f_b[:-1], (g_a, g_b)),
        r"f_a has 4 columns and g_a is \(12, 3\)": (f_a, f_b, (g_a[:, :3], g_b)),
        "give the transpose of g_b": (f_a, f_b, (g_a, g_b.T)),
        "at least 14 are needed: give more rows": (few_a, few_b, (wide_a, wide_b)),
        "folds is 5 for 9 rows": (f_a[:9], f_b[:9], (g_a, g_b)),
        "heads holds 1 arrays": (f_a, f_b, (g_a,)),
        "all rows of g_a are equal": (f_a, f_b, (g_a[:1].repeat(K, axis=0), g_b)),
        "all rows of f_b are equal": (f_a, np.ones_like(f_b), (g_a, g_b)),
        "g_b holds nan at row 0, column 0": (f_a, f_b, (g_a, g_b * np.nan)),
    }


@pytest.mark.parametrize("reason", refused())
def test_refusals_say_why(reason):
    with pytest.raises(BadInput, match=reason):
        tie(*refused()[reason])


def test_options_that_cannot_be():
    f_a, g_a, f_b, g_b, _ = equal_pair()
    with pytest.raises(BadInput, match="bias_a has 3 values"):
        tie(f_a, f_b, (g_a, g_b), bias_a=np.ones(3))
    with pytest.raises(BadInput, match="folds is 1"):
        tie(f_a, f_b, (g_a, g_b), folds=1)


@threadpool_limits.wrap(limits=1)
def test_trained_classifiers_come_closer_the_longer_they_train():
    """Two students of one teacher, M = 8 of K = 10.

    Over 12 pairs of seeds, from 50 to 600 steps: the divergence fell from 0.09-0.23 to 0.015-0.029
    and the tie in logits from 0.43-0.64 to 0.16-0.29; R² of the fitted map ended at 0.945-0.972.
    """
    path = Path(__file__).parents[2] / "examples" / "two_heads.py"
    spec = importlib.util.spec_from_file_location("two_heads", path)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    x, y, held_out = example.digits()
    x, y = x[:600], y[:600]
    targets = np.exp(example.forward(example.train(x, y, 8, seed=100, steps=200, decay=1e-3), x)[2])
    short, long = (
        example.compare(
            *(example.train(x, targets, 8, seed=seed, steps=steps) for seed in (1, 2)), held_out
        )
        for steps in (50, 600)
    )
    assert long.diverse
    assert long.kl < short.kl
    assert long.tie_logits < short.tie_logits
    assert long.r2_from_data > 0.9
    assert 0 < long.tie_logits < 0.5
