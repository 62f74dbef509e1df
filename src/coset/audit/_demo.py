"""The main job on real data: four pairs of codes, four different answers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from .._core import Floats
from ._compare import compare

PATCH = 8
PATCHES = 20_000
SOURCES = 8
UNITS = (64, 64, 8)


def run(out: Path) -> Iterator[str]:
    """Fit, compare, write a page each; yields lines to print."""
    yield "Fitting: independent components of photo patches, classifiers of handwritten digits ..."
    patches = _patches()
    one, two = (_components(patches, seed) for seed in (0, 1))
    net_one, net_two = (_classifier(seed) for seed in (0, 1))
    shuffled = np.random.default_rng(0).permutation(two)
    cases: list[tuple[str, str, Floats, Floats]] = [
        ("ica-seeds", "Two runs of linear ICA from different seeds", one, two),
        ("ica-and-pca", "ICA and PCA of the same patches", one, _principal(patches)),
        (
            "classifiers",
            "Two digit classifiers from different seeds, both with all but every digit right",
            net_one,
            net_two,
        ),
        (
            "shuffled",
            "The control: the two runs of ICA with the rows of one shuffled",
            one,
            shuffled,
        ),
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
    yield f"\nOpen {(out / 'ica-seeds.html').resolve().as_uri()}"
    yield "The other pages and the arrays lie beside it. With your own two files:"
    yield "  coset compare old.npy new.npy --html page.html --map map.safetensors"


def _patches() -> Floats:
    """Grey patches of a photograph that comes with scikit-learn, each less its mean."""
    from sklearn.datasets import load_sample_image

    image = load_sample_image("china.jpg").mean(2) / 255
    corners = np.random.default_rng(0).integers(0, np.array(image.shape) - PATCH, (PATCHES, 2))
    windows = np.lib.stride_tricks.sliding_window_view(image, (PATCH, PATCH))
    patches = windows[corners[:, 0], corners[:, 1]].reshape(PATCHES, -1)
    return np.asarray(patches - patches.mean(1, keepdims=True))


def _components(patches: Floats, seed: int) -> Floats:
    """Kurtosis as contrast: on these patches every start ends in the same optimum."""
    from sklearn.decomposition import FastICA

    ica = FastICA(
        SOURCES, fun="cube", whiten="unit-variance", max_iter=2000, tol=1e-7, random_state=seed
    )
    return np.asarray(ica.fit_transform(patches))


def _principal(patches: Floats) -> Floats:
    from sklearn.decomposition import PCA

    return np.asarray(PCA(SOURCES).fit_transform(patches))


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
