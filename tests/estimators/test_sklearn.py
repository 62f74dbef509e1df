"""Every estimator keeps scikit-learn's contract; each exception has its reason."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.exceptions import SkipTestWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from coset.estimators import METHODS

TINY = {"widths": (4,), "batch": 8, "steps": 1, "optimiser": "sgd", "dim": 2, "scaling": "standard"}
"""One update of a small encoder: the checks ask for manners, not for good codes."""
NEEDED = {"contrastive": {"lag": 1}, "content-blocks": {"lag": 1}}
"""What a method cannot do without when it is given X and y alone."""
EXCEPTIONS: dict[str, dict[str, str]] = {}


def tiny(name):
    kind = METHODS[name]
    known = kind().get_params()
    return kind(**{k: v for k, v in {**TINY, **NEEDED.get(name, {})}.items() if k in known})


def excused(estimator):
    return next(EXCEPTIONS.get(n, {}) for n, kind in METHODS.items() if type(estimator) is kind)


@parametrize_with_checks(
    [tiny(name) for name in METHODS], expected_failed_checks=excused, xfail_strict=True
)
@pytest.mark.filterwarnings("ignore:.*:sklearn.exceptions.SkipTestWarning")
def test_scikit_learn_checks(estimator, check):
    check(estimator)
