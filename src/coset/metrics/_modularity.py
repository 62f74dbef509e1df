"""Modularity: does each code know of one latent only?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._core import Floats, Score
from ._latents import Binning, Discrete, latents_and_codes
from ._mig import information_between


@dataclass(frozen=True, eq=False, repr=False)
class Modularity(Score):
    """The mean, the modularity of each code, mutual information (codes, latents) in nats."""

    per_code: Floats
    information: Floats


def modularity(
    z: Any,
    c: Any,
    *,
    discrete: Discrete = "auto",
    bins: int = 20,
    binning: Binning = "width",
) -> Modularity:
    """Modularity: how far is each code's information from belonging to one latent?

    For code i with m_ij = I(c_i; z_j) and its best latent j*:
    modularity_i = 1 - Σ_{j≠j*} m_ij² / (m_ij*² (d - 1)); the score is the mean over codes.
    A code that knows nothing of any latent counts 0. Two codes may share a latent at no cost. The
    information is that of `mig`. The score is lenient: squares leave a code its best latent, so
    pure noise gets about 0.2 to 0.4, and a random rotation of ten latents more than 0.8.

    Args:
        z: Latents (n, d), d at least 2.
        c: Codes (n, k).
        discrete: Which latents are classes; "auto" takes integers of few distinct values.
        bins: Bins of a continuous column.
        binning: "width" or "quantile".

    Example:
        >>> import numpy as np
        >>> z = np.array([[i, j] for i in range(4) for j in range(4)])
        >>> float(modularity(z, np.column_stack([z, z[:, 0]])))
        1.0

    References:
        ridgeway2018learning
    """
    latents, codes, flags = latents_and_codes(z, c, discrete, at_least=2)
    information = information_between(latents, codes, flags, bins, binning)
    per_code = modularity_of(information)
    return Modularity(float(per_code.mean()), per_code, information)


def modularity_of(information: Floats) -> Floats:
    """Modularity of each code from mutual information (codes, latents)."""
    squared = information**2
    best = squared.max(axis=1)
    others = squared.sum(axis=1) - best
    spread = others / (np.where(best > 0, best, 1.0) * (information.shape[1] - 1))
    return np.where(best > 0, 1.0 - spread, 0.0)
