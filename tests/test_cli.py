"""The command line as a person and a script use it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pytest

COSET = str(Path(sys.executable).with_name("coset"))


def run(*arguments, cwd=None):
    return subprocess.run(
        [COSET, *map(str, arguments)], capture_output=True, text=True, cwd=cwd, check=False
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(0)
    a = rng.normal(size=(500, 8)).astype(np.float32)
    turn = np.linalg.qr(rng.normal(size=(8, 8)))[0].astype(np.float32)
    np.save(folder / "old.npy", a)
    np.save(folder / "new.npy", a @ turn)
    np.save(folder / "noise.npy", rng.normal(size=(500, 5)))
    np.save(folder / "short.npy", a[:-1])
    bad = a.copy()
    bad[7, 3] = np.nan
    np.save(folder / "nan.npy", bad)
    (folder / "model.pkl").write_bytes(b"\x80\x04K\x01.")
    (folder / "torn.npy").write_bytes((folder / "old.npy").read_bytes()[:900])
    np.savez(folder / "layers_a.npz", one=a, two=a[:, :4])
    np.savez(folder / "layers_b.npz", one=a @ turn, two=a[:, 4:])
    np.save(folder / "head_a.npy", rng.normal(size=(30, 8)))
    np.save(folder / "head_b.npy", np.load(folder / "head_a.npy") @ turn)
    return folder


def test_compare_prints_the_verdict_and_writes_everything(files, tmp_path):
    done = run(
        "compare", "old.npy", "new.npy", "--json", tmp_path / "r.json",
        "--html", tmp_path / "p.html", "--map", tmp_path / "m.safetensors", cwd=files,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "agree up to a rotation" in done.stdout
    result = json.loads((tmp_path / "r.json").read_text())
    assert result["schema"] == 1
    assert result["verdict"] == ["orthogonal"]
    assert result["command"].startswith("coset compare old.npy new.npy")
    assert "<html" in (tmp_path / "p.html").read_text()
    assert done.stderr == ""
    moved = run(
        "apply", tmp_path / "m.safetensors", "old.npy", "--out", tmp_path / "o.npy", cwd=files
    )
    assert moved.returncode == 0, moved.stderr
    np.testing.assert_allclose(np.load(tmp_path / "o.npy"), np.load(files / "new.npy"), atol=1e-5)
    back = run(
        "apply", tmp_path / "m.safetensors", "new.npy", "--inverse",
        "--out", tmp_path / "b.safetensors", cwd=files,
    )  # fmt: skip
    assert back.returncode == 0, back.stderr


@pytest.mark.parametrize(
    ("expected", "code"),
    [("orthogonal", 0), ("affine", 0), ("permutation", 1), ("componentwise", 1)],
)
def test_expectations_decide_the_exit_code(files, expected, code):
    done = run("compare", "old.npy", "new.npy", "--expect", expected, cwd=files)
    assert done.returncode == code
    assert ("expected" in done.stderr) == bool(code)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["compare", "old.npy"], "one representation given"),
        (["compare", "old.npy", "missing.npy"], "missing.npy"),
        (["compare", "old.npy", "short.npy"], "499"),
        (["compare", "old.npy", "nan.npy"], "row 7, column 3"),
        (["compare", "old.npy", "model.pkl"], "model.pkl"),
        (["compare", "old.npy", "torn.npy"], "torn.npy"),
        (["compare", "old.npy", "new.npy", "--folds", "x"], "--folds"),
        (["compare", "old.npy", "new.npy", "--folds", "1"], "folds=1"),
        (["compare", "old.npy", "new.npy", "--expect", "rotation"], "rotation"),
        (["compare", "old.npy", "new.npy", "--group", "rotation"], "rotation"),
        (["compare", "old.npy", "new.npy", "--map", "m.npz"], "safetensors"),
        (["compare", "old.npy", "new.npy", "--engine", "spark"], "spark"),
        (["compare", "old.npy", "new.npy", "--a-head", "head_a.npy"], "both"),
        (["compare", "old.npy", "new.npy", "--on", "id"], "old.npy"),
        (["compare", "old.npy", "new.npy", "--nonsense"], "--nonsense"),
        (["apply", "old.npy", "new.npy", "--out", "x.npy"], "old.npy"),
        (["score", "old.npy", "short.npy"], "499"),
        (["compare", "old.npy", ""], "empty path"),
        (["compare", "old.npy", "new.npy", "--html", "new.npy/page.html"], "cannot be written"),
        (["apply", "m.safetensors", "old.npy", "--out", "new.npy/x.npy"], "cannot be written"),
        (["verdict"], "verdict"),
        (["compare", "old.npy", "new.npy", "--seed", "-1"], "seed=-1"),
        (
            ["compare", "old.npy", "new.npy", "noise.npy", "--on", "id", "--rows", "5"],
            "--on, --rows",
        ),
        (
            [
                "compare",
                "old.npy",
                "new.npy",
                "--sample",
                "0",
                "--map",
                "m.safetensors",
                "--group",
                "nonlinear",
            ],
            "sample",
        ),
    ],
)
def test_bad_input_is_one_line_and_exit_two(files, arguments, says):
    before = sorted(files.iterdir())
    done = run(*arguments, cwd=files)
    assert done.returncode == 2, done.stdout + done.stderr
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("coset: ")
    assert "Traceback" not in done.stderr
    assert sorted(files.iterdir()) == before


def test_ids_travel_with_the_rows(files, tmp_path):
    fit = run(
        "compare", "old.npy", "new.npy", "--map", tmp_path / "m.safetensors", "--group", "affine",
        cwd=files,
    )  # fmt: skip
    assert fit.returncode == 0, fit.stderr
    with duckdb.connect() as connection:
        connection.execute(
            "COPY (SELECT 'item ' || range AS id, range / 7 AS x0, range % 5 AS x1, 1 AS x2, "
            "2 AS x3, 3 AS x4, 4 AS x5, 5 AS x6, 6 AS x7 FROM range(500)) "
            f"TO '{tmp_path}/table.csv' (HEADER)"
        )
        for suffix in (".parquet", ".csv"):
            out = tmp_path / f"moved{suffix}"
            done = run(
                "apply", tmp_path / "m.safetensors", tmp_path / "table.csv", "--on", "id",
                "--out", out,
            )  # fmt: skip
            assert done.returncode == 0, done.stderr
            ids = connection.execute(f"SELECT id FROM '{out}'").fetchnumpy()["id"]
            assert ids.tolist() == [f"item {i}" for i in range(500)]
            again = run("compare", out, tmp_path / "table.csv", "--on", "id", "--json", "-")
            assert json.loads(again.stdout)["rows"] == 500, again.stderr


def test_layers_and_many(files, tmp_path):
    done = run("compare", "layers_a.npz", "layers_b.npz", "--html", tmp_path / "m.html", cwd=files)
    assert done.returncode == 0, done.stderr
    assert "closest" in done.stdout
    assert "<svg" in (tmp_path / "m.html").read_text()
    done = run("compare", "old.npy", "new.npy", "noise.npy", "--json", "-", cwd=files)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["kind"] == "matrix"
    assert "closest" in done.stderr
    one = run("compare", "layers_a.npz#one", "layers_b.npz#one", cwd=files)
    assert "rotation" in one.stdout


def test_heads(files):
    done = run(
        "compare", "old.npy", "new.npy", "--a-head", "head_a.npy", "--b-head", "head_b.npy",
        cwd=files,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "heads" in done.stdout


def test_score(files, tmp_path):
    done = run("score", "old.npy", "new.npy", "--json", tmp_path / "s.json", cwd=files)
    assert done.returncode == 0, done.stderr
    scores = json.loads((tmp_path / "s.json").read_text())["scores"]
    assert scores["r2_linear"] > 0.99
    assert "mig" in scores


def test_help_teaches_and_is_quick():
    done = run("--help")
    for command in ("compare", "apply", "score", "demo"):
        assert command in done.stdout
        assert run(command, "--help").returncode == 0
    # seconds of CPU, which other tests at the same time do not lengthen as they do the clock's
    times = []
    for _ in range(5):
        before = os.times()
        run("--help")
        after = os.times()
        times.append(sum(after[2:4]) - sum(before[2:4]))
    assert min(times) < 0.3


def test_nothing_heavy_is_imported_for_help():
    code = (
        "import sys, coset, coset.cli; "
        "print([m for m in ('numpy.linalg', 'scipy', 'sklearn', 'jax', 'torch', 'jinja2', 'duckdb')"
        " if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert [
        m for m in ("jax", "torch", "jinja2", "duckdb", "sklearn", "scipy") if m in done.stdout
    ] == []


def test_the_audit_imports_no_accelerator_and_no_plotting():
    code = (
        "import sys, numpy as np, coset; "
        "a = np.random.default_rng(0).normal(size=(100, 3)); coset.compare(a, a); "
        "print([m for m in ('jax', 'torch', 'jinja2', 'matplotlib', 'sklearn', 'distributed')"
        " if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_demo(tmp_path):
    done = run("demo", "--out", tmp_path / "demo", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    holds, breaks, digits, shuffled = done.stdout.split("\n\n")[1:5]
    assert "agree up to the order, scale and offset of each column" in holds
    assert "agree up to a rotation" in breaks
    assert "order" not in breaks.splitlines()[1]
    assert "agree up to a nonlinear map" in digits
    assert "unrelated" in shuffled
    page = tmp_path / "demo" / "index.html"
    assert page.resolve().as_uri() in done.stdout
    for name in ("theorem-holds", "assumption-broken", "digits", "shuffled"):
        assert f'href="{name}.html"' in page.read_text()
        assert (page.parent / f"{name}.html").stat().st_size < 400_000


def test_interrupted_is_not_a_traceback(files):
    process = subprocess.Popen(
        [COSET, "demo", "--out", str(files / "never")],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ,
    )  # fmt: skip
    process.stdout.readline()
    process.send_signal(2)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in errors
