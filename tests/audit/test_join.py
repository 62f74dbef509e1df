"""Pairing rows: against a plain reference, and what cannot be paired."""

import pickle
import subprocess
import sys

import duckdb
import numpy as np
import pytest

from coset._core import BadInput
from coset.audit.sources import _chunked, _duckdb, _join, align, open_source, write_rows

N, COLUMNS = 400, 3
RNG = np.random.default_rng(1)
HOSTILE = """id"; DROP TABLE left_keys; --'"""


def table(path, keys, vectors, column="id", kind=None, form="list", options=""):
    """A Parquet or CSV file with a column of keys and one of vectors, or a column each."""
    quoted = '"' + column.replace('"', '""') + '"'
    values = [f"c{j}" for j in range(vectors.shape[1])]
    shown = f"list_value({', '.join(values)}) AS vector" if form == "list" else ", ".join(values)
    cast = f"::{kind}" if kind else ""
    with duckdb.connect() as connection:
        columns = {name: np.ascontiguousarray(vectors[:, j]) for j, name in enumerate(values)}
        if len({type(key) for key in keys}) == 1 and isinstance(keys[0], str):
            keys = np.array(keys, dtype=object)
        connection.register("x", {"key": np.asarray(keys), **columns})
        connection.execute(
            f"COPY (SELECT key{cast} AS {quoted}, {shown} FROM x) TO '{path}' "
            f"(FORMAT {path.suffix[1:]}{options})"
        ).fetchall()
    return path


def sides(make_key, overlap=300):
    """Keys and vectors of two sides that share some things, in different orders."""
    things = RNG.permutation(2 * N)
    a, b = things[:N], RNG.permutation(things[N - overlap : 2 * N - overlap])
    vectors = RNG.standard_normal((2 * N, 2 * COLUMNS)).astype(np.float32)
    keys = [make_key(int(thing)) for thing in range(2 * N)]
    return (
        ([keys[i] for i in a], vectors[a, :COLUMNS]),
        ([keys[i] for i in b], vectors[b, COLUMNS:]),
    )


def reference(a, b):
    """The joined vectors in the order of the key, by dictionaries."""
    at_a, at_b = ({key: row for row, key in enumerate(keys)} for keys, _ in (a, b))
    shared = sorted(
        at_a.keys() & at_b.keys(), key=lambda k: k.encode() if isinstance(k, str) else k
    )
    return a[1][[at_a[key] for key in shared]], b[1][[at_b[key] for key in shared]]


def check(paired, a, b):
    wanted_a, wanted_b = reference(a, b)
    assert paired.a.rows == paired.b.rows == len(wanted_a)
    for source, wanted in ((paired.a, wanted_a), (paired.b, wanted_b)):
        read = source.read(0, source.rows).astype(np.float32)  # text gives doubles
        np.testing.assert_array_equal(read, wanted)
        np.testing.assert_array_equal(source.read(7, 31), source.read(0, source.rows)[7:31])
        np.testing.assert_array_equal(source.take([0, 5, 99]).astype("f4"), wanted[[0, 5, 99]])
    assert paired.dropped == (len(a[0]) - len(wanted_a), len(b[0]) - len(wanted_b))
    assert str(len(wanted_a)) in paired.note


KEYS = {
    "integers": lambda i: i * 7 - 1000,
    "text": lambda i: f"doc {i}",
    "unicode": lambda i: f"{'é漢🙂'[i % 3]}'{i};\"",
    "floats": lambda i: i / 8,
}


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_tables(tmp_path, kind, suffix, monkeypatch):
    monkeypatch.setattr(_chunked, "CHUNK_BYTES", 1_000)
    monkeypatch.setattr(_join, "CHUNK_BYTES", 1_000)
    a, b = sides(KEYS[kind])
    form = "list" if suffix == ".parquet" else "columns"
    path_a = table(tmp_path / f"a{suffix}", *a, column=HOSTILE, form=form)
    path_b = table(tmp_path / f"b{suffix}", *b, column=HOSTILE, form=form)
    with align(path_a, path_b, on=HOSTILE) as paired:
        check(paired, a, b)


