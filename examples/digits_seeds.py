"""Two networks that differ in their seed alone: which layers match, and in what sense?

Two classifiers of scikit-learn's handwritten digits, 64-64-8 tanh units, from two seeds. Layer
against layer by every measure, then the verdict for each pair of like layers. About 6 seconds.

    python examples/digits_seeds.py

Prints:

    Of 9 pairs, hidden 1 of a and hidden 1 of b are closest (CKA, debiased: 0.959). Shuffled, the
    largest debiased CKA of any pair stays under 0.009 in 95 of 100 cases (p ≤ 0.01 over all pairs).

    cka_debiased    hidden 1  hidden 2  hidden 3
    hidden 1           0.959     0.918     0.662
    hidden 2           0.881     0.914     0.738
    hidden 3           0.624     0.705     0.705

    cca             hidden 1  hidden 2  hidden 3
    hidden 1           0.689     0.572     0.879
    hidden 2           0.568     0.587     0.922
    hidden 3           0.881     0.934     0.824

    like layers     verdict       affine R²  chance   nonlinear R²
    hidden 1        linear            0.960  -0.051          0.991
    hidden 2        nonlinear         0.949  -0.052          0.980
    hidden 3        nonlinear         0.845  -0.009          0.984
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

import coset


def layers(seed: int) -> dict[str, np.ndarray]:
    """Codes of all digits after each hidden layer."""
    digits, labels = load_digits(return_X_y=True)
    code = digits / 16
    net = MLPClassifier((64, 64, 8), activation="tanh", max_iter=300, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        net.fit(code, labels)
    found = {}
    for depth, (weights, bias) in enumerate(
        zip(net.coefs_[:-1], net.intercepts_[:-1], strict=True)
    ):
        code = np.tanh(code @ weights + bias)
        found[f"hidden {depth + 1}"] = code
    return found


def main() -> None:
    one, two = layers(0), layers(1)
    table = coset.compare_many(one, two)
    print(table.sentence)
    for measure in ("cka_debiased", "cca"):
        print(f"\n{measure:14s}" + "".join(f"{name:>10s}" for name in two))
        for name, row in zip(one, table.tables[measure], strict=True):
            print(f"{name:14s}" + "".join(f"{value:10.3f}" for value in row))
    print("\nlike layers     verdict       affine R²  chance   nonlinear R²")
    for name in one:
        found = coset.compare(one[name], two[name])
        affine, nonlinear = found.groups["affine"], found.groups["nonlinear"]
        verdict = ", ".join(found.verdict) or "none"
        print(f"{name:16s}{verdict:14s}{affine.r2:9.3f}{affine.chance:8.3f}{nonlinear.r2:15.3f}")


if __name__ == "__main__":
    main()
