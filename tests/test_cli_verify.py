"""The commands of the laboratory as a person and a script use them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

HERE = Path(__file__).parent
COSET = str(Path(sys.executable).with_name("coset"))


@pytest.fixture
def run(tmp_path):
    """The command line over the toy claims, in a folder of its own."""
    marks = tmp_path / "marks"
    marks.mkdir()

    def call(*arguments, script=(sys.executable, str(HERE / "toy_claims.py"))):
        return subprocess.run(
            [*script, *map(str, arguments)], capture_output=True, text=True, cwd=tmp_path,
            check=False, env={**os.environ, "TOY_FOLDER": str(marks)},
        )  # fmt: skip

    return call


def test_claims_are_listed(run):
    done = run("claims")
    assert done.returncode == 0, done.stderr
    for words in ("toy2020.line", "toy2020.box", "other2021.loose", "Something weaker."):
        assert words in done.stdout
    paper = run("claims", "toy2020").stdout
    assert "toy2020.box" in paper
    assert "other2021" not in paper


def test_a_claim_in_full(run):
    done = run("claims", "toy2020.line")
    assert done.returncode == 0, done.stderr
    for words in (
        "Codes are latents up to a linear map.", "latents lie on a unit sphere",
        "Cases at smoke, paper", "Cases at small", "≥ 0.95", "≤ 0.9", "0.9998", "Table 1",
        "breaks: positives vary along one axis", "a tenth of the steps",
        "What differs from the paper: a toy in place of training",
    ):  # fmt: skip
        assert words in done.stdout, words


@pytest.mark.parametrize(
    ("names", "code", "says"),
    [
        (["toy2020.line"], 0, "1 of 1 claim supported."),
        (["toy2020"], 1, "1 of 2 claims supported: toy2020.box is refuted."),
        (["other2021.loose"], 1, "other2021.loose is uninformative"),
        (["--all"], 1, "1 of 3 claims supported"),
    ],
)
def test_the_exit_code_says_whether_all_are_supported(run, names, code, says):
    done = run("verify", *names, "--scale", "smoke", "--seeds", "2")
    assert done.returncode == code, done.stderr
    assert says in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["verify"], "--all"),
        (["verify", "toy2020", "--all"], "--all"),
        (["verify", "toy2020.lime"], "close are toy2020.line"),
        (["verify", "toy2020", "--scale", "huge"], "smoke, small, paper"),
        (["verify", "toy2020", "--seeds", "0"], "seeds=0"),
        (["verify", "toy2020", "--engine", "spark"], "spark"),
        (["verify", "toy2020", "--json", "marks"], "cannot be written"),
        (["claims", "nobody1999"], "nobody1999"),
        (["report", "missing"], "is no folder"),
        (["report", "marks"], "holds no results"),
        (["sample", "sphere", "--n", "5", "--out", "x.csv"], ".npz"),
        (["sample", "spere", "--n", "5", "--out", "x.npz"], "sphere"),
        (["sample", "sphere", "--n", "0", "--out", "x.npz"], "n=0"),
        (["sample", "sphere", "--out", "x.npz"], "--n"),
    ],
)
def test_bad_input_is_one_line_and_exit_two(run, tmp_path, arguments, says):
    done = run(*arguments)
    assert done.returncode == 2, done.stdout + done.stderr
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("coset: ")
    assert [path.name for path in tmp_path.iterdir()] == ["marks"]


def test_everything_is_written(run, tmp_path):
    done = run("verify", "toy2020.line", "--scale", "small", "--out", "out",
               "--json", "found.json", "--html", "page.html")  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "found.json").read_text())
    assert (found["schema"], found["scale"]) == (1, "small")
    assert found["command"].startswith("coset verify toy2020.line --scale small")
    assert found == json.loads((tmp_path / "out" / "results.json").read_text())
    page = (tmp_path / "page.html").read_text()
    assert page == (tmp_path / "out" / "index.html").read_text()
    assert (tmp_path / "page.html").as_uri() in done.stdout
    for words in ("✓ supported  toy2020.line", "one axis only (control)", "0.9998", "0.640"):
        assert words in done.stdout


def test_json_alone_on_the_output(run):
    done = run("verify", "toy2020.box", "--scale", "smoke", "--seeds", "1", "--json", "-")
    assert done.returncode == 1
    assert json.loads(done.stdout)["claims"][0]["status"] == "refuted"
    assert "refuted" in done.stderr


def test_the_page_is_made_anew_from_the_store(run, tmp_path):
    assert run("verify", "toy2020.line", "--scale", "smoke", "--out", "out").returncode == 0
    page = tmp_path / "out" / "index.html"
    before = page.read_text()
    page.unlink()
    done = run("report", "out")
    assert done.returncode == 0, done.stderr
    assert page.as_uri() in done.stdout
    assert page.read_text() == before
    for path in (tmp_path / "out" / "runs").iterdir():
        path.write_text("torn")
    done = run("report", "out")
    assert done.returncode == 0, done.stderr
    assert "Behind it" not in page.read_text()


def test_a_torn_run_is_told_and_run_again(run, tmp_path):
    assert run("verify", "toy2020.line", "--scale", "smoke", "--out", "out").returncode == 0
    (path, *_) = sorted((tmp_path / "out" / "runs").iterdir())
    whole = path.read_text()
    path.write_text(whole[:100])
    done = run("verify", "toy2020.line", "--scale", "smoke", "--out", "out")
    assert done.returncode == 0
    assert f"warning: {path} is no whole JSON file; it is passed over" in done.stderr
    assert "Traceback" not in done.stderr
    assert path.read_text() == whole


@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT")
def test_ctrl_c_keeps_what_is_finished(tmp_path):
    marks = tmp_path / "marks"
    marks.mkdir()
    (marks / "wait axis").touch()
    with subprocess.Popen(
        [sys.executable, str(HERE / "toy_claims.py"), "verify", "toy2020.line", "--scale", "smoke",
         "--out", str(tmp_path / "out")],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "TOY_FOLDER": str(marks)},
    ) as process:  # fmt: skip
        deadline = time.monotonic() + 30
        while not list(marks.glob("ran axis *")):
            assert time.monotonic() < deadline, "the second cell did not begin"
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "keeps what is finished; the same command goes on" in errors
    assert "Traceback" not in errors
    assert len(list((tmp_path / "out" / "runs").glob("*.json"))) == 1


def test_worlds_are_listed_and_sampled(run, tmp_path):
    done = run("worlds", script=[COSET])
    assert done.returncode == 0, done.stderr
    names = [line.split()[0] for line in done.stdout.splitlines()]
    assert {"sphere", "box"} <= set(names)
    assert all(len(line.split()) > 3 for line in done.stdout.splitlines())
    for out in ("s.npz", "s.safetensors"):
        done = run("sample", "sphere", "--n", 50, "--out", out, "--seed", 3, script=[COSET])
        assert done.returncode == 0, done.stderr
        assert "wrote 50 rows" in done.stdout
    npz, safe = dict(np.load(tmp_path / "s.npz")), load_file(tmp_path / "s.safetensors")
    assert set(npz) == set(safe) == {"latent", "x", "positive"}
    for name, array in npz.items():
        assert array.shape[0] == 50
        np.testing.assert_array_equal(array, safe[name])
    np.testing.assert_allclose(np.linalg.norm(npz["latent"], axis=1), 1, rtol=1e-5)


def test_labels_are_sampled_too(run, tmp_path):
    assert run("sample", "clusters", "--n", 20, "--out", "c.npz", script=[COSET]).returncode == 0
    assert np.load(tmp_path / "c.npz")["auxiliary"].shape[0] == 20
