"""Comparisons of every kind, from small seeded data, and the browser to look at them with."""

import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

import coset
from coset._verify import run_claims

sys.path.insert(0, str(Path(__file__).parent.parent))
import toy_claims as toy

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)> {{ 7*7 }} </title></style>"
ROWS = 1200
COMMAND = "coset compare old.npy new.npy --threshold 0.95 --html page.html"


def _real():
    """A comparison for each state that a verdict can have."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=(ROWS, 24)) * np.linspace(1, 0.2, 24)
    turned = a @ np.linalg.qr(rng.normal(size=(24, 24)))[0]
    carried = turned * np.linspace(0.2, 3, 24) + 0.4 + 0.04 * rng.normal(size=a.shape)
    u = rng.uniform(-1, 1, size=(ROWS, 4))
    pairs = np.hstack([u / u.std(), u**9 / (u**9).std()])
    mixed = pairs @ np.kron([[1, 1], [1, 2]], np.eye(4))
    wide = rng.normal(size=(420, 130))
    sheared = np.eye(6) + np.eye(6, k=1)
    heads = rng.normal(size=(40, 6))
    return {
        "full": _compared(a, carried, command=COMMAND),
        "wide": _compared(wide, wide * np.linspace(1, 3, 130) + 0.1 * rng.normal(size=wide.shape)),
        "small": _compared(a[:, :12], a[:, :12] + 0.02 * rng.normal(size=(ROWS, 12))),
        "several": _compared(pairs, mixed),
        "none": _compared(a, np.tanh(2 * turned) + 0.4 * rng.normal(size=a.shape)),
        "unrelated": _compared(rng.normal(size=(ROWS, 8)), rng.normal(size=(ROWS, 6))),
        "undetermined": _compared(rng.normal(size=(40, 64)), rng.normal(size=(40, 64))),
        "heads": _compared(a[:, :6], a[:, :6] @ sheared,
                          heads=(heads, heads @ np.linalg.inv(sheared).T)),
        "few labels": _compared(a[:, :6], a[:, :6] @ sheared, heads=(heads[:4], heads[:4])),
    }  # fmt: skip


def _compared(a, b, **options):
    """What the page is given of two arrays that come from old.npy and new.npy."""
    found = coset.compare(a, b, sample=300, **options).to_dict()
    found["sentence"] = found["sentence"].replace("a and b", "old.npy and new.npy")
    return {
        **found,
        "a": {**found["a"], "name": "old.npy"},
        "b": {**found["b"], "name": "new.npy"},
    }


def _made_up(real):
    """What no data gives: scores of any size, nothing at all, and text that means harm."""
    full, small = real["full"], real["small"]
    huge = {
        name: {**group, "r2": -1.5e7 * (i + 1), "low": -2e9, "high": -1e6, "holds": False}
        for i, (name, group) in enumerate(full["groups"].items())
    }
    hostile = _hostile({**small, "heads": real["heads"]["heads"]})
    hostile["groups"] = {
        name: {**group, "says": HOSTILE} for name, group in small["groups"].items()
    }
    hostile["verdict"] = ["affine", HOSTILE]
    return {
        "huge": {**full, "verdict": [], "related": True, "groups": huge},
        "minimal": {"schema": 1, "kind": "comparison", "verdict": []},
        "empty": {},
        "nones": _empty(full),
        "absent": dict.fromkeys(full),
        "hostile": hostile,
    }


def _matrices():
    """Tables of scores: two stacks, one list, many layers, and what no data gives."""
    rng = np.random.default_rng(1)
    base = rng.normal(size=(80, 6))
    one, two = (_stack(base, rng, run, 13) for run in (1, 2))
    layers = coset.compare_many(dict(list(one.items())[:12]), two, command=COMMAND).to_dict()
    square = coset.compare_many(dict(list(one.items())[:6])).to_dict()
    deep = coset.compare_many(*(_stack(base, rng, run, 48) for run in (1, 2)),
                              measures=["cka_debiased"])  # fmt: skip
    single = coset.compare_many({"x": base}, {"y": base}).to_dict()
    few = coset.compare_many(*({f"{x}{k}": base + k for k in range(3)} for x in "ab")).to_dict()
    hostile = _hostile(few)
    hostile["measure"], hostile["other_measures"] = HOSTILE, {HOSTILE + "cca": few["values"]}
    return {
        "layers": layers,
        "square": square,
        "deep": deep.to_dict(),
        "one": single,
        "hostile": hostile,
        "empty": {},
        "nones": {**_empty(few), "values": [[None] * 3] * 3, "sentence": None, "command": None},
    }


def _verifications():
    """Pages of verifications: of every status, of one claim, of nothing, and what means harm."""
    found = run_claims(toy.chosen(), scale="small", seeds=3, engine="serial",
                       command="coset verify --all --out runs").to_dict(runs=True)  # fmt: skip
    first = found["claims"][0]
    wild = [
        {**case, "score": value, "low": value - 1, "high": value + 1, "bound": ["at_most", 40.0],
         "name": "a case with a name that is longer than there is room for it anywhere"}
        for case, value in zip(first["cases"], (-3e6, 12.5, 1e-7, 4.4e8))
    ]  # fmt: skip
    cells = {case["cell"] for case in first["cases"]}
    return {
        "all": found,
        "one": {**found, "claims": [first]},
        "wild": {**found, "claims": [{**first, "cases": wild}]},
        "no runs": {**found, "runs": {}},
        "single seed": {**found, "runs": {cell: _one_seed(found["runs"][cell]) for cell in cells}},
        "hostile": {**_hostile({**found, "runs": {}}), "runs": _harmful(found["runs"])},
        "nones": _empty(found),
        "absent": dict.fromkeys(found),
        "empty": {},
    }


def _one_seed(run):
    curves = [{**one, "values": [point[:1] for point in one["values"]]} for one in run["curves"]]
    return {**run, "curves": curves, "pictures": run["pictures"][:2], "diverged": [True]}


def _harmful(runs):
    """Runs found under harmful names, because cases name their cells."""
    return {
        HOSTILE + cell[:12]: {**_hostile(run), "pictures": [
            {**_hostile(one), "kind": one["kind"]} for one in run["pictures"]
        ]}
        for cell, run in runs.items()
    }  # fmt: skip


def _stack(base, rng, run, depth):
    """Layers that each keep most of the one before."""
    found, code = {}, base
    for layer in range(depth):
        code = np.tanh(code @ rng.normal(size=(6, 6)) / 2) + 0.1 * rng.normal(size=base.shape)
        found[f"run {run}, layer {layer}"] = code
    return found


def _empty(value):
    if isinstance(value, dict):
        return {key: _empty(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_empty(inner) for inner in value]
    return None if isinstance(value, float) else value


def _hostile(value):
    if isinstance(value, dict):
        return {key: _hostile(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_hostile(inner) for inner in value]
    return HOSTILE + value[:12] if isinstance(value, str) else value


@pytest.fixture(scope="session")
def real():
    return _real()


@pytest.fixture(scope="session")
def kinds(real):
    return {**real, **_made_up(real)}


@pytest.fixture(scope="session")
def matrices():
    return _matrices()


@pytest.fixture(scope="session")
def verifications():
    return _verifications()


@pytest.fixture(scope="session")
def hostile_text():
    return HOSTILE


def _find_browser():
    named = os.environ.get("COSET_BROWSER")
    found = [named, *map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))]
    return next((path for path in found if path), None)


def _missing(reason):
    pytest.skip(reason)  # a failure where skips are forbidden: tests/conftest.py


@pytest.fixture(scope="session")
def browser():
    path = _find_browser()
    if path is None:
        _missing("no Chromium found: apt-get install chromium, or set COSET_BROWSER to its path")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _missing("playwright is not installed: pip install playwright")
    with sync_playwright() as play:
        started = play.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()
