"""The main job on real data: four pairs of codes, four different answers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from .._core import Floats
from ._compare import compare

COMPONENTS = 10
SEEDS = (0, 2)
UNITS = (64, 64, 8)


def run(out: Path) -> Iterator[str]:
    """Fit, compare, write a page each; yields lines to print."""
    yield "Fitting: components of a table of tumours, classifiers of handwritten digits ..."
    table = _tumours()
    one, two = (_components(table, "cube", seed) for seed in SEEDS)
    left, right = (_components(table, "logcosh", seed) for seed in SEEDS)
    net_one, net_two = (_classifier(seed) for seed in SEEDS)
    shuffled = np.random.default_rng(0).permutation(two)
    cases: list[tuple[str, str, Floats, Floats]] = [
        ("kurtosis", "Linear ICA by kurtosis, from two seeds: the same optimum", one, two),
        ("log-cosh", "Linear ICA by log-cosh, from the same seeds: another optimum", left, right),
        ("digits", "Two digit classifiers, every digit right, from two seeds", net_one, net_two),
        ("shuffled", "The control: the first pair with the rows of one shuffled", one, shuffled),
    ]
    out.mkdir(parents=True, exist_ok=True)
    for name, title, a, b in cases:
        np.save(out / f"{name}-a.npy", a)
        np.save(out / f"{name}-b.npy", b)
        paths = out / f"{name}-a.npy", out / f"{name}-b.npy"
        found = compare(*paths, command=f"coset compare {paths[0]} {paths[1]} --html {name}.html")
        found.to_html(out / f"{name}.html")
        yield f"\n{title}\n  {found.sentence}"
        yield from (f"  hint: {hint}" for hint in found.hints)
    yield f"\nOpen {(out / 'kurtosis.html').resolve().as_uri()}"
    yield "The other pages and the arrays lie beside it. With your own two files:"
    yield "  coset compare old.npy new.npy --html page.html --map map.safetensors"


def _tumours() -> Floats:
    """569 tumours, 30 measurements each, standardised; comes with scikit-learn."""
    from sklearn.datasets import load_breast_cancer

    table = load_breast_cancer().data
    return np.asarray((table - table.mean(0)) / table.std(0))


def _components(table: Floats, contrast: str, seed: int) -> Floats:
    """Theory determines them up to order and sign; an optimiser may still stop elsewhere."""
    from sklearn.decomposition import FastICA

    ica = FastICA(
        COMPONENTS,
        fun=contrast,
        whiten="unit-variance",
        max_iter=3000,
        tol=1e-7,
        random_state=seed,
    )
    return np.asarray(ica.fit_transform(table))


def _classifier(seed: int) -> Floats:
    """The code before the softmax of a small network, for every digit of scikit-learn's set."""
    from sklearn.datasets import load_digits
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier

    digits, labels = load_digits(return_X_y=True)
    code = digits / 16
    net = MLPClassifier(UNITS, activation="tanh", max_iter=300, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        net.fit(code, labels)
    for weights, bias in zip(net.coefs_[:-1], net.intercepts_[:-1], strict=True):
        code = np.tanh(code @ weights + bias)
    return np.asarray(code)
