"""coset fit and coset transform as a person and a script use them."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import coset
from coset.cli import app, main

QUICK = ("--dim", "2", "--steps", "1", "--batch", "16", "--set", "widths=[8]", "--set",
         "optimiser=sgd")  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(0)
    rows = np.cumsum(rng.normal(size=(200, 3)), axis=0).astype(np.float32)
    np.save(folder / "rows.npy", rows)
    np.save(folder / "pairs.npy", rows + 0.1)
    np.save(folder / "wide.npy", np.hstack([rows, rows]))
    np.save(folder / "labels.npy", np.arange(200) % 3)
    (folder / "labels.txt").write_text("\n".join(["rest", "run"] * 100) + "\n")
    frame = pd.DataFrame(rows, columns=["a", "b", "c"]).assign(state=["rest", "run"] * 100)
    frame.to_csv(folder / "table.csv", index=False)
    return folder


@pytest.fixture
def coset_command(files, monkeypatch, capsys):
    """Runs in this process, where programs stay compiled; returns code, stdout, stderr."""

    def run(*arguments):
        monkeypatch.chdir(files)
        monkeypatch.setattr(sys, "argv", ["coset", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        told = capsys.readouterr()
        return ended.value.code, told.out, told.err

    return run


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("contrastive", ("--lag", "1", "--scaling", "whiten", *QUICK)),
        ("contrastive", ("--pairs", "pairs.npy", "--set", "temperature=0.5", *QUICK)),
        ("supervised", ("--u", "labels.npy", *QUICK)),
        ("supervised", ("--u", "labels.txt", *QUICK)),
        ("linear-ica", ("--dim", "2")),
    ],
)
def test_a_model_is_fitted_written_and_used(coset_command, method, options, tmp_path, files):
    out = tmp_path / "model"
    code, said, err = coset_command("fit", method, "rows.npy", *options, "--out", out)
    assert (code, err) == (0, "")
    assert "2 columns of code from 3" in said
    code, said, err = coset_command("transform", out, "rows.npy", "--out", tmp_path / "codes.npy")
    assert (code, err) == (0, "")
    codes = np.load(tmp_path / "codes.npy")
    assert codes.dtype == np.float32
    expected = coset.load_model(out).transform(np.load(files / "rows.npy"))
    np.testing.assert_allclose(codes, expected, rtol=1e-6)


def test_a_column_of_a_table_may_be_the_labels(coset_command, tmp_path):
    out = tmp_path / "model"
    code, _, err = coset_command(
        "fit", "supervised", "table.csv", "--u", "state", *QUICK, "--out", out
    )
    assert (code, err) == (0, "")
    assert coset.load_model(out).labels_.tolist() == ["rest", "run"]
    code, _, err = coset_command(
        "transform", out, "table.csv", "--on", "state", "--out", tmp_path / "codes.parquet"
    )
    assert (code, err) == (0, "")
    code, _, err = coset_command(
        "transform", out, "table.csv", "--on", "state", "--out", tmp_path / "codes.csv"
    )
    assert pd.read_csv(tmp_path / "codes.csv").columns.tolist() == ["state", "c0", "c1"]


def test_seeds_decide(coset_command, tmp_path, files):
    for name, seed in (("one", 0), ("two", 0), ("three", 1)):
        out = ("--seed", seed, "--out", tmp_path / name)
        assert coset_command("fit", "contrastive", "rows.npy", "--lag", "1", *QUICK, *out)[0] == 0
    rows = np.load(files / "rows.npy")
    one, two, three = (
        coset.load_model(tmp_path / name).transform(rows) for name in ("one", "two", "three")
    )
    assert np.array_equal(one, two)
    assert not np.array_equal(one, three)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("fit",), "METHOD, DATA and --out"),
        (("fit", "contrastive", "rows.npy"), "--out"),
        (("fit", "diet", "rows.npy", "--out", "."), "other things"),
        (("fit", "umap", "rows.npy", "--out", "m"), "contrastive"),
        (("fit", "contrastive", "rows.npy", "--out", "m"), "pairs="),
        (("fit", "contrastive", "missing.npy", "--lag", "1", "--out", "m"), "missing.npy"),
        (("fit", "contrastive", "rows.npy", "--pairs", "wide.npy", "--out", "m"), "6 columns"),
        (("fit", "supervised", "rows.npy", "--out", "m"), "u="),
        (("fit", "supervised", "rows.npy", "--u", "state", "--out", "m"), "state"),
        (("fit", "supervised", "rows.npy", "--lag", "1", "--out", "m"), "no parameter lag"),
        (("fit", "contrastive", "rows.npy", "--set", "dim", "--out", "m"), "NAME=VALUE"),
        (("fit", "contrastive", "rows.npy", "--steps", "x", "--out", "m"), "--steps"),
        (("transform", "rows.npy", "rows.npy", "--out", "c.npy"), "model.json"),
        (("transform", "nowhere", "rows.npy", "--out", "c.npy"), "nowhere"),
    ],
)
def test_bad_input_is_one_line_and_exit_two(coset_command, files, arguments, says):
    before = sorted(files.iterdir())
    code, _, err = coset_command(*arguments)
    assert code == 2
    assert says in err
    assert err.startswith("coset: ")
    assert err.count("\n") == 1
    assert sorted(files.iterdir()) == before


def test_other_columns_than_those_of_fit_are_refused(coset_command, tmp_path):
    out = tmp_path / "model"
    coset_command("fit", "contrastive", "rows.npy", "--lag", "1", *QUICK, "--out", out)
    code, _, err = coset_command("transform", out, "wide.npy", "--out", tmp_path / "codes.npy")
    assert code == 2
    assert "6 features" in err
    code, _, err = coset_command(
        "transform", out, "rows.npy", "--inverse", "--out", tmp_path / "codes.npy"
    )
    assert code == 2
    assert "no decoder" in err
    about = json.loads((out / "model.json").read_text())
    assert about["method"] == "contrastive"


def test_the_list_says_which_method_is_for_which_data():
    told = CliRunner().invoke(app, ["fit", "--list"])
    assert told.exit_code == 0
    for name, kind in coset.estimators.METHODS.items():
        assert name in told.stdout
        assert kind.learns_from.split()[0] in told.stdout


def test_help_is_quick_and_imports_no_accelerator():
    code = (
        "import sys\nfrom typer.testing import CliRunner\nfrom coset.cli import app\n"
        "assert CliRunner().invoke(app, ['fit', '--help']).exit_code == 0\n"
        "print({'jax', 'sklearn', 'equinox', 'scipy'} & set(sys.modules))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "set()"