def test_names_that_differ_and_shards(tmp_path):
    a, b = sides(KEYS["text"])
    (tmp_path / "shards").mkdir()
    for number, (start, stop) in enumerate([(0, 100), (100, 390), (390, 400)]):
        part = [part[start:stop] for part in a]
        table(tmp_path / "shards" / f"part-{number + 8}.parquet", *part, form="columns")
    path_b = table(tmp_path / "b.parquet", *b, column="key", kind="BLOB::VARCHAR")
    with align(tmp_path / "shards", path_b, a_key="id", b_key="key") as paired:
        check(paired, a, b)
    with align(tmp_path / "shards", path_b, on="id", b_key="key") as paired:
        check(paired, a, b)


@pytest.mark.parametrize(("column", "left"), [("item", 1), ("id", 0)])
def test_integer_keys_are_no_coordinate(tmp_path, column, left):
    """With a join a key never is; without one it is left out where it is called like a key."""
    a, b = sides(KEYS["integers"])
    path_a = table(tmp_path / "a.parquet", *a, form="columns", column=column)
    path_b = table(tmp_path / "b.parquet", *b, form="columns", kind="INTEGER", column=column)
    with align(path_a, path_b, on=column) as paired:
        assert paired.a.columns == COLUMNS
        check(paired, a, b)
    with open_source(path_a) as source, align(source, path_b, on=column) as paired:
        assert source.columns == COLUMNS + left
        assert source.left_out == (() if left else ("id",))
        check(paired, a, b)


@pytest.mark.parametrize("form", ["array", "npy", "txt", "csv", "csv header", "tsv", "parquet"])
@pytest.mark.parametrize("kind", ["integers", "text"])
def test_separate_ids(tmp_path, form, kind):
    a, b = sides(KEYS[kind])
    np.save(tmp_path / "a.npy", a[1])
    write_rows(tmp_path / "b.safetensors", [b[1]], rows=N, columns=COLUMNS)
    suffix = form.split()[0]
    ids, path = np.array(a[0]), tmp_path / f"ids.{suffix}"
    if form == "array":
        path = ids
    elif form == "npy":
        np.save(path, ids)
    elif form == "parquet":
        table(path, a[0], a[1])
        path = f"{path}#id"
    else:
        head = "the id\n" if "header" in form else ""
        path.write_text(head + "\n".join(map(str, a[0])) + "\n")
    with align(tmp_path / "a.npy", tmp_path / "b.safetensors", a_key=path, b_key=b[0]) as paired:
        check(paired, a, b)
    if form != "array":
        path_b = table(tmp_path / "b.parquet", *b)
        with align(tmp_path / "a.npy", path_b, a_key=str(path), on="id") as paired:
            check(paired, a, b)


def test_ids_in_one_column_of_many(tmp_path):
    (tmp_path / "ids.csv").write_text("name,id\n" + "".join(f"x,{i}\n" for i in (3, 1, 2)))
    x = np.arange(3.0)[:, None]
    with align(x, x, a_key=tmp_path / "ids.csv#id", b_key=[1, 2, 3]) as paired:
        assert paired.a.read(0, 3).ravel().tolist() == [1, 2, 0]
    with pytest.raises(BadInput, match="name, id"):
        align(x, x, a_key=tmp_path / "ids.csv", b_key=[1, 2, 3])


def test_arrays_of_containers(tmp_path):
    x = RNG.standard_normal((5, 2))
    np.savez(tmp_path / "x.npz", first=x, second=2 * x)
    paired = align(tmp_path / "x.npz", tmp_path / "x.npz", a_key="first", b_key="second")
    np.testing.assert_array_equal(2 * paired.a.read(0, 5), paired.b.read(0, 5))
    assert paired.dropped == (0, 0)
    assert "position" in paired.note


