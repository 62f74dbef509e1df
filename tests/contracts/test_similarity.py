"""Every similarity measure, every law: one row each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest

from coset import metrics
from coset._core import BadInput, Score
from coset.metrics import Moments

N, D = 300, 6


def rotation(rng, d=D):
    return np.linalg.qr(rng.normal(size=(d, d)))[0]


# What may be done to one side without changing the score.
CHANGES = {
    "shift": lambda x, rng: x + rng.normal(size=x.shape[1]),
    "scale": lambda x, rng: x * 3.7,
    "permutation": lambda x, rng: x[:, rng.permutation(x.shape[1])],
    "signs": lambda x, rng: x * rng.choice([-1, 1], x.shape[1]),
    "rotation": lambda x, rng: x @ rotation(rng),
    "column scales": lambda x, rng: x * rng.uniform(0.5, 2, x.shape[1]),
    "linear": lambda x, rng: x @ (rotation(rng) * rng.uniform(0.5, 2, D)) @ rotation(rng),
    "monotone": lambda x, rng: np.sinh(x),
}
AFFINE = frozenset(CHANGES) - {"monotone"}
RIGID = frozenset({"shift", "scale", "permutation", "signs", "rotation"})
COLUMNS = frozenset({"shift", "scale", "permutation", "signs", "column scales"})


@dataclass(frozen=True)
class Row:
    metric: object
    invariant: frozenset
    chance: float  # mean + 6 standard deviations of 1000 independent draws (150 where slow)
    mergeable: str = ""
    symmetric: bool = True


TABLE = {
    "cca": Row(metrics.cca, AFFINE, 0.21, "cca"),
    "svcca": Row(partial(metrics.svcca, variance=0.9), RIGID, 0.21, "svcca"),
    "svcca-k": Row(partial(metrics.svcca, components=3), RIGID, 0.21),
    "pwcca": Row(metrics.pwcca, RIGID - {"rotation"}, 0.21, "pwcca"),
    "pwcca-a": Row(
        partial(metrics.pwcca, direction="a"), RIGID - {"rotation"}, 0.21, symmetric=False
    ),
    "cka": Row(metrics.cka, RIGID, 0.03, "cka"),
    "cka-biased": Row(partial(metrics.cka, debiased=False), RIGID, 0.05),
    "cka-rbf": Row(partial(metrics.cka, kernel="rbf"), RIGID, 0.03),
    "procrustes": Row(metrics.procrustes, RIGID, 0.21, "procrustes"),
    "rsa": Row(metrics.rsa, RIGID, 0.15),
    "mcc": Row(metrics.mcc, COLUMNS, 0.16, "mcc"),
    "mcc-spearman": Row(partial(metrics.mcc, correlation="spearman"), COLUMNS | {"monotone"}, 0.16),
    "r2": Row(metrics.r2, RIGID, 0.01),
    "knn": Row(partial(metrics.knn_overlap, metric="euclidean"), RIGID, 0.055),
}
EXPORTED = {
    "cca", "svcca", "pwcca", "cka", "procrustes", "rsa", "mcc", "r2", "knn_overlap",
}  # fmt: skip


def rows(seed=0, n=N):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(n, D)) * np.geomspace(1, 2, D)
    return a, a @ rng.normal(size=(D, D)) + 2 * rng.normal(size=(n, D))


def test_every_similarity_has_a_row():
    rows_of = {getattr(r.metric, "func", r.metric).__name__ for r in TABLE.values()}
    assert rows_of == EXPORTED


@pytest.mark.parametrize("name", TABLE)
def test_one_on_itself(name):
    a, _ = rows()
    score = TABLE[name].metric(a, a)
    assert isinstance(score, Score)
    assert float(score) == score.value == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("name", TABLE)
@pytest.mark.parametrize("change", CHANGES)
def test_invariant_where_declared_and_only_there(name, change):
    a, b = rows()
    metric = TABLE[name].metric
    before = metric(a, b).value
    after = metric(CHANGES[change](a, np.random.default_rng(1)), b).value
    if change in TABLE[name].invariant:
        assert after == pytest.approx(before, abs=1e-9)
    else:
        assert abs(after - before) > 1e-6


@pytest.mark.parametrize("name", TABLE)
def test_chance_level_of_independent_data(name):
    rng = np.random.default_rng(5)
    score = TABLE[name].metric(rng.normal(size=(N, D)), rng.normal(size=(N, D))).value
    assert score < TABLE[name].chance


@pytest.mark.parametrize("name", TABLE)
def test_symmetric_where_declared(name):
    a, b = rows()
    metric = TABLE[name].metric
    if TABLE[name].symmetric:
        assert metric(a, b).value == pytest.approx(metric(b, a).value, abs=1e-9)


@pytest.mark.parametrize("name", TABLE)
def test_row_order_is_immaterial(name):
    a, b = rows()
    order = np.random.default_rng(2).permutation(N)
    tolerance = 0.02 if name == "r2" else 1e-9  # its folds are cut by position
    assert TABLE[name].metric(a[order], b[order]).value == pytest.approx(
        TABLE[name].metric(a, b).value, abs=tolerance
    )


@pytest.mark.parametrize("name", [n for n, row in TABLE.items() if row.mergeable])
@pytest.mark.parametrize("cuts", [(1, 50, 51, 299), (150,), tuple(range(10, 300, 10))])
def test_merged_is_whole(name, cuts):
    a, b = rows()
    metric = TABLE[name].metric
    options = getattr(metric, "keywords", {})
    parts = [Moments().update(a[i], b[i]) for i in np.split(np.arange(N), cuts)]
    left = parts[0].merge(*parts[1:])
    tree = parts
    while len(tree) > 1:
        tree = [tree[i].merge(*tree[i + 1 : i + 2]) for i in range(0, len(tree), 2)]
    for merged in (left, tree[0]):
        score = getattr(merged, TABLE[name].mergeable)(**options)
        assert score.value == pytest.approx(metric(a, b).value, abs=1e-9)


@pytest.mark.parametrize("name", [n for n, row in TABLE.items() if row.mergeable])
def test_row_order_and_merging_are_immaterial_where_correlations_tie(name):
    # 50 rows of 40 and 30 columns: 21 canonical correlations are 1 whatever the data
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(50, 40)), rng.normal(size=(50, 30))
    metric = TABLE[name].metric
    order = rng.permutation(50)
    parts = [Moments().update(a[i], b[i]) for i in np.array_split(order, 6)]
    merged = getattr(parts[0].merge(*parts[1:]), TABLE[name].mergeable)
    expected = pytest.approx(metric(a, b).value, abs=1e-9)
    assert metric(a[order] + 1, b[order]).value == expected
    assert merged(**getattr(metric, "keywords", {})).value == expected


@pytest.mark.parametrize("name", TABLE)
def test_unequal_widths(name):
    a, b = rows()
    assert np.isfinite(TABLE[name].metric(a, b[:, :2]).value)
    assert np.isfinite(TABLE[name].metric(a[:, :1], b).value)


@pytest.mark.parametrize("name", TABLE)
def test_bad_input_is_refused_in_one_line(name):
    a, b = rows()
    spoiled = a.copy()
    spoiled[7, 3] = np.nan
    for left, right, says in [
        (spoiled, b, "row 7, column 3"),
        (a, b[:-1], "300 rows and b has 299"),
        (a[None], b, r"\(1, 300, 6\)"),
        (a.astype(str).astype(object) + "x", b, "numbers are needed"),
    ]:
        with pytest.raises(BadInput, match=says) as refused:
            TABLE[name].metric(left, right)
        assert "\n" not in str(refused.value)
