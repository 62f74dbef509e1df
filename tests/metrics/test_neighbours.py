"""Neighbours: a sort of all distances as oracle, chance level, ties, the row itself."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coset._core import BadInput
from coset.metrics import _nearest
from coset.metrics._nearest import neighbours
from coset.metrics._neighbours import knn_overlap, recall


def sorted_neighbours(queries, index, k, metric, own=None):
    """Every distance by itself, then a stable sort; the own row left out by its number."""
    out = []
    for i, query in enumerate(queries):
        if metric == "euclidean":
            d = np.array([((query - row) ** 2).sum() for row in index])
        else:
            norms = [np.linalg.norm(query) * np.linalg.norm(row) for row in index]
            d = np.array([1 - (query @ r / s if s else 0) for r, s in zip(index, norms)])
        d = np.round(d, 10)
        order = [j for j in np.argsort(d, kind="stable") if own is None or j != own[i]]
        out.append(order[:k])
    return np.array(out)


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
@pytest.mark.parametrize("k", [1, 7, 39])
def test_against_a_full_sort(metric, k):
    x = np.random.default_rng(0).standard_normal((40, 3)) + 0.5
    expected = sorted_neighbours(x, x, k, metric, own=range(40))
    np.testing.assert_array_equal(neighbours(x, x, k, metric, exclude_self=True), expected)
    queries = np.random.default_rng(1).standard_normal((11, 3))
    np.testing.assert_array_equal(
        neighbours(queries, x, k, metric), sorted_neighbours(queries, x, k, metric)
    )


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_against_scikit_learn(metric):
    from sklearn.neighbors import NearestNeighbors

    rng = np.random.default_rng(0)
    index, queries = rng.standard_normal((700, 20)), rng.standard_normal((90, 20))
    expected = NearestNeighbors(n_neighbors=10, metric=metric, algorithm="brute").fit(index)
    np.testing.assert_array_equal(
        neighbours(queries, index, 10, metric), expected.kneighbors(queries)[1]
    )


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(3, 30),
    metric=st.sampled_from(["cosine", "euclidean"]),
)
def test_ties_go_to_the_earlier_row_and_a_row_is_never_its_own(seed, n, metric):
    rng = np.random.default_rng(seed)
    x = rng.integers(-1, 2, (n, 2)).astype(float)  # many equal rows, some of zeros
    k = int(rng.integers(1, n))
    found = neighbours(x, x, k, metric, exclude_self=True)
    np.testing.assert_array_equal(found, sorted_neighbours(x, x, k, metric, own=range(n)))
    assert not (found == np.arange(n)[:, None]).any()


def test_equal_rows_in_real_numbers_tie():
    rng = np.random.default_rng(0)
    x = np.repeat(rng.standard_normal((30, 64)) + 3, 4, axis=0)
    for metric in ("cosine", "euclidean"):
        found = neighbours(x, x, 3, metric, exclude_self=True)
        first = 4 * (np.arange(120) // 4)
        for i in range(120):
            assert found[i].tolist() == [j for j in range(first[i], first[i] + 4) if j != i]


def test_blocks_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 300, 8))
    whole = knn_overlap(a, b).value
    monkeypatch.setattr(_nearest, "_BLOCK", 300 * 16)
    assert knn_overlap(a, b).value == whole


def test_overlap_of_unrelated_codes_is_chance():
    # A row shares k^2 / (n - 1) of k on average with variance below that, so the mean of 512 rows
    # has standard deviation 0.002 and that of 20 draws 0.00044 (measured: 0.00047); five of them.
    values = []
    for seed in range(20):
        a, b = np.random.default_rng(seed).standard_normal((2, 512, 30))
        score = knn_overlap(a, b, k=10)
        values.append(score.value)
    assert score.chance == 10 / 511
    assert abs(np.mean(values) - score.chance) < 5 * 0.00047


def test_overlap_by_hand():
    a = np.array([[0.0], [1], [3], [7]])
    b = np.array([[0.0], [6], [7], [1]])
    # nearest in a: 1 0 1 2; nearest in b: 3 2 1 0
    assert knn_overlap(a, b, k=1, metric="euclidean").value == 0.25


def test_overlap_laws():
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((200, 5)), rng.standard_normal((200, 9))
    turn = np.linalg.qr(rng.standard_normal((5, 5)))[0]
    for metric in ("cosine", "euclidean"):
        score = knn_overlap(a, b, metric=metric).value
        assert knn_overlap(b, a, metric=metric).value == score
        assert knn_overlap(3 * a @ turn, b, metric=metric).value == score
        assert knn_overlap(a, a, metric=metric).value == 1
    assert knn_overlap(a + 9, a, metric="euclidean").value == 1
    assert knn_overlap(a * rng.uniform(1, 9, (200, 1)), a, metric="cosine").value == 1
    assert knn_overlap(a * 1e200, a).value == 1


def test_recall():
    rng = np.random.default_rng(0)
    index = rng.standard_normal((400, 6))
    rows = np.array([5, 17, 399, 0])
    truth = index[rows]
    score = recall(truth, index, truth, ks=(1, 10))
    assert (score.value, score.at) == (1, {1: 1.0, 10: 1.0})
    # whoever searches with the same rows finds them first, unless told that they are themselves
    near = neighbours(truth, index, 2)
    assert near[:, 0].tolist() == rows.tolist()
    others = neighbours(truth, index, 1, exclude_self=rows)
    np.testing.assert_array_equal(others[:, 0], near[:, 1])
    assert neighbours(truth, index, 1, exclude_self=[5, -1, -1, -1])[1, 0] == 17
    far = recall(-truth, index, truth, ks=(1, 10), exclude_self=rows)
    assert far.value == far.at[10] == 0
    assert far.chance == {1: 1 / 399, 10: 10 / 399}


def test_recall_by_hand():
    index = np.array([[0.0], [1], [2], [3]])
    score = recall([[0.1], [2.9]], index, [[0.1], [1.9]], ks=(1, 2), metric="euclidean")
    assert score.at == {1: 0.5, 2: 0.75}


def test_refusals():
    x = np.eye(4)
    with pytest.raises(BadInput, match="k from 1 to 3"):
        knn_overlap(x, x, k=4)
    with pytest.raises(BadInput, match="manhattan"):
        knn_overlap(x, x, k=1, metric="manhattan")
    with pytest.raises(BadInput, match="5 columns"):
        neighbours(np.ones((2, 5)), x, 1)
    with pytest.raises(BadInput, match="exclude_self"):
        neighbours(x[:2], x, 1, exclude_self=[0, 4])
    with pytest.raises(BadInput, match="queries has 2"):
        neighbours(x[:2], x, 1, exclude_self=True)
    with pytest.raises(BadInput, match="row 0, column 0"):
        knn_overlap(np.full((4, 2), np.nan), x)
    with pytest.raises(BadInput, match="b has 3"):
        knn_overlap(x, x[:3])
    with pytest.raises(BadInput, match="ks is empty"):
        recall(x, x, x, ks=())
