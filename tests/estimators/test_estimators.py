"""Estimators as a person uses them: alone, in scikit-learn's tools, on files, and stopped."""

from __future__ import annotations

import subprocess
import sys

import equinox as eqx
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import coset
from coset import _fit
from coset._core import BadInput
from coset.audit.sources import open_source
from coset.estimators import METHODS, Contrastive, Diet, Supervised, _trained
from coset.estimators._feed import RUN, Blocks, block_size
from coset.estimators._rows import Rows
from coset.estimators._scaling import scaling_of
from coset.worlds import sphere

SHORT = {"widths": (8,), "batch": 16, "steps": 50, "optimiser": "adam", "random_state": 0}


@pytest.fixture(scope="module")
def walk():
    return np.cumsum(np.random.default_rng(0).normal(size=(400, 3)), axis=0)


def short(**options):
    return Contrastive(**{**SHORT, "dim": 2, "lag": 1, **options})


# -- the family ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", METHODS)
def test_a_method_says_what_it_needs_and_how_far_it_leads(name):
    kind = METHODS[name]
    assert kind.learns_from
    assert kind.up_to
    assert "It needs" in kind.__doc__
    assert "up to" in kind.__doc__ or "apart" in kind.__doc__
    assert "References:" in kind.__doc__
    assert kind.__name__ in coset.estimators.__all__


def test_parameters_of_one_name_have_one_default():
    found: dict = {}
    for kind in METHODS.values():
        for name, value in kind().get_params().items():
            found.setdefault(name, set()).add(value)
    meant = {"lag", "noise", "sphere"}  # None where pairs are usual; what a theorem recommends
    assert {name for name, values in found.items() if len(values) > 1} <= meant


def test_importing_coset_imports_neither_scikit_learn_nor_jax():
    code = "import sys, coset; print({'sklearn', 'jax', 'equinox'} & set(sys.modules))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "set()"


# -- alone --------------------------------------------------------------------------------------


def test_codes_of_a_sphere_are_the_latents_up_to_a_rotation():
    import jax

    world = sphere(0, d=3, kappa=20.0)
    drawn = world.sample(jax.random.key(1), 8000)
    x, pairs = np.asarray(drawn.batch.x), np.asarray(drawn.batch.positive)
    z = np.asarray(drawn.latent)
    model = Contrastive(dim=3, steps=400, batch=128, widths=(32, 32), random_state=0)
    model.fit(x[:6000], pairs=pairs[:6000])
    found = coset.compare(z[6000:], model.transform(x[6000:]), sample=0)
    floor = coset.compare(z[6000:], x[6000:], sample=0)
    assert found.groups["orthogonal"].r2 > 0.9
    assert floor.groups["orthogonal"].r2 < 0.7
    shuffled = np.random.default_rng(0).permutation(pairs[6000:])
    assert model.score(x[6000:], pairs=pairs[6000:]) > model.score(x[6000:], pairs=shuffled)


def test_equal_seeds_give_equal_bits_and_other_seeds_do_not(walk):
    one, two = (clone(short()).fit(walk) for _ in range(2))
    assert np.array_equal(one.transform(walk), two.transform(walk))
    assert one.curve_ == two.curve_
    other = short(random_state=1).fit(walk)
    assert not np.array_equal(one.transform(walk), other.transform(walk))


def test_what_is_learned_is_told(walk):
    model = short(dim=None).fit(walk)
    assert model.codes_dim_ == 3
    assert model.n_features_in_ == 3
    assert model.curve_[-1][0] == 50
    assert model.interrupted_ is False
    assert model.get_feature_names_out().tolist() == [
        "contrastive0",
        "contrastive1",
        "contrastive2",
    ]


def test_seeds_and_rows_of_about_the_same_number_share_a_program(walk):
    short(rate=0.0123).fit(walk)
    before = eqx.debug.get_num_traces(_fit._advance)
    short(rate=0.0123, random_state=5).fit(walk[:350])
    assert eqx.debug.get_num_traces(_fit._advance) == before


@pytest.mark.parametrize("scaling", ["standard", "whiten", "none"])
def test_scaling_is_remembered(walk, scaling):
    model = short(scaling=scaling).fit(walk * [1, 100, 0.01] + 7)
    scaled = model.scaling_((walk * [1, 100, 0.01] + 7)[:50])
    back = model.scaling_.inverse(np.asarray(scaled, dtype=float))
    np.testing.assert_allclose(back, (walk * [1, 100, 0.01] + 7)[:50], rtol=1e-4, atol=1e-4)
    whole = model.scaling_(walk * [1, 100, 0.01] + 7)
    if scaling != "none":
        np.testing.assert_allclose(whole.std(0), 1, rtol=1e-3)
    if scaling == "whiten":
        np.testing.assert_allclose(np.cov(whole.T), np.eye(3), atol=0.01)


