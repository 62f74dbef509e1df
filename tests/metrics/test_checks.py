"""Seeds and counts that cannot be used, and values too small to be squared: one sentence each."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from coset import compare, metrics
from coset._core import BadInput

RNG = np.random.default_rng(0)
Z = RNG.normal(size=(120, 3))
C = Z @ RNG.normal(size=(3, 3))
SEEDED = {
    "score": metrics.score,
    "r2": metrics.r2,
    "dci": metrics.dci,
    "sap": metrics.sap,
    "infomec": metrics.infomec,
    "explicitness": metrics.explicitness,
    "beta_vae": metrics.beta_vae,
    "factor_vae": metrics.factor_vae,
    "interval": partial(metrics.interval, metrics.cka),
    "chance": partial(metrics.chance, metrics.cka),
}
COUNTS = {
    "score": {"rows": 100},
    "r2": {"folds": 2},
    "infomec": {"neighbours": 1, "bins": 2},
    "explicitness": {"bins": 2},
    "irs": {"bins": 2},
    "mig": {"bins": 2},
    "beta_vae": {"batches": 3, "size": 1, "bins": 2},
    "factor_vae": {"batches": 3, "size": 1, "bins": 2},
    "interval": {"blocks": 2},
    "chance": {"permutations": 1},
    "svcca": {"components": 1},
    "knn_overlap": {"k": 1},
}


def refused(call, says):
    with pytest.raises(BadInput, match=says) as caught:
        call()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", SEEDED)
@pytest.mark.parametrize("seed", [-1, 0.5, "one", None, True])
def test_bad_seeds_are_refused(name, seed):
    says = f"seed={seed!r}; a whole number of at least 0"
    refused(lambda: SEEDED[name](Z, C, seed=seed), says)


@pytest.mark.parametrize("name", SEEDED)
def test_seeds_of_any_integer_type_and_size_are_taken(name):
    options = {"chance": {"permutations": 19}, "score": {"rows": 100}}.get(name, {})
    assert SEEDED[name](Z, C, seed=np.int64(3), **options) is not None
    if name == "dci":
        assert 0 <= SEEDED[name](Z, C, seed=2**40).value <= 1


@pytest.mark.parametrize(
    ("name", "option", "least"),
    [(name, option, least) for name, row in COUNTS.items() for option, least in row.items()],
)
def test_bad_counts_are_refused(name, option, least):
    call = SEEDED.get(name) or getattr(metrics, name)
    for bad in (least - 1, least + 0.5, "many"):
        says = f"{option}={bad!r}; a whole number of at least {least}"
        refused(lambda bad=bad: call(Z, C, **{option: bad}), says)


def test_other_counts_are_refused():
    refused(lambda: metrics.recall(Z, C, Z, ks=(1, 2.5)), "ks=2.5")
    refused(lambda: metrics.r2(Z, C, kernel=True, kernel_rows=50.5), "kernel_rows=50.5")
    refused(lambda: metrics.interval(metrics.cka, Z, C, method="subsample", draws=9.5), "draws=9.5")


SECOND_MOMENTS = {
    "cca": metrics.cca,
    "cca-exact": partial(metrics.cca, route="exact"),
    "svcca": metrics.svcca,
    "pwcca": metrics.pwcca,
    "cka": metrics.cka,
    "procrustes": metrics.procrustes,
    "mcc": metrics.mcc,
}
SQUARES = SECOND_MOMENTS | {
    "cka-rbf": partial(metrics.cka, kernel="rbf"),
    "r2": metrics.r2,
    "r2-kernel": partial(metrics.r2, kernel=True),
    "rsa": metrics.rsa,
    "knn": partial(metrics.knn_overlap, metric="euclidean"),
    "compare": compare,
}


@pytest.mark.parametrize("name", SQUARES)
@pytest.mark.parametrize("scale", [1e-160, 1e-200, 1e-300])
def test_values_whose_squares_vanish_are_called_small_not_constant(name, scale):
    for a, b in ((Z, C * scale), (Z * scale, C), (Z * scale, C * scale + scale)):
        refused(lambda a=a, b=b: SQUARES[name](a, b), "values are too small to be squared")


@pytest.mark.parametrize("name", SECOND_MOMENTS)
def test_a_constant_is_still_called_constant(name):
    for constant in (0.0, 0.1, 1e8):
        still = np.full((120, 2), constant)
        if name == "mcc":
            with pytest.warns(UserWarning, match="0 columns of a and 2 of b are constant"):
                assert metrics.mcc(Z, still).value == 0
        else:
            refused(lambda b=still: SECOND_MOMENTS[name](Z, b), "every column is constant")


@pytest.mark.parametrize("name", sorted(set(SQUARES) - {"cka", "compare"}))
def test_values_whose_squares_are_small_are_scored(name):
    # linear CKA squares the squares: 1e-100 is named there as too small, 1e-70 is not
    small = SQUARES[name](Z, C * 1e-100).value
    assert small == pytest.approx(SQUARES[name](Z, C).value, abs=1e-9)


def test_linear_alignment_needs_fourth_powers():
    for debiased in (True, False):
        cka = partial(metrics.cka, debiased=debiased)
        assert cka(Z, C * 1e-70).value == pytest.approx(cka(Z, C).value, abs=1e-9)
        refused(lambda cka=cka: cka(Z, C * 1e-100), "too small to be squared")


KNOWN = ("dci", "sap", "mig", "modularity", "irs", "infomec", "beta_vae", "factor_vae")


@pytest.mark.parametrize("name", [*KNOWN, "explicitness"])
def test_codes_of_any_scale_score_the_same_against_known_latents(name):
    metric = getattr(metrics, name)
    for scale in (2.0**-1000, 2.0**900):
        assert metric(Z, C * scale).value == pytest.approx(metric(Z, C).value, abs=1e-9)
    refused(lambda: metric(Z * 1e-200, C), "latents: values are too small")


def test_one_small_column_beside_others_counts_as_constant():
    b = C * [1, 1, 1e-200]
    with pytest.warns(UserWarning, match="0 columns of a and 1 of b are constant"):
        assert metrics.mcc(Z, b).correlations.min() == 0
    assert metrics.cca(Z, b).ranks == (3, 2)
    assert metrics.r2(Z, b).constant_b == 1
