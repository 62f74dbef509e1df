"""Nothing but observations: independent components of patches of photographs.

Patches of 8 by 8 grey pixels from scikit-learn's two sample pictures, whose means are taken away.
`LinearICA` and principal components, fitted on one picture and scored on the other: how sparse
the codes are, how likely the patches, and whether two halves of a picture give the same codes up to
order, sign and scale. About 5 seconds.

    python examples/image_patches.py

Prints:

    codes          log-likelihood  kurtosis  halves agree
    independent             15.08     42.48         0.928
    principal               13.46     27.67         0.924
"""

from __future__ import annotations

import numpy as np
from scipy.stats import kurtosis
from sklearn.datasets import load_sample_image
from sklearn.decomposition import PCA
from sklearn.feature_extraction.image import extract_patches_2d

import coset
from coset.estimators import LinearICA

COLUMNS = 16


def patches(name: str, count: int = 60_000) -> np.ndarray:
    """Flat grey patches, in random order."""
    grey = load_sample_image(name).mean(axis=2) / 255
    found = extract_patches_2d(grey, (8, 8), max_patches=count, random_state=0).reshape(count, 64)
    return found - found.mean(axis=1, keepdims=True)


def main() -> None:
    train, test = patches("china.jpg"), patches("flower.jpg")
    halves = np.array_split(train, 2)
    kinds = {
        "independent": lambda: LinearICA(dim=COLUMNS, random_state=0),
        "principal": lambda: PCA(COLUMNS, whiten=True, random_state=0),
    }
    print("codes          log-likelihood  kurtosis  halves agree")
    for name, kind in kinds.items():
        model = kind().fit(train)
        agree = coset.consistency(
            [kind().fit(half) for half in halves], test, group="scaled-permutation"
        )
        codes = model.transform(test)
        likely = model.score(test) if name == "independent" else normal(model, test)
        print(f"{name:15s}{likely:14.2f}{np.median(kurtosis(codes)):10.2f}{agree.mean:14.3f}")


def normal(model: PCA, rows: np.ndarray) -> float:
    """Mean log-likelihood of the kept directions under a normal law."""
    codes = model.transform(rows)
    each = -(codes**2) / 2 - np.log(2 * np.pi) / 2 - np.log(model.explained_variance_) / 2
    return float(each.sum(axis=1).mean())


if __name__ == "__main__":
    main()
