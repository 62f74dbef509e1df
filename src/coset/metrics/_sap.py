"""Separated attribute predictability."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from .._core import BadInput, Floats, Score
from ._checks import whole_number
from ._latents import Discrete, Labels, Rows, latent_classes, latents_and_codes, split, standardised
from ._mig import top_gap

Classifier = Literal["thresholds", "svm"]


@dataclass(frozen=True, eq=False, repr=False)
class Sap(Score):
    """The mean gap, the gap of each latent, and how well each code predicts it (codes, latents)."""

    gaps: Floats
    predictability: Floats


def sap(
    z: Any,
    c: Any,
    *,
    discrete: Discrete = "auto",
    classifier: Classifier = "thresholds",
    test: float = 0.25,
    seed: int = 0,
) -> Sap:
    """Separated attribute predictability: is each latent predicted by one code only?

    SAP = mean over j of (S_(1)j - S_(2)j), the gap between the two codes that predict z_j best.
    S_ij is the squared correlation for a continuous latent. For a discrete one of K values it is
    the held-out accuracy, every class weighing the same, of thresholds on code i alone (a tree of K
    leaves): chance is 1/K, so the gap is at most 1 - 1/K. `classifier="svm"` is the common
    shortcut instead: the plain accuracy of a linear support vector machine (C = 0.01, balanced
    classes, code standardised), which cannot find a class that lies between others and leaves a
    perfect code of ten ordered classes near 0.1. A constant code, and the missing second of a
    single code, predict what can be predicted with no code.

    Args:
        z: Latents (n, d).
        c: Codes (n, k).
        discrete: Which latents are classes; "auto" takes integers of few distinct values.
        classifier: "thresholds" or "svm", for discrete latents.
        test: Share of rows held out for discrete latents; 0 scores in-sample.
        seed: Chooses the held-out rows.

    Example:
        >>> import numpy as np
        >>> z = np.random.default_rng(0).normal(size=(2000, 3))
        >>> float(sap(z, z)) > 0.99
        True

    References:
        kumar2018variational
    """
    if classifier not in get_args(Classifier):
        raise BadInput(f"classifier={classifier!r}; give 'thresholds' or 'svm'")
    whole_number(seed, "seed")
    latents, codes, flags = latents_and_codes(z, c, discrete)
    if codes.shape[1] == 1:
        codes = np.column_stack([codes, np.zeros(len(codes))])
    columns = [
        _accuracies(codes, latent_classes(latent, discrete=True, bins=2), classifier, test, seed)
        if flag
        else _squared_correlations(codes, latent)
        for latent, flag in zip(latents.T, flags, strict=True)
    ]
    matrix = np.column_stack(columns)
    gaps = top_gap(matrix)
    return Sap(float(gaps.mean()), gaps, matrix)


def _squared_correlations(codes: Floats, latent: Floats) -> Floats:
    correlation = standardised(codes).T @ standardised(latent[:, None])[:, 0] / len(codes)
    return np.asarray(correlation**2)


def _accuracies(
    codes: Floats, labels: Labels, classifier: Classifier, test: float, seed: int
) -> Floats:
    train, held_out = split(len(labels), test, seed, labels)
    x = standardised(codes, train)
    truth = labels[held_out]
    sizes = np.bincount(truth)
    plain = np.full(len(truth), 1.0 / len(truth))
    weights = plain if classifier == "svm" else (1.0 / sizes[truth]) / np.count_nonzero(sizes)
    accuracy = np.empty(codes.shape[1])
    for i, code in enumerate(x.T):
        predicted = _classify(code[:, None], labels, train, held_out, classifier)
        accuracy[i] = weights[predicted == truth].sum()
    return accuracy


def _classify(
    code: Floats, labels: Labels, train: Rows, held_out: Rows, classifier: Classifier
) -> Labels:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC
    from sklearn.tree import DecisionTreeClassifier

    if not code.any():
        return np.full(len(held_out), np.bincount(labels[train]).argmax())
    model: Any
    if classifier == "svm":
        model = LinearSVC(C=0.01, class_weight="balanced", dual=False)
    else:
        model = DecisionTreeClassifier(
            max_leaf_nodes=int(labels.max()) + 1, class_weight="balanced", random_state=0
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(code[train], labels[train])
    return np.asarray(model.predict(code[held_out]))
