"""Every engine keeps the same laws, on this machine and on a cluster that loses a worker."""

import json
import operator
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from coset._core import BadInput
from coset.sweep import WorkerDied, engine
from coset.sweep._tree import Tree

HERE = str(Path(__file__).parent)
sys.path.insert(0, HERE)  # spawned workers are given this path too
import engine_tasks as given  # noqa: E402

HOST = "127.0.0.1"
LOCAL = ("serial", "threads", "threads:1", "threads:5", "processes:2", None)


class Cluster:
    """A scheduler and two workers, each a process of its own."""

    def __init__(self, folder, *paths):
        self.folder = folder
        self.paths = os.pathsep.join([*paths, os.environ.get("PYTHONPATH", "")])
        self.file = folder / "scheduler.json"
        shared = ("--host", HOST, "--no-dashboard", "--scheduler-file", str(self.file))
        self.scheduler = self.start("scheduler", *shared, "--port", "0")
        self.workers = [
            self.start("worker", *shared, "--nthreads", "1", "--no-nanny") for _ in range(2)
        ]
        deadline = time.monotonic() + 30
        while not self.file.exists() or not self.file.read_text().strip():
            assert time.monotonic() < deadline, "the scheduler did not start"
            time.sleep(0.05)
        self.name = json.loads(self.file.read_text())["address"].replace("tcp://", "dask://")

    def start(self, role, *options):
        with open(self.folder / f"{role}.log", "ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.dask_{role}", *options],
                env={**os.environ, "PYTHONPATH": self.paths, "PYTHONWARNINGS": "default"},
                cwd=self.folder,
                stdout=log,
                stderr=log,
            )

    def stop(self):
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    pytest.importorskip("distributed")
    cluster = Cluster(tmp_path_factory.mktemp("dask"), HERE)
    yield cluster
    cluster.stop()


@pytest.fixture(params=[*LOCAL, "dask"], ids=str)
def name(request):
    if request.param == "dask":
        return request.getfixturevalue("cluster").name
    return request.param


def test_same_bits_as_serial(name):
    tasks = range(23)
    expected = engine("serial").map_reduce(given.gram, tasks, given.plus)
    backwards = sum(given.gram(task) for task in reversed(tasks))
    assert not np.array_equal(expected, backwards), "the order must matter for this to be a test"
    merged = engine(name).map_reduce(given.uneven, tasks, given.plus)
    assert merged.tobytes() == expected.tobytes()


@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_tasks(name, count):
    assert engine(name).map_reduce(given.picky, range(count), given.plus) == sum(range(count))


def test_bad_input_surfaces_as_it_is(name):
    with pytest.raises(BadInput, match=r"^task (5|11) holds nan at row 3, column 1$") as caught:
        engine(name).map_reduce(given.picky, range(16), given.plus)
    assert type(caught.value) is BadInput


@pytest.mark.parametrize("name", LOCAL)
def test_of_two_errors_the_earlier_task_has_the_word(name):
    with pytest.raises(BadInput, match="task 5 "):
        engine(name).map_reduce(given.picky, range(16), given.plus)


def test_mistakes_of_ours_surface_too(name):
    with pytest.raises(ZeroDivisionError, match="a mistake of ours"):
        engine(name).map_reduce(given.broken, range(4), given.plus)


def test_progress_counts_finished_tasks(name):
    seen = []
    engine(name).map_reduce(given.picky, range(5), given.plus, seen.append)
    assert seen == [1, 2, 3, 4, 5]


def test_no_tasks_are_refused(name):
    with pytest.raises(BadInput, match="no tasks"):
        engine(name).map_reduce(given.gram, [], given.plus)


def test_one_blas_thread_at_work_and_limits_back_afterwards(name):
    with threadpool_limits(2, user_api="blas"):
        before = threadpool_info()
        counts = engine(name).map_reduce(given.blas_threads, range(6), given.plus)
        assert threadpool_info() == before
        with pytest.raises(ZeroDivisionError):
            engine(name).map_reduce(given.broken, range(2), given.plus)
        assert threadpool_info() == before
    assert set(counts) == {1}


def test_few_states_at_a_time_behind_a_slow_task():
    workers, tasks = 3, 512
    given.Alive.now = given.Alive.most = 0
    merged = engine(f"threads:{workers}").map_reduce(
        given.counted, range(tasks), given.counted_plus
    )
    assert merged == sum(range(tasks))
    assert given.Alive.most <= 4 * workers + 9
    assert given.Alive.now == 1


def test_tree_holds_a_logarithm_of_its_leaves():
    tree, most = Tree(1000, operator.add), 0
    for index in range(1000):
        tree.add(index, index)
        most = max(most, tree.waiting)
    assert tree.root == sum(range(1000))
    assert most <= 10