def test_whitening_leaves_out_what_does_not_vary(walk):
    doubled = np.hstack([walk, walk[:, :1], np.ones((len(walk), 1))])
    model = short(scaling="whiten").fit(doubled)
    assert model.scaling_.columns == 3
    np.testing.assert_allclose(
        model.scaling_.inverse(model.scaling_(doubled).astype(float)), doubled, atol=1e-3
    )


def test_labels_may_be_words_and_come_as_u_or_y(walk):
    u = np.array(["rest", "run", "walk"])[np.arange(len(walk)) % 3]
    one = Supervised(dim=2, **SHORT).fit(walk, u=u)
    two = Supervised(dim=2, **SHORT).fit(walk, u)
    assert one.labels_.tolist() == ["rest", "run", "walk"]
    assert one.score(walk, u=u) == two.score(walk, u)
    with pytest.raises(BadInput, match="swim"):
        one.score(walk[:2], u=["rest", "swim"])


def test_instances_are_labels_of_their_own(walk):
    model = Diet(dim=2, **SHORT).fit(walk)
    assert len(model.labels_) == len(walk)
    views = Diet(dim=2, **SHORT).fit(walk, u=np.arange(len(walk)) // 4)
    assert len(views.labels_) == len(walk) // 4


# -- in scikit-learn's tools --------------------------------------------------------------------


def test_frames_go_in_and_come_out(walk):
    frame = pd.DataFrame(walk, columns=["a", "b", "c"])
    model = short().set_output(transform="pandas").fit(frame)
    codes = model.transform(frame)
    assert list(codes.columns) == ["contrastive0", "contrastive1"]
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names"):
        model.transform(frame.rename(columns={"a": "z"}))


def test_frames_of_polars_too(walk):
    frame = pl.DataFrame(walk, schema=["a", "b", "c"])
    model = short().fit(frame)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(
        model.transform(frame), model.transform(pd.DataFrame(walk, columns=["a", "b", "c"]))
    )
    codes = model.set_output(transform="polars").transform(frame)
    assert codes.columns == ["contrastive0", "contrastive1"]


def test_pipelines_and_grids(walk):
    line = make_pipeline(FunctionTransformer(), short())
    assert line.fit_transform(walk).shape == (400, 2)
    search = GridSearchCV(short(), {"dim": [1, 2]}, cv=KFold(2)).fit(walk)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    labels = np.arange(len(walk)) % 3
    grid = GridSearchCV(Supervised(**SHORT), {"dim": [1, 2]}, cv=KFold(2)).fit(walk, labels)
    assert np.isfinite(grid.best_score_)


def test_pairs_are_routed(walk):
    with sklearn.config_context(enable_metadata_routing=True):
        model = short(lag=None).set_fit_request(pairs=True).set_score_request(pairs=True)
        search = GridSearchCV(model, {"dim": [1, 2]}, cv=KFold(2)).fit(walk, pairs=walk + 0.1)
    assert np.isfinite(search.best_score_)


@pytest.mark.parametrize(
    ("made", "X", "given", "says"),
    [
        (short(lag=None), "walk", {}, "pairs="),
        (short(lag=0), "walk", {}, "lag=0"),
        (short(lag=399), "walk", {}, "n_samples=400"),
        (short(), "walk", {"pairs": np.ones((399, 3))}, "399 rows"),
        (short(), "walk", {"pairs": np.ones((400, 2))}, "2 columns"),
        (short(), "walk", {"u": np.ones(400)}, "learns from pairs"),
        (short(similarity="l7"), "walk", {}, "anisotropic"),
        (short(dim=0), "walk", {}, "dim=0"),
        (short(batch=2.5), "walk", {}, "batch=2.5"),
        (short(steps=0), "walk", {}, "steps=0"),
        (short(optimiser="newton"), "walk", {}, "muon"),
        (short(scaling="minmax"), "walk", {}, "whiten"),
        (short(rate=1e30, steps=100, scaling="none", similarity="dot"), "walk", {}, "finite"),
        (short(), np.ones((5, 3)) * 1j, {}, "omplex"),
        (short(), np.ones((3, 3, 3)), {}, "dim"),
        (short(scaling="whiten"), np.ones((30, 3)), {}, "does not vary"),
        (Supervised(**SHORT), "walk", {}, "requires y"),
        (Supervised(**SHORT), "walk", {"u": np.full(400, np.nan)}, "NaN"),
        (Supervised(**SHORT), "walk", {"u": np.ones(7)}, "7 rows"),
        (Supervised(**SHORT), "walk", {"u": np.ones(400), "pairs": np.ones((400, 3))}, "pairs"),
    ],
)
def test_wrong_input_is_refused_in_words(walk, made, X, given, says):
    with pytest.raises(ValueError, match=says):
        made.fit(walk if isinstance(X, str) else X, **given)


def test_holes_are_named(walk):
    spoiled = walk.copy()
    spoiled[7, 2] = np.nan
    with pytest.raises(BadInput, match="NaN at row 7, column 2"):
        short().fit(spoiled)
    with pytest.raises(BadInput, match="NaN at row 7, column 2"):
        short().fit(walk).transform(spoiled)
    with pytest.raises(BadInput, match="NaN at row 7, column 2"):
        short(lag=None).fit(walk, pairs=spoiled)


# -- files larger than memory -------------------------------------------------------------------


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    folder = tmp_path_factory.mktemp("long")
    rows = np.cumsum(np.random.default_rng(1).normal(size=(5000, 3)), axis=0).astype(np.float32)
    np.save(folder / "whole.npy", rows)
    (folder / "shards").mkdir()
    for part, piece in enumerate(np.array_split(rows, 3)):
        np.save(folder / "shards" / f"part-{part}.npy", piece)
    return folder


def test_mapped_files_and_shards_train_alike_and_are_traced_once(long):
    options = {"steps": 200, "rate": 0.0123, "batch": 17}
    before = eqx.debug.get_num_traces(_fit._advance)
    one = short(**options).fit(np.load(long / "whole.npy", mmap_mode="r"))
    assert eqx.debug.get_num_traces(_fit._advance) == before + 1
    two = short(**options).fit(long / "shards")
    three = short(**options).fit([str(path) for path in sorted((long / "shards").iterdir())])
    assert eqx.debug.get_num_traces(_fit._advance) == before + 1
    rows = np.load(long / "whole.npy")
    assert np.array_equal(one.transform(rows), two.transform(long / "whole.npy"))
    assert np.array_equal(one.transform(rows), three.transform(rows))
    whole = short(**options).fit(rows)
    assert one.score(rows) == pytest.approx(whole.score(rows), abs=0.2)
    assert one.score(rows) == pytest.approx(one.score(long / "shards"), abs=1e-6)


def test_blocks_read_every_run_once_before_any_twice(long):
    rows = Rows(open_source(long / "whole.npy"), lag=1, auxiliary=np.arange(5000))
    size = block_size(rows, 3, 16)
    assert size % RUN == 0
    with Blocks(rows, scaling_of(rows.x, "none"), frozenset(), 1024, 0) as blocks:
        seen = [blocks(step) for step in range(0, 250, 50)]
        again = blocks(50)
    assert {block.x.shape for block in seen} == {(1, 1024, 3)}
    places = np.concatenate([np.asarray(block.auxiliary[0]) for block in seen])
    runs = len(rows.x) // RUN
    assert len(np.unique(places[: runs * RUN])) == runs * RUN
    assert not np.array_equal(places, np.sort(places))
    x = np.load(long / "whole.npy")
    first = seen[0]
    np.testing.assert_array_equal(first.x[0], x[np.asarray(first.auxiliary[0])])
    np.testing.assert_array_equal(first.positive[0], x[np.asarray(first.auxiliary[0]) + 1])
    np.testing.assert_array_equal(again.x, seen[1].x)  # of the step alone


# -- stopped, and watched -----------------------------------------------------------------------


def test_the_keyboard_stops_a_fit_and_keeps_it(walk, monkeypatch):
    from contextlib import contextmanager

    @contextmanager
    def stopping(what, *, verbose):
        def advance(done, total):
            if done == 100:
                raise KeyboardInterrupt

        yield advance

    monkeypatch.setattr(_trained, "bar", stopping)
    with pytest.warns(UserWarning, match="at step 100 of 500"):
        model = short(steps=500).fit(walk)
    assert model.interrupted_
    assert model.curve_[-1][0] == 100
    assert np.isfinite(model.transform(walk)).all()


def test_progress_is_told_where_it_was_asked_for(walk, capsys):
    short(steps=100, verbose=True).fit(walk)
    assert "Contrastive: 100 of 100 steps" in capsys.readouterr().err
    short(steps=100).fit(walk)
    short(steps=100, verbose=False).fit(walk)
    assert capsys.readouterr().err == ""
