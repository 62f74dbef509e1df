"""Modularity, explicitness and compactness in terms of information."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import lstsq

from .._core import BadInput, Floats, Score
from ._checks import generator, whole_number
from ._information import entropy, neighbour_information, table_information
from ._latents import (
    Discrete,
    Flags,
    Labels,
    few_values,
    latent_classes,
    latents_and_codes,
    split,
    standardised,
)
from ._probes import class_probabilities, r_squared

BARELY = 1000.0
"""Inverse penalty: so weak that it costs nothing, and the best fit always exists."""


@dataclass(frozen=True, eq=False, repr=False)
class Infomec(Score):
    """The value is InfoM; `information` (codes, latents) is normalised and covers every code."""

    infom: float
    infoe: float
    infoc: float
    information: Floats
    active: Flags
    explicitness_per_latent: Floats


def infomec(
    z: Any,
    c: Any,
    *,
    discrete: Discrete = "auto",
    bins: int = 20,
    neighbours: int = 10,
    prune: float = 0.0,
    one_hot: bool = False,
    test: float = 0.25,
    seed: int = 0,
) -> Infomec:
    """InfoM, InfoE and InfoC: modularity, explicitness, compactness, in terms of information.

    With N_ij = I(c_i; z_j) / H(z_j), d latents and k active codes,
    InfoM = (mean_i max_j N_ij / Σ_j N_ij - 1/d) / (1 - 1/d) and
    InfoC = (mean_j max_i N_ij / Σ_i N_ij - 1/k) / (1 - 1/k).
    InfoE = mean_j (h(z_j | nothing) - h(z_j | c)) / h(z_j | nothing), where h is the held-out log
    loss of a logistic regression with next to no penalty (C = 1000; with none, classes that a plane
    separates have no best fit) and, with nothing to see, of the frequencies of the classes; a
    continuous latent takes the held-out R² of least squares instead. Below 0 counts 0,
    since a predictor may ignore the codes.

    Information with a continuous code is estimated by nearest neighbours and clipped to [0, H];
    a code of few distinct values is a table, counted exactly. A continuous latent is cut into
    `bins` quantile bins. A latent or code that shares no information counts as chance, 0. Codes of
    pure noise share a little by estimation error and get an InfoM far above 0: read it only beside
    a high InfoE. With one active code InfoC is nan; with none InfoM is 0.

    Args:
        z: Latents (n, d), d at least 2.
        c: Codes (n, k).
        discrete: Which latents are classes; "auto" takes integers of few distinct values.
        bins: Bins of a continuous latent.
        neighbours: Neighbours of the estimator.
        prune: Codes are inactive when their range is at most this share of the largest; 0 drops
            constant codes only and keeps the score free of units (0.05 is common).
        one_hot: Whether InfoE sees codes of few values as categories rather than numbers.
        test: Share of rows held out for InfoE; 0 scores in-sample.
        seed: Chooses the held-out rows and breaks ties between equal codes.

    Example:
        >>> import numpy as np
        >>> z = np.array([[i, j] for i in range(4) for j in range(4)] * 20)
        >>> score = infomec(z, z)
        >>> score.infom, score.infoc, score.infoe > 0.95
        (1.0, 1.0, True)

    References:
        hsu2023disentanglement, ross2014mutual, xu2020theory
    """
    if not 0.0 <= prune < 1.0:
        raise BadInput(f"prune={prune}; give a share of the largest range, from 0 to below 1")
    whole_number(neighbours, "neighbours", 1)
    latents, codes, flags = latents_and_codes(z, c, discrete, at_least=2)
    labels = [
        latent_classes(latent, discrete=bool(flag), bins=bins)
        for latent, flag in zip(latents.T, flags, strict=True)
    ]
    information = _normalised_information(labels, codes, neighbours, seed)
    spread = np.ptp(codes, axis=0)
    active = (spread > 0) & (spread > prune * spread.max())
    infom, infoc = _concentration(information[active]), _concentration(information[active].T)
    x = _categories(codes) if one_hot else codes
    explicit = np.array(
        [
            _explicitness(latent, labels[j] if flags[j] else None, x, test, seed)
            for j, latent in enumerate(latents.T)
        ]
    )
    return Infomec(infom, infom, float(explicit.mean()), infoc, information, active, explicit)


def _normalised_information(
    labels: list[Labels], codes: Floats, neighbours: int, seed: int
) -> Floats:
    jitter = generator(seed).normal(size=len(codes))
    matrix = np.zeros((codes.shape[1], len(labels)))
    for i, code in enumerate(standardised(codes).T):
        table = np.unique(code, return_inverse=True)[1] if few_values(code) else None
        for j, latent in enumerate(labels):
            if table is None:
                found = neighbour_information(latent, code + 1e-10 * jitter, neighbours)
            else:
                found = table_information(table, latent)
            matrix[i, j] = found / entropy(latent)
    return np.minimum(matrix, 1.0)


def _concentration(rows: Floats) -> float:
    """Mean share of the largest entry of a row, from chance (0) to all of it (1)."""
    count, width = rows.shape
    if count == 0 or width == 0:
        return 0.0
    if width == 1:
        return float("nan")
    sums = rows.sum(axis=1)
    share = np.where(sums > 0, rows.max(axis=1) / np.where(sums > 0, sums, 1.0), 1.0 / width)
    return float((share.mean() - 1.0 / width) / (1.0 - 1.0 / width))


def _explicitness(
    latent: Floats, labels: Labels | None, codes: Floats, test: float, seed: int
) -> float:
    rows = train, held_out = split(len(latent), test, seed, labels)
    x = standardised(codes, train)
    if labels is None:
        x = np.column_stack([x, np.ones(len(x))])
        weights = lstsq(x[train], latent[train])[0]
        return max(0.0, r_squared(x[held_out] @ weights, latent[held_out]))
    probabilities, known = class_probabilities(x, labels, rows, strength=BARELY)
    frequencies = np.bincount(labels[train])[known] / len(train)
    truth = np.searchsorted(known, labels[held_out])
    given = probabilities[np.arange(len(truth)), truth]
    nothing = -np.log(frequencies[truth]).mean()
    loss = -np.log(np.maximum(given, np.finfo(float).tiny)).mean()
    return max(0.0, float((nothing - loss) / nothing))


def _categories(codes: Floats) -> Floats:
    columns = []
    for code in codes.T:
        values, table = np.unique(code, return_inverse=True)
        columns.append(np.eye(len(values))[table] if few_values(code) else code[:, None])
    return np.column_stack(columns)