def test_frames(tmp_path):
    pandas = pytest.importorskip("pandas")
    a, b = sides(KEYS["text"])
    frame = pandas.DataFrame(a[1], columns=list("xyz")).assign(id=a[0])
    with align(frame, table(tmp_path / "b.parquet", *b), on="id") as paired:
        check(paired, a, b)


def test_sorted_tables_are_read_in_place(tmp_path):
    keys, vectors = np.arange(N), RNG.standard_normal((N, COLUMNS)).astype(np.float32)
    path = table(tmp_path / "a.parquet", keys, vectors)
    other = table(tmp_path / "b.parquet", keys[::2], vectors[::2])
    with align(path, other, on="id") as paired:
        np.testing.assert_array_equal(paired.a.read(0, 200), vectors[::2])
        assert isinstance(paired.a, _join.GatheredSource)
        assert type(paired.b) is type(open_source(other))


def test_keys_as_arrays_of_many_types():
    x = np.arange(3.0)[:, None]
    days = np.array(["2020-01-03", "2020-01-01", "2020-01-02"], dtype="M8[D]")
    for keys in (
        np.array([2, 0, 1], dtype=">u2"),
        np.array([2, 0, 1], dtype=np.uint64),
        np.array(["c", "a", "b"]),
        np.array([b"c", b"a", b"b"]),
        np.array(["c", "a", "b"], dtype=object),
        np.array([2, 0, 1], dtype=object),
        np.array([[2], [0], [1]]),
        np.array([2, 0, 1], dtype=np.float16),
        days,
        ["c", "a", "b"],
    ):
        with align(x, x, a_key=keys, b_key=keys[::-1]) as paired:
            assert paired.a.read(0, 3).ravel().tolist() == [1, 2, 0]
            assert paired.b.read(0, 3).ravel().tolist() == [1, 0, 2]


def test_threads_do_not_change_the_order(tmp_path, monkeypatch):
    a, b = sides(KEYS["unicode"])
    found = []
    for threads in (1, 4):
        connected = _duckdb.connected
        monkeypatch.setattr(_join, "connected", lambda t=threads, c=connected: c(threads=t))
        with align(a[1], b[1], a_key=a[0], b_key=b[0]) as paired:
            found.append(paired.b.read(0, paired.b.rows))
    np.testing.assert_array_equal(*found)


def test_temporary_files(tmp_path, monkeypatch):
    a, b = sides(KEYS["integers"])
    paths = [table(tmp_path / f"{n}.parquet", *side) for n, side in (("a", a), ("b", b))]
    (tmp_path / "t").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "t"))
    paired = align(*paths, on="id")
    packed = pickle.dumps(paired.a)
    assert len(packed) < 4000
    copy = pickle.loads(packed)
    np.testing.assert_array_equal(copy.read(3, 9), paired.a.read(3, 9))
    del copy
    paired.a.read(0, 1)
    paired.close()
    assert not list((tmp_path / "t").iterdir())
    with pytest.raises(BadInput, match="gone"):
        pickle.loads(packed).read(0, 1)
    monkeypatch.setattr(_join, "_scattered", None)
    with pytest.raises(TypeError):
        align(*paths, on="id")
    assert not list((tmp_path / "t").iterdir())


ROWS = np.ones((3, 2))


def refusals():
    """name → (options of align, what the one line must say)."""
    return {
        "position": (dict(b=ROWS[:2]), "a has 3 rows and b has 2"),
        "one side": (dict(a_key=[1, 2, 3]), "has none"),
        "on an array": (dict(on="id"), "no named columns"),
        "length": (dict(a_key=[1, 2], b_key=[1, 2, 3]), "3 rows and 2 keys"),
        "twice": (dict(a_key=[1, 2, 3], b_key=[7, 5, 5]), "the key 5 occurs 2 times in b"),
        "text twice": (dict(a_key=list("abc"), b_key=["z", "é", "é"]), "the key 'é' occurs 2"),
        "null": (dict(a_key=["a", None, "b"], b_key=list("abc")), "no key at row 1"),
        "types": (dict(a_key=[1, 2, 3], b_key=["1", "2", "3"]), "a are integer and those of b are"),
        "mixed": (dict(a_key=np.array([1, "a", 2], dtype=object), b_key=[1, 2, 3]), "int and str"),
        "disjoint": (dict(a_key=[1, 2, 3], b_key=[4, 5, 6]), "no key in common"),
        "shape": (dict(a_key=np.ones((3, 2)), b_key=[1, 2, 3]), "one key per row"),
        "complex": (dict(a_key=np.ones(3) * 1j, b_key=[1, 2, 3]), "text or integers"),
        "no file": (dict(a_key="ids.npy", b_key=[1, 2, 3]), "nor a file of ids"),
    }


