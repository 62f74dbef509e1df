"""Labels: are the codes of a classifier determined by the data, or by the seed?

Scikit-learn's handwritten digits with their ten classes. `Supervised` from three seeds, scored on
digits that none of them saw; the same with labels shuffled, and untrained. The theorem says: up to
a linear map, where there are more classes than latents. About 10 seconds.

    python examples/digit_labels.py

Prints:

    labels        agree  interval         chance  digit told by a neighbour
    true          0.762  [0.657, 0.867]   -0.033   0.962
    shuffled      0.334  [0.036, 0.632]   -0.039   0.270
    untrained     0.221  [-0.160, 0.601]   -0.033   0.656
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

import coset
from coset.estimators import Supervised

SEEDS = range(3)


def main() -> None:
    digits, classes = load_digits(return_X_y=True)
    X, X_test, u, u_test = train_test_split(digits, classes, test_size=0.4, random_state=0)
    shuffled = np.random.default_rng(0).permutation(u)
    cases = {"true": (u, 300), "shuffled": (shuffled, 300), "untrained": (u, 1)}
    print("labels        agree  interval         chance  digit told by a neighbour")
    for name, (labels, steps) in cases.items():
        models = [
            Supervised(dim=8, steps=steps, batch=256, widths=(64, 64), random_state=seed)
            .fit(X, u=labels)
            for seed in SEEDS
        ]  # fmt: skip
        found = coset.consistency(models, X_test, group="affine")
        told = [
            KNeighborsClassifier(1).fit(m.transform(X), u).score(m.transform(X_test), u_test)
            for m in models
        ]
        print(
            f"{name:12s}{found.mean:7.3f}  [{found.low:.3f}, {found.high:.3f}]"
            f"{found.chance:9.3f}{np.mean(told):8.3f}"
        )


if __name__ == "__main__":
    main()
