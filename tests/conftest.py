"""What every test shares."""

from __future__ import annotations

import os

import numpy as np
import pytest


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Where skips are forbidden, a skipped test is a failed one."""
    report = yield
    if (
        report.skipped
        and os.environ.get("COSET_NO_SKIPS") == "1"
        and not hasattr(report, "wasxfail")
    ):
        report.outcome = "failed"
        report.longrepr = f"skips are forbidden here: {report.longrepr[2]}"
    return report
