"""Comparisons of every kind to render, and the browser to look at them with."""

import os
import shutil

import numpy as np
import pytest

GROUPS = {
    # name: (says, R² of a good affine agreement)
    "identity": ("b = a", -41.3),
    "permutation": ("b = P a", -3.92),
    "signed-permutation": ("b = S P a", -1.07),
    "scaled-permutation": ("b = D P a + c", 0.118),
    "componentwise": ("b_i = h_i(a_p(i))", 0.141),
    "orthogonal": ("b = Q a", 0.634),
    "similarity": ("b = s Q a + c", 0.708),
    "linear": ("b = A a", 0.917),
    "affine": ("b = A a + c", 0.9821),
    "nonlinear": ("b = h(a)", 0.98349),
}
INSIDE = {
    "identity": ["permutation"],
    "permutation": ["signed-permutation"],
    "signed-permutation": ["scaled-permutation", "orthogonal"],
    "scaled-permutation": ["componentwise", "affine"],
    "componentwise": ["nonlinear"],
    "orthogonal": ["linear", "similarity"],
    "similarity": ["affine"],
    "linear": ["affine"],
    "affine": ["nonlinear"],
    "nonlinear": [],
}
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)> {{ 7*7 }} </title></style>"


def _groups(scores, *, verdict=(), width=0.006):
    holds = set()
    for name in verdict:
        holds |= {name, *_looser(name)}
    return {
        name: {
            "says": GROUPS[name][0], "r2": r2, "r2_ab": r2 + 0.003, "r2_ba": r2,
            "low": r2 - width * (1 + 4 * abs(1 - r2)), "high": min(r2 + width, 1.0),
            "chance": -0.0213, "holds": name in holds, "minimal": name in verdict,
            "inside": INSIDE[name], "note": "",
        }
        for name, r2 in scores.items()
    }  # fmt: skip


def _looser(name):
    found = set()
    for parent in INSIDE[name]:
        found |= {parent, *_looser(parent)}
    return found


def _histogram(rng, scale):
    counts, edges = np.histogram(rng.gamma(4, scale, 1797), bins=np.linspace(0, 0.6, 31))
    return {"edges": edges.tolist(), "counts": counts.tolist()}


def _full(columns=64):
    rng = np.random.default_rng(0)
    index = np.arange(columns)
    held = np.clip(1.0 - 0.9 * (index / columns) ** 5 - rng.uniform(0, 0.01, columns), -0.02, 1)
    sample = np.minimum(held + 0.02 + 0.1 * index / columns, 1.0)
    chance = 0.21 * (1 - index / columns) ** 1.3
    ab = np.clip(1 - rng.gamma(0.8, 0.035, columns), -0.4, 1)
    ba = np.clip(1 - rng.gamma(0.8, 0.05, columns), -0.4, 1)
    return {
        "schema": 1, "kind": "comparison", "version": "0.1.0",
        "command": "coset compare old.npy new.npy --threshold 0.95 --html page.html",
        "created": "2026-11-18T21:30:00+00:00",
        "a": {"name": "old.npy", "rows": 1797, "columns": columns, "rank": columns - 3},
        "b": {"name": "new.npy", "rows": 1797, "columns": columns, "rank": columns},
        "rows": 1797, "threshold": 0.95, "folds": 5, "seed": 0, "level": 0.95,
        "verdict": ["affine"], "undetermined": False,
        "sentence": "old.npy and new.npy agree up to an affine map: held-out two-way R² 0.982 "
        "[0.978, 0.986] where chance gives -0.021; no rotation does (0.708).",
        "hints": [f"{columns - 1} of {columns} directions are shared.",
                  "The offset matters: without it R² falls from 0.982 to 0.917."],
        "warnings": ["3 columns of old.npy are constant and were left out of its rank."],
        "route": "gram", "sampled_rows": 1797,
        "groups": _groups({name: r2 for name, (_, r2) in GROUPS.items()}, verdict=["affine"]),
        "measures": {"cca": 0.962, "svcca": 0.971, "pwcca": 0.968, "cka": 0.8412,
                     "cka_debiased": 0.8377, "procrustes": 0.781, "rsa": 0.744,
                     "mcc_pearson": 0.312, "mcc_spearman": 0.309, "knn_overlap": 0.573},
        "measure_details": {
            "cca": {"low": 0.955, "high": 0.967, "chance": 0.148, "p_value": 0.0002, "note": ""},
            "cka_debiased": {"low": 0.82, "high": 0.851, "chance": 0.0004, "p_value": 0.0049,
                             "note": ""},
            "rsa": {"low": 0.72, "high": 0.76, "chance": 0.0, "p_value": 0.013,
                    "note": "on a sample of 1,797 rows"},
        },
        "correlations": {"in_sample": sample.tolist(), "held_out": held.tolist(),
                         "chance": chance.tolist()},
        "columns": {"group": "affine", "ab": ab.tolist(), "ba": ba.tolist(),
                    "names_a": None, "names_b": None},
        "residuals": {"group": "affine", "ab": _histogram(rng, 0.035),
                      "ba": _histogram(rng, 0.045),
                      "worst_ab": [{"row": row, "error": 3.21 / (1 + i)} for i, row in
                                   enumerate([1717, 402, 17, 990, 1203, 66])]},
        "search": {"before": {"1": 0.021, "10": 0.034}, "after": {"1": 0.832, "10": 0.884},
                   "chance": {"1": 0.0003, "10": 0.0028},
                   "same_item": {"before": 0.004, "after": 0.957},
                   "queries": 500, "index": 3500, "group": "affine", "metric": "cosine"},
        "learning_curve": {"group": "affine", "rows": [32, 64, 128, 256, 512, 1024, 1437],
                           "r2": [-0.62, 0.31, 0.957, 0.971, 0.977, 0.981, 0.982],
                           "needed": 128, "threshold": 0.95},
        "heads": {"tie": 0.0131, "tie_floor": 0.0097, "rank": 64, "condition": 41233.0,
                  "classes": 1000, "dimensions": 64, "diverse": True, "r2_from_heads": 0.979,
                  "r2_from_data": 0.982, "distance": 0.0214,
                  "sentence": "The heads are tied as the theorem says: 0.013, against 0.010 at "
                  "the least."},
        "settings": {"permutations": 200, "bootstrap": 1000, "cka_rows": None},
    }  # fmt: skip


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


