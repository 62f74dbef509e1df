"""Runs are written once, whole, by whoever comes first."""

import json
import math
import multiprocessing
import os
import sys
from pathlib import Path

import pytest

from coset import _files
from coset.sweep import Store, as_stored

HERE = str(Path(__file__).parent)
sys.path.insert(0, HERE)  # spawned workers are given this path too
import store_tasks as given  # noqa: E402

RUN = {"scores": {"r2": {"trained": [0.1, 1 / 3, 1e-300]}}, "notes": ["κ = 20"], "seconds": 2.5}


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "new" / "store")


def test_what_is_put_is_found_again_to_the_last_bit(store):
    assert store.get("cell") is None
    assert "cell" not in store
    store.put("cell", RUN)
    assert store.get("cell") == RUN
    assert list(store) == ["cell"]
    assert "cell" in Store(store.folder)


def test_what_is_not_finite_is_null_in_the_file_and_nan_again(store):
    run = {"values": ((1.0, math.nan), (math.inf, -math.inf)), "one": math.nan}
    store.put("cell", run)
    (path,) = (store.folder / "runs").iterdir()
    whole = json.loads(path.read_text(), parse_constant=lambda name: pytest.fail(name))
    assert whole["run"] == {"values": [[1.0, None], [None, None]], "one": None}
    found = store.get("cell")
    assert str(found) == str(as_stored(run)) == "{'values': [[1.0, nan], [nan, nan]], 'one': nan}"


def test_the_first_stays(store):
    store.put("cell", {"seconds": 1})
    store.put("cell", {"seconds": 2})
    assert store.get("cell") == {"seconds": 1}


def test_checkpoints_go_when_the_run_is_there(store):
    for name in ("cell", "other"):
        store.checkpoints(name).mkdir(parents=True)
        (store.checkpoints(name) / "state").write_bytes(b"half")
    store.put("cell", RUN)
    assert not store.checkpoints("cell").exists()
    assert store.checkpoints("other").exists()
    assert list(store) == ["cell"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "no whole JSON"),
        (b'{"schema": 1, "fingerprint": "cell", "run": {"a": [1, 2', "no whole JSON"),
        (b"\xff\xfe", "no whole JSON"),
        (b"[1]", "not the run of cell cell"),
        (b'{"schema": 1, "fingerprint": "other", "run": {}}', "not the run of cell cell"),
        (b'{"schema": 99, "fingerprint": "cell", "run": {}}', "schema 1"),
        (b'{"schema": 1, "fingerprint": "cell", "run": 5}', "schema 1"),
    ],
)
def test_a_file_that_is_no_run_is_passed_over_and_gives_way(store, content, says):
    path = store.folder / "runs" / "cell.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    with pytest.warns(UserWarning, match=rf"cell\.json is .*{says}.*; it is passed over"):
        assert store.get("cell") is None
    with pytest.warns(UserWarning, match="passed over"):
        assert list(store) == []
    with pytest.warns(UserWarning, match="passed over"):
        store.put("cell", RUN)
    assert store.get("cell") == RUN


def test_leftovers_of_a_killed_writer_are_no_runs(store):
    store.put("cell", RUN)
    (store.folder / "runs" / ".cell-1234.json").write_bytes(b'{"half')
    (store.folder / "runs" / "notes.txt").write_text("mine")
    assert list(store) == ["cell"]


def test_several_processes_write_at_once_and_one_wins(store):
    """Every file is whole, belongs to one writer, and nothing else is left."""
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        pool.starmap(given.write_all, [(str(store.folder), writer) for writer in range(4)])
    assert list(store) == sorted(given.CELLS)
    for name in given.CELLS:
        found = store.get(name)
        assert found["values"] == [found["writer"]] * given.LENGTH
    assert len(list((store.folder / "runs").iterdir())) == len(given.CELLS)


def test_without_links_the_first_stays_too(store, monkeypatch):
    def refuse(*paths):
        raise PermissionError(1, "no links here")

    monkeypatch.setattr(os, "link", refuse)
    assert _files.write_once(store.folder / "x", b"one")
    assert not _files.write_once(store.folder / "x", b"two")
    assert (store.folder / "x").read_bytes() == b"one"
    assert [path.name for path in store.folder.iterdir()] == ["x"]