@pytest.mark.parametrize(
    "text",
    ["", "ray", "threads:0", "threads:-1", "threads:", "threads:two", "serial:2", "processes:1.5"],
)
def test_unknown_names_are_refused_with_what_is_possible(text):
    with pytest.raises(BadInput, match="processes:N or dask://HOST:PORT") as caught:
        engine(text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize("text", ["dask://", "dask://host", "dask://host:x", "dask://h:99999"])
def test_addresses_that_are_none(text):
    with pytest.raises(BadInput, match="dask://HOST:PORT is needed"):
        engine(text)


def test_without_dask_the_remedy_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(BadInput, match=r"pip install 'coset\[dask\]'"):
        engine("dask://127.0.0.1:8786")


def test_a_process_that_dies_is_told_in_a_sentence():
    with pytest.raises(BadInput, match="a worker process died"):
        engine("processes:2").map_reduce(given.dies, range(4), given.plus)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_process_that_dies_costs_its_task_a_retry(tmp_path, workers):
    tasks, seen = [(tmp_path / "marker", number) for number in range(9)], []
    expected = engine("serial").map_reduce(given.gram, range(9), given.plus)
    merged = engine(f"processes:{workers}").map_reduce(
        given.dies_once, tasks, given.plus, seen.append
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1", "5"]
    assert merged.tobytes() == expected.tobytes()
    assert seen == list(range(1, 10))


def test_the_task_that_always_kills_is_the_one_named_and_the_others_are_done(tmp_path):
    tasks = [(tmp_path, number) for number in range(7)]
    with pytest.raises(WorkerDied, match="a worker process died at work 3 times") as caught:
        engine("processes:2").map_reduce(given.one_dies_always, tasks, given.plus)
    assert caught.value.task == 2
    done = {path.name.partition("-")[0] for path in tmp_path.iterdir()}
    assert done == {"0", "1", "3", "4", "5", "6"}


@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT to a process group")
@pytest.mark.parametrize("name", ["serial", "threads:2", "processes:2", "dask"], indirect=True)
@pytest.mark.parametrize("whole_group", [True, False])
def test_ctrl_c_stops_at_once_and_quietly(name, whole_group):
    with subprocess.Popen(
        [sys.executable, str(Path(HERE) / "engine_tasks.py"), name],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout.readline() == "1\n"
        (os.killpg if whole_group else os.kill)(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert out.endswith("stopped\n")
    assert err == ""
    time.sleep(0.2)
    states = subprocess.run(
        ["ps", "-o", "stat=", "-g", str(process.pid)], capture_output=True, text=True, check=False
    ).stdout.split()
    assert all(state.startswith("Z") for state in states), "a worker is still alive"


def test_the_cluster_loses_a_worker_and_the_bits_stay(cluster):
    tasks, victim = range(24), cluster.workers.pop()

    def kill_half_way(done):
        if done == 12:
            victim.kill()
            victim.wait()

    expected = engine("serial").map_reduce(given.gram, tasks, given.plus)
    merged = engine(cluster.name).map_reduce(given.slow, tasks, given.plus, kill_half_way)
    assert victim.returncode == -signal.SIGKILL
    assert merged.tobytes() == expected.tobytes()


def test_a_scheduler_that_is_not_there(capfd):
    pytest.importorskip("distributed")
    with socket.socket() as mute:  # accepts, and says nothing
        mute.bind((HOST, 0))
        mute.listen()
        address = f"{HOST}:{mute.getsockname()[1]}"
        began = time.monotonic()
        with pytest.raises(BadInput, match=f"no Dask scheduler answers at {address}"):
            engine(f"dask://{address}").map_reduce(given.gram, [1], given.plus)
        assert time.monotonic() - began < 12
    assert capfd.readouterr() == ("", "")


def test_a_scheduler_that_dies_is_told_in_a_sentence(tmp_path, capfd):
    pytest.importorskip("distributed")
    cluster = Cluster(tmp_path, HERE)
    try:
        with pytest.raises(BadInput, match="went away before the end"):
            engine(cluster.name).map_reduce(
                given.slow, range(20), given.plus, lambda done: cluster.scheduler.kill()
            )
    finally:
        cluster.stop()
    assert capfd.readouterr() == ("", "")


def test_a_cluster_without_our_code_is_told_in_a_sentence(tmp_path, capfd):
    pytest.importorskip("distributed")
    cluster = Cluster(tmp_path)
    try:
        with pytest.raises(BadInput, match=r"cannot load the work \(.*engine_tasks.*install there"):
            engine(cluster.name).map_reduce(given.gram, range(3), given.plus)
    finally:
        cluster.stop()
    assert capfd.readouterr() == ("", "")


def test_a_comparison_of_files_survives_a_killed_worker(tmp_path, monkeypatch):
    """Two arrays on disk, by relative paths, on two worker processes, one killed half-way."""
    import coset
    from coset.audit import _deal

    monkeypatch.setattr(_deal, "SHARD_ROWS", 4096)
    monkeypatch.setattr(_deal, "MOST_SHARDS", 1000)
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    a = rng.normal(size=(120_000, 12)).astype(np.float32)
    np.save("a.npy", a)
    np.save("b.npy", a @ rng.normal(size=(12, 12)).astype(np.float32) + 1)
    here = coset.compare("a.npy", "b.npy", sample=500)
    (tmp_path / "cluster").mkdir()
    cluster = Cluster(tmp_path / "cluster", HERE)
    victim = cluster.workers[0]

    def kill_half_way(done, total):
        if done == total // 2:
            victim.kill()
            victim.wait()

    try:
        there = coset.compare(
            "a.npy", "b.npy", sample=500, engine=cluster.name, progress=kill_half_way
        )
    finally:
        cluster.stop()
    assert victim.returncode == -signal.SIGKILL
    assert there.verdict == here.verdict == ("affine",)
    assert dict(there.measures) == dict(here.measures)
    for name, rung in here.groups.items():
        assert (rung.r2, rung.low) == (there.groups[name].r2, there.groups[name].low)
