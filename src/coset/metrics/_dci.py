"""Disentanglement, completeness and informativeness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import xlogy

from .._arrays import as_matrix
from .._core import BadInput, Floats, Score
from ._latents import Discrete, latents_and_codes
from ._probes import Regressor, importances_of


@dataclass(frozen=True, eq=False, repr=False)
class Dci(Score):
    """The value is the disentanglement; a part that is undefined or was not measured is nan."""

    disentanglement: float
    completeness: float
    informativeness: float
    importances: Floats
    per_code: Floats
    per_latent: Floats
    informativeness_per_latent: Floats


def dci(
    z: Any,
    c: Any,
    *,
    discrete: Discrete = "auto",
    regressor: Regressor = "forest",
    test: float = 0.25,
    seed: int = 0,
) -> Dci:
    """Disentanglement, completeness and informativeness of codes.

    Each latent is predicted from all codes; R_ij is the importance of code i for latent j. With
    P_i = R_i / Σ_j R_ij, D = Σ_i ρ_i (1 - H_d(P_i)), where ρ_i is the share of code i in all
    importance and H_d the entropy to base d (the number of latents). C is the same over columns
    with base k. I is the mean over latents of the held-out R² (continuous) or accuracy (discrete).

    The regressors: "forest" (30 trees, leaves of 1/300 of the rows) takes seconds whatever the kind
    of latent; "boosting" (100 trees of depth 3) is the most common choice and the more accurate,
    but many times slower for discrete latents, as it grows a tree per class; "lasso" is linear and
    fast, and sees classes as indicator columns, so it finds no class that lies between others. The
    trees report the impurity that splits on a code remove. That spreads evenly over codes of pure
    noise, so chance is near 0. It would not be for importance by permuting held-out columns, nor is
    it for the lasso: a few small numbers are left, which look like structure.

    Args:
        z: Latents (n, d), d at least 2.
        c: Codes (n, k).
        discrete: Which latents are classes; "auto" takes integers of few distinct values.
        regressor: "forest", "boosting" or "lasso".
        test: Share of rows held out for the informativeness; 0 scores in-sample.
        seed: Chooses the held-out rows and seeds the trees.

    Example:
        >>> import numpy as np
        >>> z = np.random.default_rng(0).normal(size=(400, 3))
        >>> score = dci(z, z[:, ::-1] * [1, -2, 3], regressor="lasso")
        >>> score.disentanglement > 0.95, score.informativeness > 0.95
        (True, True)

    References:
        eastwood2018framework
    """
    latents, codes, flags = latents_and_codes(z, c, discrete, at_least=2)
    importances, informativeness = importances_of(
        latents, codes, flags, regressor=regressor, test=test, seed=seed
    )
    return _score(importances, informativeness)


def dci_from_importances(matrix: Any) -> Dci:
    """Disentanglement and completeness of a given importance matrix, in closed form.

    A code of no importance has no weight, and neither has a latent that nothing is important for;
    a matrix of zeros scores 0. With a single code, completeness is undefined: nan. So is the
    informativeness, always. Nothing is smoothed: a permutation scores exactly 1.

    Args:
        matrix: Importances (codes, latents), none negative, at least 2 latents.

    Example:
        >>> score = dci_from_importances([[0, 2], [1, 0]])
        >>> score.disentanglement, score.completeness
        (1.0, 1.0)

    References:
        eastwood2018framework
    """
    importances = as_matrix(matrix, "importances")
    if (importances < 0).any():
        code, latent = np.argwhere(importances < 0)[0]
        raise BadInput(
            f"importances hold {importances[code, latent]} at code {code}, latent {latent}; "
            f"importances are at least 0: give absolute values"
        )
    if importances.shape[1] < 2:
        raise BadInput(
            f"importances have shape {importances.shape}; rows are codes and columns latents, and "
            f"disentanglement needs at least 2 latents: give every latent, or transpose the matrix"
        )
    return _score(importances, np.full(importances.shape[1], np.nan))


def _score(importances: Floats, informativeness: Floats) -> Dci:
    per_code, disentanglement = _concentration(importances)
    per_latent, completeness = _concentration(importances.T)
    return Dci(
        disentanglement,
        disentanglement,
        completeness,
        float(informativeness.mean()),
        importances,
        per_code,
        per_latent,
        informativeness,
    )


def _concentration(rows: Floats) -> tuple[Floats, float]:
    """1 - H(row)/log(columns) of each row (0 if empty), and the mean weighted by row sums."""
    columns = rows.shape[1]
    if columns < 2:
        return np.full(len(rows), np.nan), float("nan")
    peak = rows.max(initial=0.0)
    if peak == 0.0:
        return np.zeros(len(rows)), 0.0
    rows = rows / peak
    sums = rows.sum(axis=1)
    p = rows / np.where(sums > 0, sums, 1.0)[:, None]
    entropy = -xlogy(p, p).sum(axis=1)
    each = np.where(sums > 0, np.clip(1.0 - entropy / np.log(columns), 0.0, 1.0), 0.0)
    return each, float((each * sums).sum() / sums.sum())
