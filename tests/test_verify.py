"""Claims run, resume, share cells and survive their workers."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import coset
from coset import _cells
from coset._core import BadInput
from coset._verify import chosen, run_claims

HERE = str(Path(__file__).parent)
sys.path[:0] = [HERE, f"{HERE}/sweep"]  # spawned workers are given these paths too
import toy_claims as toy  # noqa: E402


@pytest.fixture(autouse=True)
def known(monkeypatch, tmp_path):
    """The toy claims, whose cells leave a mark in a folder whenever they run."""
    monkeypatch.setitem(sys.modules, "coset.claims", sys.modules.get("coset.claims"))
    monkeypatch.setattr(_cells, "code_fingerprint", _cells.code_fingerprint)
    toy.install()
    marks = tmp_path / "marks"
    marks.mkdir()
    monkeypatch.setenv("TOY_FOLDER", str(marks))
    monkeypatch.setattr(toy, "FOLDER", str(marks))
    return marks


def ran(marks):
    return sorted(path.name.split()[1] for path in marks.glob("ran *"))


def numbers(found):
    """What was found, without what tells one call from another."""
    plain = found.to_dict(runs=True)
    return {key: value for key, value in plain.items() if key not in ("created", "command")}


def test_one_claim_gives_its_verdict(known):
    found = coset.verify("toy2020.line", scale="smoke", seeds=2)
    assert found.status == "supported"
    assert [case.name for case in found.cases] == ["uniform", "the same cell", "one axis only"]
    first = found.cases[0]
    assert first.score == pytest.approx(0.998 + 0.003 * (math.sin(1) + math.sin(2)) / 2)
    assert (first.untrained, first.raw, first.seeds) == (0.31, 0.64, 2)
    assert first.cell == found.cases[1].cell
    assert ran(known) == ["axis", "uniform"]


def test_several_claims_share_cells(known):
    found = coset.verify(scale="smoke", seeds=2)
    assert [one.status for one in found] == ["supported", "refuted", "uninformative"]
    assert not found.ok
    assert ran(known) == ["axis", "box", "control", "loose", "uniform"]
    assert found.sentence == (
        "1 of 3 claims supported: toy2020.box is refuted, other2021.loose is uninformative."
    )
    assert coset.verify(["toy2020.line"], scale="smoke", seeds=2).ok


def test_a_paper_means_all_its_claims():
    assert [one.name for one in chosen("toy2020")] == ["toy2020.line", "toy2020.box"]
    assert [one.name for one in chosen(["toy2020.box", "toy2020"])] == [
        "toy2020.box",
        "toy2020.line",
    ]
    assert len(chosen(None)) == 3
    assert chosen(toy.CLAIMS["toy2020.box"])[0].name == "toy2020.box"
    with pytest.raises(BadInput, match="no claim given"):
        chosen([])


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("toy2020.lin", "close are toy2020.line"),
        ("toy2021", "toy2020"),
        ("qqqqqqqq", "`coset claims` lists all"),
    ],
)
def test_unknown_names_are_refused_with_the_close_ones(name, says, known):
    with pytest.raises(BadInput, match=f"no claim or paper is called '{name}'; .*{says}"):
        coset.verify([name, "toy2020.line"], scale="smoke")
    assert ran(known) == []


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"scale": "large"}, "scale='large'; smoke, small, paper are possible"),
        ({"seeds": 0}, "seeds=0"),
        ({"seeds": 1.5}, "seeds=1.5"),
        ({"engine": "ray"}, "'ray'"),
    ],
)
def test_options_that_mean_nothing(options, says, known):
    with pytest.raises(BadInput, match=says):
        coset.verify("toy2020.line", **options)
    assert ran(known) == []


def test_json_has_the_promised_shape(tmp_path):
    found = coset.verify(["toy2020"], scale="small", seeds=3, out=tmp_path / "out")
    written = json.loads((tmp_path / "out" / "results.json").read_text())
    assert written == found.to_dict()
    assert (written["schema"], written["scale"]) == (1, "small")
    for claim in written["claims"]:
        assert list(claim)[:4] == ["name", "paper", "status", "cases"]
        assert claim["status"] in ("supported", "refuted", "uninformative")
        for case in claim["cases"]:
            assert list(case)[:12] == [
                "name", "role", "metric", "score", "low", "high", "bound", "published",
                "untrained", "raw", "seeds", "seconds",
            ]  # fmt: skip
            assert case["role"] in ("holds", "breaks")
            assert case["bound"][0] in ("at_least", "at_most")
            assert case["low"] <= case["score"] <= case["high"]
            assert case["seeds"] == 3
    assert written["claims"][0]["cases"][1]["untrained"] is None
    assert "runs" not in written
    runs = found.to_dict(runs=True)["runs"]
    assert {case["cell"] for claim in written["claims"] for case in claim["cases"]} == set(runs)


def test_what_is_stored_is_not_run_again(known, tmp_path):
    out = tmp_path / "out"
    first = coset.verify(["toy2020"], scale="smoke", seeds=2, out=out)
    assert ran(known) == ["axis", "box", "uniform"]
    assert not list((out / "checkpoints").iterdir())
    again = coset.verify(["toy2020"], scale="smoke", seeds=2, out=out)
    assert ran(known) == ["axis", "box", "uniform"]
    assert numbers(again) == numbers(first)
    assert numbers(coset.verify(["toy2020"], scale="smoke", seeds=2)) == numbers(first)
    coset.verify(["toy2020"], scale="small", seeds=2, out=out)
    assert ran(known).count("uniform") == 2  # of which one without a store
    coset.verify(["toy2020"], scale="smoke", seeds=3, out=out)
    assert ran(known).count("uniform") == 3


def test_other_code_means_other_runs(known, tmp_path, monkeypatch):
    coset.verify("toy2020.box", scale="smoke", seeds=2, out=tmp_path)
    monkeypatch.setattr(_cells, "code_fingerprint", lambda: "other")
    coset.verify("toy2020.box", scale="smoke", seeds=2, out=tmp_path)
    assert ran(known).count("box") == 2


def test_progress_tells_of_cells_and_steps():
    told = []
    coset.verify("toy2020.line", scale="smoke", seeds=1, progress=lambda *now: told.append(now))
    assert told[0] == ("cells", 0, 2)
    assert told[1] == ("toy2020.line: uniform", 1, 5)
    assert told[-1] == ("cells", 2, 2)


@pytest.mark.parametrize("engine", ["threads:2", "processes:2"])
def test_engines_find_the_same(engine, tmp_path):
    expected = numbers(coset.verify(["toy2020", "other2021"], scale="smoke", seeds=2))
    told = []
    options = {"scale": "smoke", "seeds": 2, "engine": engine}
    found = coset.verify(
        ["toy2020", "other2021"], **options, progress=lambda *now: told.append(now)
    )
    assert numbers(found) == expected
    assert told[-1] == ("cells", 5, 5)
    stored = coset.verify(["toy2020", "other2021"], **options, out=tmp_path / "out")
    assert numbers(stored) == expected


def test_a_worker_that_dies_costs_its_cell_a_retry(known, tmp_path):
    expected = numbers(coset.verify(["toy2020"], scale="smoke", seeds=2))
    for mark in known.glob("ran *"):
        mark.unlink()
    (known / "die box").touch()
    found = coset.verify(
        ["toy2020"], scale="smoke", seeds=2, engine="processes:2", out=tmp_path / "out"
    )
    assert numbers(found) == expected
    assert not (known / "die box").exists()


def test_a_cell_that_always_kills_is_named_and_the_others_are_kept(known, tmp_path, monkeypatch):
    keep = known / "die box"
    keep.touch()
    ended = threading.Event()

    def put_back():
        while not ended.wait(0.002):
            keep.touch()

    again = threading.Thread(target=put_back)
    again.start()
    try:
        with pytest.raises(BadInput, match=r"toy2020\.box: box: a worker process died .* 3 times"):
            coset.verify(
                ["toy2020"], scale="smoke", seeds=2, engine="processes:2", out=tmp_path / "out"
            )
    finally:
        ended.set()
        again.join()
    keep.unlink()
    assert set(ran(known)) == {"axis", "uniform"}
    for mark in known.glob("ran *"):
        mark.unlink()
    coset.verify(["toy2020"], scale="smoke", seeds=2, out=tmp_path / "out")
    assert ran(known) == ["box"]


def test_a_cluster_of_two_that_loses_a_worker_finds_the_same(known, tmp_path):
    pytest.importorskip("distributed")
    from test_engines import Cluster

    expected = numbers(coset.verify(["toy2020", "other2021"], scale="smoke", seeds=2))
    (known / "die box").touch()
    (tmp_path / "cluster").mkdir()
    cluster = Cluster(tmp_path / "cluster", HERE)
    try:
        found = coset.verify(
            ["toy2020", "other2021"], scale="smoke", seeds=2, engine=cluster.name,
            out=tmp_path / "out",
        )  # fmt: skip
        assert numbers(found) == expected
        deadline = time.monotonic() + 10
        while all(worker.poll() is None for worker in cluster.workers):
            assert time.monotonic() < deadline, "no worker died"
            time.sleep(0.05)
    finally:
        cluster.stop()


@pytest.mark.skipif(os.name == "nt", reason="kills a process")
def test_kill_and_resume_ends_with_the_same(known, tmp_path):
    """A process killed after its first cell; the second call runs the rest and no more."""
    out = tmp_path / "out"
    (known / "wait axis").touch()
    arguments = ["verify", "toy2020", "--scale", "smoke", "--seeds", "2", "--out", str(out)]
    with subprocess.Popen(
        [sys.executable, f"{HERE}/toy_claims.py", *arguments],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        deadline = time.monotonic() + 30
        while "axis" not in ran(known):
            assert time.monotonic() < deadline, "the second cell did not begin"
            time.sleep(0.02)
        process.kill()
    (known / "wait axis").unlink()
    assert ran(known) == ["axis", "uniform"]
    assert [path.parent.name for path in out.glob("checkpoints/*/checkpoint")]
    assert not (out / "results.json").exists()
    resumed = coset.verify(["toy2020"], scale="smoke", seeds=2, out=out)
    assert ran(known) == ["axis", "axis", "box", "uniform"]
    assert not list((out / "checkpoints").iterdir())
    assert numbers(resumed) == numbers(coset.verify(["toy2020"], scale="smoke", seeds=2))


def test_two_verifications_of_one_folder_at_once(tmp_path):
    found = []

    def work():
        found.append(
            run_claims(chosen("toy2020"), scale="smoke", seeds=2, engine="processes:2",
                       out=tmp_path / "out")
        )  # fmt: skip

    both = [threading.Thread(target=work) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert numbers(found[0]) == numbers(found[1])
    assert len(list((tmp_path / "out" / "runs").iterdir())) == 3
