"""What every test shares."""

from __future__ import annotations

import os
import re
import signal

import numpy as np
import pytest

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell's background job ignores Ctrl-C and so would every process that a test interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)


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


NUMBER = re.compile(r"[−-]?\d[\d,]*(?:\.\d+)?")


def words_and_numbers(text: str) -> tuple[list[str], list[float]]:
    """Text without spaces and addresses of files, and its numbers."""
    text = re.sub(r"file://\S+", "file", text)
    numbers = [float(n.replace("−", "-").replace(",", "")) for n in NUMBER.findall(text)]
    return NUMBER.sub("#", text).split(), numbers


@pytest.fixture
def assert_prints():
    """Does a printed text have the words that are shown, and about the numbers?"""

    def check(printed: str, shown: str, *, rel: float, tolerance: float) -> None:
        words, numbers = words_and_numbers(printed)
        expected_words, expected_numbers = words_and_numbers(shown)
        assert words == expected_words, printed
        assert numbers == pytest.approx(expected_numbers, rel=rel, abs=tolerance), printed

    return check
