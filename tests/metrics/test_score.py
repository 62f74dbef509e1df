"""The mapping of all metrics against known latents."""

import pickle

import numpy as np
import pytest

from coset._core import BadInput
from coset.metrics import dci, mcc, r2, score

NAMES = [
    "mcc_pearson",
    "mcc_spearman",
    "r2_linear",
    "r2_kernel",
    "dci_disentanglement",
    "dci_completeness",
    "dci_informativeness",
    "mig",
    "sap",
    "modularity",
    "irs",
    "infom",
    "infoe",
    "infoc",
    "beta_vae",
    "factor_vae",
    "explicitness",
]


@pytest.fixture(scope="module")
def world():
    return np.random.default_rng(0).uniform(-1, 1, size=(300, 3))


@pytest.fixture(scope="module")
def scores(world):
    return score(world, world[:, [2, 0, 1]] * [1, -3, 10])


def test_every_name_in_order_and_a_plain_float(scores):
    assert list(scores) == NAMES
    assert all(type(value) is float for value in scores.values())
    assert len(scores) == len(NAMES)
    assert "mcc_pearson=1" in repr(scores)


def test_a_scaled_permutation_scores_near_one(scores):
    # explicitness of ten bins and mig of twenty on 300 rows are biased: 0.89 and 0.8
    assert min(scores.values()) > 0.7
    assert dict(scores.notes) == {}


def test_the_scores_are_those_of_the_functions(world, scores):
    c = world[:, [2, 0, 1]] * [1, -3, 10]
    assert scores["mcc_pearson"] == mcc(world, c).value
    assert scores["r2_linear"] == r2(c, world).ab
    assert scores["dci_completeness"] == dci(world, c).completeness


def test_it_cannot_be_changed(scores):
    with pytest.raises(TypeError):
        scores["mig"] = 1.0
    with pytest.raises(TypeError):
        scores.notes["mig"] = "better"
    with pytest.raises(AttributeError):
        scores.notes = {}


def test_it_travels(scores):
    again = pickle.loads(pickle.dumps(scores))
    assert dict(again) == dict(scores)


def test_what_is_undefined_is_nan_with_the_reason(world):
    with pytest.warns(UserWarning, match="constant"):
        found = score(world[:100, :1], np.column_stack([world[:100, 0], np.ones(100)]))
    undefined = {name for name, value in found.items() if np.isnan(value)}
    assert undefined == {
        "dci_disentanglement",
        "dci_completeness",
        "dci_informativeness",
        "modularity",
        "infom",
        "infoe",
        "infoc",
        "beta_vae",
        "factor_vae",
    }
    assert set(found.notes) == undefined
    assert "at least 2" in found.notes["modularity"]


def test_one_code_leaves_compactness_undefined(world):
    found = score(world[:100, :2], world[:100, 0])
    assert {name for name, value in found.items() if np.isnan(value)} == {
        "dci_completeness",
        "infoc",
    }
    assert "single code" in found.notes["infoc"]


def test_costly_metrics_say_how_many_rows_they_saw(world):
    found = score(world, world, rows=200)
    assert found.notes["dci_disentanglement"] == "computed on 200 of 300 rows"
    assert found.notes["r2_kernel"] == "computed on 40 of 300 rows"
    assert "mig" not in found.notes
    again = score(world, world, rows=200)
    assert dict(found) == dict(again)


def test_too_small_a_sample_is_refused(world):
    with pytest.raises(BadInput, match="at least 100"):
        score(world, world, rows=10)
