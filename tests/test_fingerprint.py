"""Equal values have equal letters, others have others, and what has none is refused."""

from __future__ import annotations

import itertools
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import coset
from coset import _fingerprint
from coset._fingerprint import LETTERS, code_fingerprint, fingerprint
from coset._recipe import Recipe
from coset.encoders import Mlp, OnSphere
from coset.objectives import Dot, InfoNCE
from coset.worlds import Identity, World, sphere

HERE = str(Path(__file__).parent)
sys.path.insert(0, HERE)
import tiny_lab as tiny  # noqa: E402


@dataclass(frozen=True)
class Pair:
    left: object
    right: object = None

    def total(self):
        return self.left


@dataclass(frozen=True)
class Other:
    left: object
    right: object = None


def named(x, y=2):
    return x + y


DIFFERENT = {
    "none": None,
    "true": True,
    "one": 1,
    "one, rounded": 1.0,
    "one, written": "1",
    "one, in bytes": b"1",
    "zero": 0.0,
    "minus zero": -0.0,
    "next to one": float(np.nextafter(1.0, 2.0)),
    "not a number": float("nan"),
    "empty": (),
    "nested": ((1, 2), 3),
    "flat": (1, 2, 3),
    "other nesting": (1, (2, 3)),
    "lines": ("a\nstr 'b'",),
    "more lines": ("a", "b"),
    "mapping": {"a": 1, "b": 2},
    "mapping, exchanged": {"a": 2, "b": 1},
    "mapping by number": {1: "a"},
    "mapping by digit": {"1": "a"},
    "set": frozenset({1}),
    "what a set is made of": ["int 1"],
    "data": Pair(1, 2),
    "data, exchanged": Pair(2, 1),
    "data of another class": Other(1, 2),
    "function": named,
    "partial": partial(named, 1),
    "partial, by name": partial(named, x=1),
    "method": Pair(1).total,
    "method of another": Pair(2).total,
    "class": Pair,
    "array": np.zeros(2, np.float32),
    "array of doubles": np.zeros(2),
    "array of another shape": np.zeros((2, 1), np.float32),
    "array of ones": np.ones(2, np.float32),
    "world": sphere(0, d=3),
    "world of another seed": sphere(1, d=3),
    "world of another law": sphere(0, d=3, kappa=3.0),
    "encoder": Mlp(jax.random.key(0), 3, 3, widths=(4,)),
    "encoder of another slope": Mlp(jax.random.key(0), 3, 3, widths=(4,), slope=0.1),
    "encoder of another head": Mlp(jax.random.key(0), 3, 3, widths=(4,), head=OnSphere()),
    "objective": InfoNCE(Dot(), 0.1),
    "objective of another option": InfoNCE(Dot(), 0.1, symmetric=True),
    "recipe": Recipe(),
    "recipe of another rate": Recipe(rate=0.1),
    "trial": tiny.trial(),
    "trial of another recipe": tiny.trial(recipe=Recipe()),
    "trial of another world": tiny.trial(world=partial(tiny.world, kappa=3.0)),
}


def test_different_values_have_different_letters():
    found = {name: fingerprint(value) for name, value in DIFFERENT.items()}
    for (one, a), (other, b) in itertools.combinations(found.items(), 2):
        assert a != b, (one, other)
    assert {len(letters) for letters in found.values()} == {LETTERS}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (partial(named, x=1, y=2), partial(named, y=2, x=1)),
        (frozenset("abc"), frozenset("cba")),
        ([1, 2], (1, 2)),
        (np.zeros(2, np.float32), jnp.zeros(2)),
        (np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.arange(6.0).reshape(2, 3)),
        (Pair(1, Pair(2)), replace(Pair(1), right=Pair(2))),
        (sphere(0, d=3), sphere(0, d=3)),
        (tiny.trial(), tiny.trial(world=tiny.world)),
        (Pair(1).total, Pair(1).total),
    ],
)
def test_equal_values_have_equal_letters(one, other):
    assert fingerprint(one) == fingerprint(other)


@pytest.mark.parametrize(
    "value",
    [
        lambda x: x,
        partial(lambda x: x, 1),
        Pair(lambda x: x),
        object(),
        Path("x"),
        np.array([named], dtype=object),
    ],
)
def test_what_has_no_lasting_name_is_refused(value):
    with pytest.raises(TypeError, match=r"no name that lasts|has no fingerprint"):
        fingerprint((value,))


def test_letters_last_from_process_to_process():
    code = (
        f"import sys; sys.path.insert(0, {HERE!r}); import tiny_lab as tiny\n"
        "from coset._fingerprint import fingerprint; print(fingerprint(tiny.trial()))"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True,
            env={"PYTHONHASHSEED": seed, "JAX_PLATFORMS": "cpu"},
        ).stdout.strip()
        for seed in ("1", "2")
    }  # fmt: skip
    assert told == {fingerprint(tiny.trial())}


def test_a_world_of_parts_is_known_by_its_parts():
    one = World(sphere(0, d=3).latents, sphere(0, d=3).pairing, Identity())
    assert fingerprint(one) == fingerprint(sphere(0, d=3, mixing=Identity()))


# -- of the code --------------------------------------------------------------------------------


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A copy of the package's source, whose fingerprint is taken."""
    copy = tmp_path / "coset"
    shutil.copytree(Path(coset.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(_fingerprint, "__file__", str(copy / "_fingerprint.py"))
    return copy


@pytest.mark.parametrize(
    ("place", "matters"),
    [
        ("_fit.py", True),
        ("_run.py", True),
        ("worlds/_vmf.py", True),
        ("objectives/_contrastive.py", True),
        ("metrics/_mcc.py", True),
        ("claims/zimmermann2021.py", True),
        ("audit/_tie_maps.py", True),  # claims of Roeder et al. are scored by it
        ("worlds/_new.py", True),
        ("audit/_compare.py", False),
        ("estimators/_trained.py", False),
        ("report/_page.py", False),
        ("sweep/_store.py", False),
        ("cli/_claims.py", False),
        ("_verdict.py", False),
        ("_verify.py", False),
        ("report/templates/new.html", False),
    ],
)
def test_a_change_of_code_means_other_runs_where_runs_depend_on_it(place, matters, home):
    fresh = code_fingerprint.__wrapped__
    before = fresh()
    assert before == fresh()
    path = home / place
    path.parent.mkdir(exist_ok=True)
    path.write_text((path.read_text() if path.exists() else "") + "\n# changed\n")
    assert (fresh() != before) == matters


def test_moved_code_is_other_code(home):
    fresh = code_fingerprint.__wrapped__
    before = fresh()
    (home / "_fit.py").rename(home / "_fitting.py")
    assert fresh() != before


def test_what_claims_import_counts():
    """Nothing of a room that stands apart is imported where runs are made, ties excepted."""
    text = "".join(
        path.read_text()
        for folder in ("claims", "worlds", "objectives", "encoders", "metrics", "groups")
        for path in sorted((Path(coset.__file__).parent / folder).rglob("*.py"))
    )
    asked = {
        line.strip()
        for line in text.splitlines()
        if line.startswith(("from ..", "from coset", "import coset"))
        and any(f"..{room}" in line or f"coset.{room}" in line for room in _fingerprint.APART)
    }
    assert asked == {"from ..audit import tie"}
