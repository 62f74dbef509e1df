"""What tests of estimators share."""

from __future__ import annotations

import jax
import pytest


@pytest.fixture(scope="module", autouse=True)
def quickly_compiled():
    """Programs are many here, and each runs a few steps."""
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", False)
