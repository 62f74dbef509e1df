"""What every test shares."""

from __future__ import annotations

import os

import numpy as np
import pytest


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def skip(reason: str) -> None:
    """Skip, or fail where skips are forbidden."""
    if os.environ.get("COSET_NO_SKIPS") == "1":
        pytest.fail(f"skips are forbidden here: {reason}")
    pytest.skip(reason)
