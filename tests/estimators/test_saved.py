"""Models on disk: the same numbers after loading, and a sentence where something is wrong."""

from __future__ import annotations

import json

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import coset
from coset._core import BadInput
from coset.estimators import METHODS, Contrastive

SHORT = {"widths": (8,), "batch": 16, "steps": 1, "optimiser": "sgd", "random_state": 0}
RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
U = np.array(["a", "b", "c"])[np.arange(60) % 3]


def labelled(kind):
    return getattr(kind, "labels_needed", False)


def fitted(name):
    kind = METHODS[name]
    known = kind().get_params()
    given = {k: v for k, v in {**SHORT, "dim": 2, "lag": 1}.items() if k in known}
    return (
        kind(**given).fit(X, u=U) if getattr(kind, "labels_needed", False) else kind(**given).fit(X)
    )


ONE_OF_EACH_KIND = ("contrastive", "supervised", "ivae", "interventions", "linear-ica", "ppca")
OTHERS = [name for name in METHODS if name not in ONE_OF_EACH_KIND]


@pytest.mark.parametrize(
    "name", [*ONE_OF_EACH_KIND, *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS)]
)
def test_a_loaded_model_gives_the_same_numbers(name, tmp_path):
    model = fitted(name)
    model.save(tmp_path / "model")
    assert {path.name for path in (tmp_path / "model").iterdir()} == {
        "model.json",
        "arrays.safetensors",
    }
    loaded = coset.load_model(tmp_path / "model")
    assert type(loaded) is type(model)
    assert loaded.get_params() == model.get_params()
    np.testing.assert_array_equal(loaded.transform(X), model.transform(X))
    if hasattr(model, "score"):
        given = {"u": U} if labelled(model) else {}
        assert loaded.score(X, **given) == model.score(X, **given)
    if hasattr(model, "inverse_transform"):
        codes = model.transform(X)
        np.testing.assert_array_equal(
            loaded.inverse_transform(codes), model.inverse_transform(codes)
        )
    loaded.save(tmp_path / "model")  # in its own place
    assert (tmp_path / "model" / "model.json").exists()


@pytest.fixture
def folder(tmp_path):
    fitted("contrastive").save(tmp_path / "model")
    return tmp_path / "model"


def edited(folder, **changes):
    about = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps({**about, **changes}))


def spoil(folder, how):
    arrays, about = folder / "arrays.safetensors", folder / "model.json"
    if how == "no arrays":
        arrays.unlink()
    elif how == "torn arrays":
        arrays.write_bytes(arrays.read_bytes()[:100])
    elif how == "an array short":
        found = load_file(arrays)
        found.pop("encoder.layers.0.weight")
        save_file(found, arrays)
    elif how == "an array of another shape":
        save_file({**load_file(arrays), "encoder.layers.0.weight": np.zeros((2, 2))}, arrays)
    elif how == "no json":
        about.write_text("{")
    elif how == "another json":
        about.write_text("[1]")
    elif how == "another method":
        edited(folder, method="os.system")
    elif how == "another parameter":
        edited(folder, parameters={"command": "rm"})
    elif how == "later":
        edited(folder, schema=99)
    elif how == "nothing learned":
        edited(folder, learned={})
    else:
        about.unlink()


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("no arrays", "arrays.safetensors"),
        ("torn arrays", "not readable"),
        ("an array short", "damaged"),
        ("an array of another shape", "damaged"),
        ("no json", "no JSON"),
        ("another json", "not of a model"),
        ("another method", "known are contrastive"),
        ("another parameter", "damaged"),
        ("later", "newer coset"),
        ("nothing learned", "damaged"),
        ("no about", "holds no model.json"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(folder, how, says):
    spoil(folder, how)
    with pytest.raises(BadInput, match=says) as refused:
        coset.load_model(folder)
    assert "\n" not in str(refused.value)


def test_a_folder_of_other_things_is_left_alone(folder):
    (folder / "thesis.tex").write_text("years")
    with pytest.raises(BadInput, match="other things"):
        fitted("contrastive").save(folder)
    assert (folder / "thesis.tex").read_text() == "years"


def test_only_coset_methods_are_saved(tmp_path):
    class Mine(Contrastive):
        pass

    with pytest.raises(BadInput, match="none of coset's methods"):
        Mine(**SHORT, lag=1).fit(X).save(tmp_path / "model")
