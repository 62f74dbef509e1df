"""Every estimator keeps scikit-learn's contract; each exception has its reason."""

from __future__ import annotations

from unittest import SkipTest

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from coset.estimators import METHODS

TINY = {"widths": (4,), "batch": 8, "steps": 1, "optimiser": "sgd", "dim": 2}
"""One update of a small encoder: the checks ask for manners, not for good codes."""
NEEDED = {
    "contrastive": {"lag": 1},
    "content-blocks": {"lag": 1},
    "ada-gvae": {"lag": 1},
    "slow-vae": {"lag": 1},
    "interventions": {"dim": None},
    "linear-ica": {"dim": None},  # the checks have data of one column too
    "ppca": {"dim": None},
}
"""What a method cannot do without when it is given X and y alone."""
FEW = "a check has environments of fewer rows than identify anything, which is refused"
BEFORE = "a code says what moved a row away from the row before it: others cannot stand there"
EXCEPTIONS: dict[str, dict[str, str]] = {
    "interventions": {
        "check_dont_overwrite_parameters": FEW,
        "check_n_features_in_after_fitting": FEW,
        "check_estimators_dtypes": FEW,
        "check_dtype_object": FEW,
        "check_estimators_nan_inf": FEW,
        "check_f_contiguous_array_estimator": FEW,
        "check_fit2d_1feature": FEW,
        "check_dict_unchanged": FEW,
        "check_fit2d_predict1d": FEW,
        "check_methods_sample_order_invariance": BEFORE,
        "check_methods_subset_invariance": BEFORE,
    }
}
"""Method → check that it fails → why that is right."""
FAST = ("contrastive", "supervised", "interventions", "linear-ica", "ppca")
"""One of each kind: what is given (pairs, labels), and what learns (the loop, a solver)."""


def tiny(name):
    kind = METHODS[name]
    known = kind().get_params()
    return kind(**{k: v for k, v in {**TINY, **NEEDED.get(name, {})}.items() if k in known})


def excused(estimator):
    return next(EXCEPTIONS.get(n, {}) for n, kind in METHODS.items() if type(estimator) is kind)


def checks(names):
    return parametrize_with_checks(
        [tiny(name) for name in names], expected_failed_checks=excused, xfail_strict=True
    )


def passes(estimator, check):
    try:
        check(estimator)
    except SkipTest as reason:
        # asked of estimators that compute in the library of their input
        if "SCIPY_ARRAY_API is not set" not in str(reason):
            raise


@pytest.mark.filterwarnings("ignore:.*:sklearn.exceptions.ConvergenceWarning")
@checks(FAST)
def test_scikit_learn_checks(estimator, check):
    passes(estimator, check)


@pytest.mark.slow
@checks([name for name in METHODS if name not in FAST])
def test_scikit_learn_checks_of_the_others(estimator, check):
    passes(estimator, check)