def _kinds():
    full = _full()
    small = _full(columns=12)
    small["columns"]["names_b"] = [f"pixel_{i}" for i in range(12)]
    several = {
        **full, "verdict": ["componentwise", "orthogonal"],
        "sentence": "a.npy and b.npy agree up to a map of each coordinate or a rotation: "
        "held-out two-way R² 0.97 and 0.96.",
        "groups": _groups(
            {name: 0.2 if i < 4 else 0.97 for i, name in enumerate(GROUPS)},
            verdict=["componentwise", "orthogonal"],
        ),
    }  # fmt: skip
    none = {
        **full, "verdict": [],
        "sentence": "No class of maps relates old.npy and new.npy: the closest, nonlinear, "
        "reaches R² 0.61.",
        "groups": _groups({n: min(r2, 0.61) for n, (_, r2) in GROUPS.items()}),
    }  # fmt: skip
    unrelated = {
        **full, "verdict": [], "sentence": "old.npy and new.npy are unrelated.",
        "groups": _groups({name: -0.03 for name in GROUPS}),
        "search": {**full["search"], "before": None},
    }  # fmt: skip
    undetermined = {
        **full, "verdict": [], "undetermined": True, "rows": 40,
        "sentence": "40 rows are too few to compare 64 columns.",
        "groups": _groups({name: 0.4 for name in GROUPS}, width=0.5),
        "search": None, "learning_curve": None, "columns": None,
    }  # fmt: skip
    huge = {
        **full, "verdict": [],
        "groups": _groups({name: -1.5e7 * (i + 1) for i, name in enumerate(GROUPS)}),
    }  # fmt: skip
    hostile = _hostile(small)
    hostile["groups"] = {
        name: {**group, "says": HOSTILE, "note": HOSTILE} for name, group in small["groups"].items()
    }
    hostile["verdict"] = ["affine", HOSTILE]
    return {
        "full": full, "wide": _full(columns=1024), "small": small, "several": several,
        "none": none, "unrelated": unrelated, "undetermined": undetermined, "huge": huge,
        "minimal": {"schema": 1, "kind": "comparison", "verdict": []},
        "empty": {}, "nones": _empty(full), "absent": {key: None for key in full},
        "hostile": hostile,
    }  # fmt: skip


def _matrix(high, wide, *, square=False):
    rng = np.random.default_rng(1)
    i, j = np.meshgrid(np.arange(high) / high, np.arange(wide) / wide, indexing="ij")
    values = np.exp(-8 * (i - j) ** 2) * 0.95 + rng.uniform(0, 0.05, (high, wide))
    if square:
        values = np.minimum((values + values.T) / 2, 1)
        np.fill_diagonal(values, 1.0)
    return {
        "schema": 1, "kind": "matrix", "version": "0.1.0", "command": "coset compare a/ b/",
        "created": "2026-11-18T21:30:00+00:00", "measure": "cka_debiased",
        "names_a": [f"run 1, layer {k}" for k in range(high)],
        "names_b": [f"run {1 if square else 2}, layer {k}" for k in range(wide)],
        "values": values.tolist(), "chance": 0.012, "threshold_max": 0.061, "p_max": 0.0049,
        "verdicts": [[["affine"] if v > 0.9 else [] for v in row] for row in values],
        "square": square, "sentence": "Layers at the same depth resemble one another most.",
        "other_measures": {"cca": (values**0.5).tolist(), "rsa": (values - 0.2).tolist()},
    }  # fmt: skip


@pytest.fixture(scope="session")
def kinds():
    return _kinds()


@pytest.fixture(scope="session")
def matrices():
    hostile = _hostile(_matrix(3, 4))
    hostile["other_measures"] = {HOSTILE: hostile["values"]}
    return {
        "layers": _matrix(12, 13), "square": _matrix(6, 6, square=True), "deep": _matrix(48, 48),
        "hostile": hostile, "empty": {}, "one": _matrix(1, 1),
        "nones": {**_matrix(3, 3), "values": [[None] * 3] * 3, "other_measures": None,
                  "verdicts": None, "sentence": None, "command": None},
    }  # fmt: skip


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