@pytest.mark.parametrize("name", refusals())
def test_refusals_are_one_line(name):
    options, says = refusals()[name]
    with pytest.raises(BadInput) as caught:
        align(ROWS, options.pop("b", ROWS), **options)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_refusals_of_tables(tmp_path):
    vectors = RNG.standard_normal((3, 2))
    path = table(tmp_path / "a.parquet", ["x", "y", "y"], vectors, column="a;b")
    with pytest.raises(BadInput, match=r"did you mean a;b"):
        align(path, path, on="a;c")
    with pytest.raises(BadInput, match=r"'y' occurs 2 times in .*a\.parquet"):
        align(path, path, on="a;b")
    with pytest.raises(BadInput, match=r"columns: a;b, vector.*did you mean a;b"):
        align(path, path, a_key="a;", b_key="a;b")
    numbers = table(tmp_path / "b.parquet", [1, 2, 3], vectors, column="a;b")
    path = table(tmp_path / "c.parquet", ["x", "y", "z"], vectors, column="a;b")
    with pytest.raises(BadInput, match=r"text and those of .* are integer"):
        align(path, numbers, on="a;b")
    with pytest.raises(BadInput, match=r"is text in .* and integer in"):
        align([path, numbers], numbers, on="a;b")
    (tmp_path / "ids.pkl").write_bytes(b"")
    with pytest.raises(BadInput, match="no file of ids"):
        align(path, path, a_key=tmp_path / "ids.pkl", b_key="a;b")
    np.save(tmp_path / "o.npy", np.array([{}, 1, 2], dtype=object), allow_pickle=True)
    with pytest.raises(BadInput, match="never opened"):
        align(path, path, a_key=tmp_path / "o.npy", b_key="a;b")


LARGE = """
import resource, sys
import numpy as np
from coset.audit.sources import _duckdb, align
_duckdb.MEMORY = "200MB"
with align(sys.argv[1], sys.argv[2], on="id") as paired:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    total, rows = 0.0, paired.a.rows
    for start in range(0, rows, 8192):
        stop = min(start + 8192, rows)
        a, b = paired.a.read(start, stop), paired.b.read(start, stop)
        assert np.array_equal(a[:, :4] + 1, b[:, :4])
    print(rows, paired.dropped.a_only, paired.dropped.b_only)
"""


def test_large_out_of_core(tmp_path):
    rows, columns = 200_000, 64
    things = RNG.permutation(rows)
    for name, keys, plus in (("a", things[:-10], 0.0), ("b", RNG.permutation(rows)[5:], 1.0)):
        with duckdb.connect() as connection:
            connection.register("k", {"key": keys})
            values = ", ".join(f"(key % 1000 + {j} + {plus})::FLOAT" for j in range(columns))
            connection.execute(
                f"COPY (SELECT 'doc-' || key AS id, list_value({values}) AS v FROM k) "
                f"TO '{tmp_path / name}.parquet' (FORMAT parquet, ROW_GROUP_SIZE 20480)"
            ).fetchall()
    paths = [str(tmp_path / "a.parquet"), str(tmp_path / "b.parquet")]
    done = subprocess.run(
        [sys.executable, "-c", LARGE, *paths], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    kept, a_only, b_only = map(int, done.stdout.split())
    assert kept + a_only == rows - 10
    assert kept + b_only == rows - 5
