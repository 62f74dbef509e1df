"""Train, audit, break an assumption, audit again: the main job, with nothing downloaded."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ._core import Floats
from .audit import compare
from .report import write_index

D = 5
SEEDS = (0, 2)
UNITS = (64, 64, 8)
ROWS = 4000
STEPS = 1500
SCALES = {1: 0.15, 2: 0.25}
"""Of the distance between a latent and its positive, by the power α of that distance."""


def run(out: Path) -> Iterator[str]:
    """Train, compare, write a page each and one that links them; yields lines to print."""
    out.mkdir(parents=True, exist_ok=True)
    yield "Training two encoders from different seeds on one world, α = 1 ..."
    holds = encoders(1)
    yield "Again on the world that the theorem leaves out, α = 2 ..."
    breaks = encoders(2)
    yield "Fitting two classifiers of handwritten digits ..."
    digits = classifier(SEEDS[0]), classifier(SEEDS[1])
    shuffled = np.random.default_rng(0).permutation(holds[1])
    cases: list[tuple[str, str, Floats, Floats]] = [
        (
            "theorem-holds",
            "Positives at an L^1 distance: latents are determined up to order, sign and scale",
            *holds,
        ),
        (
            "assumption-broken",
            "Positives at an L^2 distance, codes free: a rotation stays undetermined",
            *breaks,
        ),
        ("digits", "Two digit classifiers, every digit right, from two seeds", *digits),
        ("shuffled", "The control: the first pair, the rows of one shuffled", holds[0], shuffled),
    ]
    entries = []
    for name, title, a, b in cases:
        np.save(out / f"{name}-a.npy", a)
        np.save(out / f"{name}-b.npy", b)
        paths = out / f"{name}-a.npy", out / f"{name}-b.npy"
        found = compare(*paths, command=f"coset compare {paths[0]} {paths[1]} --html {name}.html")
        found.to_html(out / f"{name}.html")
        entries.append((f"{name}.html", found.to_dict()))
        yield f"\n{title}\n  {found.sentence}"
        yield from (f"  hint: {hint}" for hint in found.hints)
    index = write_index(out.resolve().name, entries, out / "index.html")
    yield f"\nOpen {index.resolve().as_uri()}"
    yield "With your own two files:"
    yield "  coset compare old.npy new.npy --html page.html --map map.safetensors"


def encoders(alpha: int) -> tuple[Floats, Floats]:
    """Codes of the same observations by two encoders of one world, trained from two seeds.

    Latents fill a box; the log density of a positive falls with the power α of each coordinate's
    distance, and so does the similarity that is learned. For α = 2 codes are free to turn.
    """
    import jax
    import jax.numpy as jnp

    from ._fit import codes, fit
    from ._lab import stacked
    from ._recipe import Recipe
    from .encoders import Free, InBox, Mlp
    from .objectives import InfoNCE, LAlpha
    from .worlds import box

    scale = SCALES[alpha]
    world = box(0, d=D, alpha=alpha, scale=scale)

    def encoder(seed: int) -> Any:
        head = InBox(D) if alpha == 1 else Free()
        return Mlp(jax.random.key(seed), D, D, head=head)

    fitted = fit(
        stacked([world] * len(SEEDS)),
        stacked([encoder(seed) for seed in SEEDS]),
        stacked([InfoNCE(LAlpha(alpha), scale**alpha)] * len(SEEDS)),
        Recipe(batch=256, steps=STEPS),
        keys=jnp.stack([jax.random.key(seed) for seed in SEEDS]),
    )
    x = world.sample(jax.random.key(len(SEEDS)), ROWS).batch.x
    found = codes(fitted.encoder, jnp.stack([x] * len(SEEDS)))
    return found[0], found[1]


def classifier(seed: int) -> Floats:
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
