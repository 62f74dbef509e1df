"""Mutual information gap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._core import Floats, Score
from ._information import entropy, table_information
from ._latents import Binning, Discrete, Labels, classes, latents_and_codes


@dataclass(frozen=True, eq=False, repr=False)
class Mig(Score):
    """The mean gap, the gap of each latent, and the normalised information (codes, latents)."""

    gaps: Floats
    information: Floats


def mig(
    z: Any,
    c: Any,
    *,
    discrete: Discrete = "auto",
    bins: int = 20,
    binning: Binning = "width",
) -> Mig:
    """Mutual information gap: is each latent known to one code only?

    MIG = mean over j of (I(c_(1); z_j) - I(c_(2); z_j)) / H(z_j), where c_(1) and c_(2) are the two
    codes that know most of z_j. Information is the plug-in estimate of tables: codes and continuous
    latents are cut into `bins` bins of equal width (or of equally many rows), columns of at most
    `bins` values keep theirs. It never exceeds the entropy. Its bias, about (bins - 1)² / 2n nats,
    lifts the second code and lowers the gap; have n well above bins². A single code is compared
    with one that knows nothing.

    Args:
        z: Latents (n, d).
        c: Codes (n, k).
        discrete: Which latents are classes; "auto" takes integers of few distinct values.
        bins: Bins of a continuous column.
        binning: "width" or "quantile".

    Example:
        >>> import numpy as np
        >>> z = np.array([[i, j] for i in range(4) for j in range(4)])
        >>> float(mig(z, z[:, ::-1]))
        1.0

    References:
        chen2018isolating
    """
    latents, codes, flags = latents_and_codes(z, c, discrete)
    x, y = _tables(latents, codes, flags, bins, binning)
    matrix = information_matrix(x, y) / np.array([entropy(latent) for latent in y])
    gaps = top_gap(matrix)
    return Mig(float(gaps.mean()), gaps, matrix)


def information_between(
    latents: Floats, codes: Floats, flags: Any, bins: int, binning: Binning
) -> Floats:
    """Plug-in mutual information (codes, latents) of the cut columns, in nats."""
    return information_matrix(*_tables(latents, codes, flags, bins, binning))


def information_matrix(codes: list[Labels], latents: list[Labels]) -> Floats:
    """Mutual information (codes, latents) of tables, in nats."""
    return np.array([[table_information(x, y) for y in latents] for x in codes])


def top_gap(matrix: Floats) -> Floats:
    """Best less second best of each column; beside a single row stands one of zeros."""
    if len(matrix) == 1:
        return np.asarray(matrix[0])
    ordered = np.sort(matrix, axis=0)
    return np.asarray(ordered[-1] - ordered[-2])


def _tables(
    latents: Floats, codes: Floats, flags: Any, bins: int, binning: Binning
) -> tuple[list[Labels], list[Labels]]:
    x = [classes(code, bins, binning) for code in codes.T]
    y = [
        np.unique(latent, return_inverse=True)[1] if flag else classes(latent, bins, binning)
        for latent, flag in zip(latents.T, flags, strict=True)
    ]
    return x, y
