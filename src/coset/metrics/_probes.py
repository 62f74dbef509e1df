"""Predictors of latents from codes: what they weigh, and how well they do on held-out rows."""

from __future__ import annotations

import warnings
from typing import Any, Literal, get_args

import numpy as np

from .._core import BadInput, Floats
from ._latents import Flags, Labels, Rows, split, standardised, units

TOLERANCE = 1e-6
"""Of a logistic regression's gradient: where the solver stops must not show in a score."""
MOST_STEPS = 500

Regressor = Literal["forest", "boosting", "lasso"]


def importances_of(
    latents: Floats, codes: Floats, flags: Flags, *, regressor: Regressor, test: float, seed: int
) -> tuple[Floats, Floats]:
    """Importances (codes, latents), and the held-out R² or accuracy of each latent."""
    if regressor not in get_args(Regressor):
        raise BadInput(f"regressor={regressor!r}; give one of {', '.join(get_args(Regressor))}")
    found = []
    for latent, discrete in zip(latents.T, flags, strict=True):
        labels = np.unique(latent, return_inverse=True)[1] if discrete else None
        rows = split(len(latent), test, seed, labels)
        if regressor == "lasso":
            found.append(_lasso(latent, labels, codes, rows))
        else:
            found.append(_trees(regressor, latent, labels, codes, rows, seed))
    importances, quality = zip(*found, strict=True)
    return np.column_stack(importances), np.array(quality)


def _trees(
    regressor: Regressor,
    latent: Floats,
    labels: Labels | None,
    codes: Floats,
    rows: tuple[Rows, Rows],
    seed: int,
) -> tuple[Floats, float]:
    from sklearn import ensemble

    model: Any
    target = latent if labels is None else labels
    train, held_out = rows
    if regressor == "boosting":
        kind = "GradientBoostingRegressor" if labels is None else "GradientBoostingClassifier"
        model = getattr(ensemble, kind)(random_state=seed % 2**32)
    else:
        kind = "RandomForestRegressor" if labels is None else "RandomForestClassifier"
        # a forest that tries a random part of the codes per split spreads importance over all
        model = getattr(ensemble, kind)(
            n_estimators=30,
            min_samples_leaf=max(2, len(train) // 300),
            max_features=1.0,
            random_state=seed % 2**32,
        )
    codes = codes / units(codes)  # trees see single precision
    model.fit(codes[train], target[train])
    predicted, actual = model.predict(codes[held_out]), target[held_out]
    quality = r_squared(predicted, actual) if labels is None else np.mean(predicted == actual)
    return np.asarray(model.feature_importances_), float(quality)


def _lasso(
    latent: Floats, labels: Labels | None, codes: Floats, rows: tuple[Rows, Rows]
) -> tuple[Floats, float]:
    """Importance is the absolute standardised coefficient, averaged over classes."""
    train, held_out = rows
    x = standardised(codes, train)
    targets = latent[:, None] if labels is None else np.eye(labels.max() + 1)[labels]
    y = standardised(targets, train)
    coefficients = np.column_stack([_lasso_path(x[train], column) for column in y[train].T])
    fitted = x[held_out] @ coefficients
    if labels is None:
        quality = r_squared(fitted[:, 0], y[held_out, 0])
    else:
        share = fitted * targets[train].std(axis=0) + targets[train].mean(axis=0)
        quality = float(np.mean(share.argmax(axis=1) == labels[held_out]))
    return np.abs(coefficients).mean(axis=1), quality


def _lasso_path(x: Floats, y: Floats) -> Floats:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LassoCV

    strongest = np.abs(x.T @ y).max() / len(y)
    if strongest == 0.0:
        return np.zeros(x.shape[1])
    strengths = strongest * np.geomspace(1.0, 1e-3, 25)
    model = LassoCV(alphas=strengths, cv=min(5, len(y)), fit_intercept=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return np.asarray(model.fit(x, y).coef_)


def r_squared(predicted: Floats, actual: Floats | Labels) -> float:
    """1 - squared error over variance; 0 where the held-out rows do not vary."""
    variance = float(((actual - actual.mean()) ** 2).sum())
    return 1.0 - float(((actual - predicted) ** 2).sum()) / variance if variance > 0 else 0.0


def class_probabilities(
    x: Floats, labels: Labels, rows: tuple[Rows, Rows], strength: float
) -> tuple[Floats, Labels]:
    """Held-out probabilities of a multinomial logistic regression, and the classes it knows."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    train, held_out = rows
    model = LogisticRegression(C=strength, tol=TOLERANCE, max_iter=MOST_STEPS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(x[train], labels[train])
    return np.asarray(model.predict_proba(x[held_out])), np.asarray(model.classes_)
