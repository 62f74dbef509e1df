"""Pairs: what two views of one digit share, learned without a label.

Scikit-learn's handwritten digits, each with a copy moved by up to one pixel: the digit is what a
pair shares, the place is what changes. `Contrastive` and `ContentBlocks`, scored on digits that
they did not see: do seeds agree, does a code still say where the digit was moved (one in three is
chance), and which digit is it by its nearest neighbour? Raw pixels and principal components beside
them. About 20 seconds.

    python examples/digit_views.py

Prints:

    codes            seeds agree  moved, told by a code  digit told by a neighbour
    contrastive            0.727           0.350                   0.940
    content                0.607           0.661                   0.816
    untrained              0.483           0.769                   0.839
    components             1.000           0.925                   0.949
    pixels                 1.000           0.972                   0.965
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import coset
from coset.estimators import ContentBlocks, Contrastive

SEEDS = range(2)
TIMES = 10
"""Copies of each digit in training, each moved anew."""
TRAINING = {"dim": 16, "steps": 800, "batch": 256, "widths": (128, 128), "scaling": "none"}


def moved(digits: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Each digit moved by up to one pixel to the side, and by how much."""
    steps = np.random.default_rng(seed).integers(-1, 2, size=len(digits))
    frames = np.pad(digits.reshape(-1, 8, 8), [(0, 0), (0, 0), (1, 1)])
    views = np.stack([frame[:, 1 - k : 9 - k] for frame, k in zip(frames, steps, strict=True)])
    return views.reshape(len(digits), 64), steps


def main() -> None:
    digits, classes = load_digits(return_X_y=True)
    train, test, u, u_test = train_test_split(digits / 16, classes, test_size=0.4, random_state=0)
    train = np.tile(train, (TIMES, 1))
    (X, _), (pairs, _), (X_test, places) = moved(train, 1), moved(train, 2), moved(test, 3)
    trained = {
        "contrastive": [
            Contrastive(temperature=0.5, **TRAINING, random_state=seed) for seed in SEEDS
        ],
        "content": [ContentBlocks(**TRAINING, random_state=seed) for seed in SEEDS],
        "untrained": [Contrastive(**{**TRAINING, "steps": 1}, random_state=s) for s in SEEDS],
    }
    learned = {name: [m.fit(X, pairs=pairs) for m in kind] for name, kind in trained.items()}
    learned["components"] = [PCA(16, random_state=0).fit(X)]
    learned["pixels"] = [FunctionTransformer().fit(X)]
    print("codes            seeds agree  moved, told by a code  digit told by a neighbour")
    for name, models in learned.items():
        agree = coset.consistency(models, X_test).mean if len(models) > 1 else 1.0
        codes, codes_test = models[0].transform(X[: len(u)]), models[0].transform(X_test)
        half = len(codes_test) // 2
        place = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
        place.fit(codes_test[:half], places[:half])
        told = KNeighborsClassifier(1).fit(codes, u).score(codes_test, u_test)
        print(
            f"{name:16s}{agree:12.3f}{place.score(codes_test[half:], places[half:]):16.3f}"
            f"{told:24.3f}"
        )


if __name__ == "__main__":
    main()
