"""Explicitness: can each latent be read off the codes linearly?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import rankdata

from .._core import Floats, Score
from ._latents import (
    Discrete,
    Flags,
    Labels,
    latent_classes,
    latents_and_codes,
    split,
    standardised,
)
from ._probes import class_probabilities


@dataclass(frozen=True, eq=False, repr=False)
class Explicitness(Score):
    """The mean area under the curve, that of each latent, and what chance gives."""

    per_latent: Floats
    chance: float = 0.5


def explicitness(
    z: Any,
    c: Any,
    *,
    discrete: Discrete = "auto",
    bins: int = 10,
    test: float = 0.25,
    seed: int = 0,
) -> Explicitness:
    """Explicitness: the area under the ROC curve of a logistic regression from codes to latents.

    E = mean over latents j and values v of AUC(p(z_j = v | c), [z_j = v]) on held-out rows, each
    latent weighing the same. Chance is 0.5. A continuous latent is cut into `bins` quantile bins.

    Args:
        z: Latents (n, d).
        c: Codes (n, k).
        discrete: Which latents are classes; "auto" takes integers of few distinct values.
        bins: Bins of a continuous latent.
        test: Share of rows held out; 0 scores in-sample.
        seed: Chooses the held-out rows.

    Example:
        >>> import numpy as np
        >>> z = np.array([[i, j] for i in range(3) for j in range(3)] * 20)
        >>> float(explicitness(z, z @ [[1, 1], [1, -1]])) > 0.99
        True

    References:
        ridgeway2018learning
    """
    latents, codes, flags = latents_and_codes(z, c, discrete)
    per_latent = np.array(
        [
            _area(latent_classes(latent, discrete=bool(flag), bins=bins), codes, test, seed)
            for latent, flag in zip(latents.T, flags, strict=True)
        ]
    )
    return Explicitness(float(per_latent.mean()), per_latent)


def _area(labels: Labels, codes: Floats, test: float, seed: int) -> float:
    rows = split(len(labels), test, seed, labels)
    probabilities, known = class_probabilities(
        standardised(codes, rows[0]), labels, rows, strength=1.0
    )
    positive = labels[rows[1], None] == known
    tested: Flags = positive.any(axis=0) & ~positive.all(axis=0)
    areas = [area_under_curve(probabilities[:, v], positive[:, v]) for v in np.flatnonzero(tested)]
    return float(np.mean(areas)) if areas else 0.5


def area_under_curve(scores: Floats, positive: Flags) -> float:
    """Probability that a positive row outranks a negative one, ties counting half."""
    yes = int(positive.sum())
    no = positive.size - yes
    ranks = rankdata(scores)[positive].sum()
    return float((ranks - yes * (yes + 1) / 2) / (yes * no))
