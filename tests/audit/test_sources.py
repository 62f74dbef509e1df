"""Every format keeps one contract; every wrong file gets one line."""

import gzip
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import duckdb
import ml_dtypes
import numpy as np
import pytest
import safetensors.numpy
import zarr

from coset._core import BadInput
from coset.audit.sources import _chunked, _csv, _open, open_layers, open_source

ROWS, COLUMNS = 57, 5
X32 = np.random.default_rng(0).standard_normal((ROWS, COLUMNS)).astype(np.float32)


def parquet(path, columns, extra="", options=""):
    """A Parquet file of the given SQL columns over rows of X32, as DuckDB writes it."""
    with duckdb.connect() as connection:
        connection.register("x", {f"c{j}": np.ascontiguousarray(X32[:, j]) for j in range(COLUMNS)})
        names = ", ".join(f"c{j}" for j in range(COLUMNS))
        numbered = "(SELECT *, row_number() OVER () - 1 AS i FROM x)"
        query = f"SELECT {columns.format(names=names)} FROM {numbered} {extra}"
        connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet{options})").fetchall()
    return str(path)


def npy(folder, array, name="x.npy"):
    np.save(folder / name, array)
    return str(folder / name)


def npz(folder, array, save=np.savez):
    save(folder / "x.npz", rows=array, labels=np.arange(len(array)))
    return str(folder / "x.npz")


def tensors(folder, array, name="x.safetensors"):
    safetensors.numpy.save_file({"rows": array}, folder / name)
    return str(folder / name)


def store(folder, array, **options):
    made = zarr.create_array(
        store=folder / "x.zarr", shape=array.shape, dtype=array.dtype, **options
    )
    made[:] = array
    return str(folder / "x.zarr")


def lines(folder, array, name, header=None, delimiter=","):
    path = folder / name
    body = [delimiter.join(repr(float(v)) for v in row) for row in array]
    content = "\n".join(([delimiter.join(header)] if header else []) + body) + "\n"
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(content.encode()))
    else:
        path.write_text(content)
    return str(path)


def shards(folder, array, save, suffix):
    (folder / "shards").mkdir()
    for number, (start, stop) in enumerate([(0, 20), (20, 21), (21, 57)]):
        made = save(folder / "shards", array[start:stop], f"part-{number * 5}{suffix}")
        assert Path(made).exists()
    return folder / "shards"


F16, F32, F64 = (np.dtype(t) for t in ("float16", "float32", "float64"))
HEADER = [f"c{j}" for j in range(COLUMNS)]
# name → (what makes it, the array it holds, the type in which it is read)
FORMATS = {
    "memory": (lambda d: X32, X32, F32),
    "memory list": (lambda d: X32.tolist(), X32, F64),
    "memory bfloat16": (
        lambda d: X32.astype(ml_dtypes.bfloat16),
        X32.astype(ml_dtypes.bfloat16).astype(F32),
        F32,
    ),
    "memory int": (lambda d: (X32 * 9).astype(np.int16), (X32 * 9).astype(np.int16), F64),
    "npy": (lambda d: npy(d, X32), X32, F32),
    "npy float16": (lambda d: npy(d, X32.astype(F16)), X32.astype(F16), F16),
    "npy float64": (lambda d: npy(d, X32.astype(F64)), X32, F64),
    "npy int": (lambda d: npy(d, (X32 * 9).astype(int)), (X32 * 9).astype(int), F64),
    "npy fortran": (lambda d: npy(d, np.asfortranarray(X32)), X32, F32),
    "npy big-endian": (lambda d: npy(d, X32.astype(">f4")), X32, F32),
    "npy flat": (lambda d: npy(d, X32[:, 0]), X32[:, :1], F32),
    "npy layer": (lambda d: npy(d, np.stack([X32, 2 * X32])) + "#1", 2 * X32, F32),
    "npz": (lambda d: npz(d, X32), X32, F32),
    "npz compressed": (lambda d: npz(d, X32, np.savez_compressed), X32, F32),
    "safetensors": (lambda d: tensors(d, X32), X32, F32),
    "safetensors float16": (lambda d: tensors(d, X32.astype(F16)), X32.astype(F16), F16),
    "safetensors bfloat16": (
        lambda d: tensors(d, X32.astype(ml_dtypes.bfloat16)),
        X32.astype(ml_dtypes.bfloat16).astype(F32),
        F32,
    ),
    "safetensors int8": (lambda d: tensors(d, (X32 * 9).astype("i1")), (X32 * 9).astype("i1"), F64),
    "zarr 3": (lambda d: store(d, X32, chunks=(10, 3)), X32, F32),
    "zarr 2": (lambda d: store(d, X32, chunks=(10, 5), zarr_format=2), X32, F32),
    "zarr shards": (lambda d: store(d, X32, chunks=(5, 5), shards=(20, 5)), X32, F32),
    "parquet list": (
        lambda d: parquet(d / "x.parquet", "i AS id, list_value({names}) AS v"),
        X32,
        F32,
    ),
    "parquet fixed": (
        lambda d: parquet(d / "x.parquet", "'t' AS t, array_value({names}) AS v"),
        X32,
        F32,
    ),
    "parquet double": (
        lambda d: parquet(d / "x.parquet", "list_value({names})::DOUBLE[] AS v"),
        X32,
        F64,
    ),
    "parquet columns": (lambda d: parquet(d / "x.pq", "'t' AS t, {names}"), X32, F32),
    "parquet named": (
        lambda d: parquet(d / "x.parquet", "[1.0] AS other, list_value({names}) AS v") + "#v",
        X32,
        F32,
    ),
    "csv": (lambda d: lines(d, X32, "x.csv"), X32, F64),
    "csv header": (lambda d: lines(d, X32, "x.csv", HEADER), X32, F64),
    "csv counted header": (lambda d: lines(d, X32, "x.csv", list("01234")), X32, F64),
    "csv semicolons": (lambda d: lines(d, X32, "x.csv", HEADER, ";"), X32, F64),
    "csv gz": (lambda d: lines(d, X32, "x.csv.gz", HEADER), X32, F64),
    "tsv": (lambda d: lines(d, X32, "x.tsv", HEADER, "\t"), X32, F64),
    "folder": (lambda d: str(shards(d, X32, npy, ".npy")), X32, F32),
    "glob": (lambda d: f"{shards(d, X32, tensors, '.safetensors')}/*.safetensors", X32, F32),
    "list of paths": (
        lambda d: [p / f"part-{n}.npy" for p in [shards(d, X32, npy, ".npy")] for n in (0, 5, 10)],
        X32,
        F32,
    ),
    "csv shards": (lambda d: str(shards(d, X32, lines, ".csv")), X32, F64),
}


@pytest.fixture(params=FORMATS)
def case(request, tmp_path):
    make, array, dtype = FORMATS[request.param]
    with open_source(make(tmp_path)) as source:
        yield source, array, dtype, request.param


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(_chunked, "CHUNK_BYTES", 8 * COLUMNS * 7)


def test_contract(case, small_chunks):
    source, array, dtype, name = case
    assert (source.rows, source.columns, source.dtype) == (*array.shape, dtype)
    assert len(source) == ROWS
    assert name.startswith("memory") or "x" in source.name or "shards" in source.name
    for start, stop in [(0, ROWS), (0, 1), (13, 31), (19, 22), (ROWS - 1, ROWS), (0, 20)]:
        block = source.read(start, stop)
        np.testing.assert_array_equal(block, array[start:stop])
        assert block.dtype == dtype
        assert block.flags.c_contiguous
        assert block.flags.aligned
    for places in ([0], [3, 4, 20, 21, 56], range(ROWS), [5, 5, 6], [40, 2, 20, 3]):
        np.testing.assert_array_equal(source.take(np.array(places)), array[list(places)])
    assert source.read(4, 4).shape == source.take([]).shape == (0, array.shape[1])


def test_past_the_end_is_refused(case):
    source = case[0]
    for start, stop in [(0, ROWS + 1), (-1, 2), (5, 4)]:
        with pytest.raises(BadInput, match="57 rows"):
            source.read(start, stop)
    for places in ([ROWS], [-1], [0.5], [[1]]):
        with pytest.raises(BadInput, match="row"):
            source.take(places)


def test_pickles_as_its_path(case):
    source, array, _, name = case
    source.read(0, 2)
    packed = pickle.dumps(source)
    np.testing.assert_array_equal(pickle.loads(packed).read(1, 40), array[1:40])
    if not name.startswith("memory"):
        assert len(packed) < 4000  # no rows travel


def test_parquet_row_groups(tmp_path):
    path = parquet(
        tmp_path / "x.parquet",
        "list_value({names}) AS v",
        "CROSS JOIN range(200)",
        ", ROW_GROUP_SIZE 2048",
    )
    source = open_source(path)
    with duckdb.connect() as connection:
        rows = connection.execute(f"SELECT unnest(v) AS v FROM '{path}'").fetchnumpy()["v"]
    np.testing.assert_array_equal(source.read(0, source.rows).ravel(), rows)
    np.testing.assert_array_equal(source.read(2000, 6200), rows.reshape(-1, COLUMNS)[2000:6200])


def test_views_of_a_map_are_not_copied(tmp_path):
    for path in (npy(tmp_path, X32), tensors(tmp_path, X32)):
        source = open_source(path)
        assert np.shares_memory(source.read(0, 9), source.read(5, 6))


def test_frames(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X32, columns=HEADER).assign(text="a")
    np.testing.assert_array_equal(open_source(frame).read(0, ROWS), X32)
    vectors = pandas.DataFrame({"id": range(ROWS), "v": list(X32)})
    np.testing.assert_array_equal(open_source(vectors).read(0, ROWS), X32)
    path = tmp_path / "x.csv"
    frame.drop(columns="text").to_csv(path)  # with the index, as pandas does by default
    assert open_source(path).columns == COLUMNS
    pandas.DataFrame(X32).to_csv(path)
    np.testing.assert_allclose(open_source(path).read(0, ROWS), X32, rtol=1e-6)


@pytest.mark.slow  # PyTorch comes with the peers only
def test_torch():
    torch = pytest.importorskip("torch")
    tensor = torch.tensor(X32, dtype=torch.bfloat16)
    np.testing.assert_array_equal(open_source(tensor).read(0, ROWS), tensor.float().numpy())


def test_jax():
    jnp = pytest.importorskip("jax.numpy")
    np.testing.assert_array_equal(open_source(jnp.asarray(X32)).read(2, 9), X32[2:9])


def test_csv_types_come_from_the_whole_file(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a,b\n" + "1,2\n" * 30_000 + "1.5,2\n")
    assert open_source(path).read(30_000, 30_001).tolist() == [[1.5, 2.0]]


def test_csv_of_many_row_groups_keeps_its_order(tmp_path, monkeypatch):
    monkeypatch.setattr(_csv, "GROUP_BYTES", 1)
    path = tmp_path / "x.csv"
    path.write_text("a,b\n" + "".join(f"{i},{-i}\n" for i in range(50_000)))
    with open_source(path) as source:
        np.testing.assert_array_equal(source.read(0, 50_000)[:, 0], np.arange(50_000))


def test_csv_without_a_header_starts_with_a_missing_value(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(",0.5,0.25\n1,2,3\n")
    with pytest.raises(BadInput, match="no value"):
        open_source(path).read(0, 2)


@pytest.mark.parametrize(
    "name", ["a[1].parquet", "lang=en", 'it\'s; "x".parquet', "b*.parquet", "ü.parquet"]
)
def test_odd_paths(tmp_path, name):
    folder = tmp_path / "lang=en"
    folder.mkdir()
    target = folder / (name if name.endswith(".parquet") else "x.parquet")
    made = parquet(tmp_path / "plain.parquet", "list_value({names}) AS v")
    os.rename(made, target)
    parquet(folder / "a1.parquet", "list_value(0, {names}) AS v")
    np.testing.assert_array_equal(open_source(target).read(0, ROWS), X32)


def test_odd_columns(tmp_path):
    odd = """a"; DROP TABLE x; --'"""
    quoted = '"' + odd.replace('"', '""') + '"'
    path = parquet(tmp_path / "x.parquet", f"c0 AS {quoted}, c1 AS \"sel ect\", 'a' AS text")
    np.testing.assert_array_equal(open_source(path).read(0, ROWS), X32[:, :2])
    np.testing.assert_array_equal(open_source(path, key=odd).read(0, ROWS), X32[:, :1])


def test_layers(tmp_path):
    stack = np.stack([X32, 2 * X32, 3 * X32])
    named = {"layer.10": 3 * X32, "layer.2": 2 * X32, "label": np.arange(ROWS)}
    np.savez(tmp_path / "s.npz", **named)
    safetensors.numpy.save_file(named, tmp_path / "s.safetensors")
    group = zarr.create_group(store=tmp_path / "s.zarr")
    for name, array in named.items():
        group.create_array(name, data=array)
    for suffix in (".npz", ".safetensors", ".zarr"):
        layers = open_layers(tmp_path / f"s{suffix}")
        assert list(layers) == ["layer.2", "layer.10"]
        np.testing.assert_array_equal(layers["layer.10"].read(0, 9), 3 * X32[:9])
        with pytest.raises(BadInput, match=r"layer\.2, layer\.10"):
            open_source(tmp_path / f"s{suffix}")
        np.testing.assert_array_equal(
            open_source(f"{tmp_path}/s{suffix}#layer.2").read(0, 9), 2 * X32[:9]
        )
    np.save(tmp_path / "s.npy", stack)
    np.savez(tmp_path / "t.npz", h=stack)
    safetensors.numpy.save_file({"h": stack}, tmp_path / "t.safetensors")
    zarr.create_array(store=tmp_path / "t.zarr", data=stack)
    paths = [tmp_path / name for name in ("s.npy", "t.npz", "t.safetensors", "t.zarr")]
    for stacked in (stack, list(stack), dict(enumerate(stack)), *paths):
        layers = open_layers(stacked)
        assert list(layers) == ["0", "1", "2"]
        np.testing.assert_array_equal(layers["2"].read(3, 9), stack[2, 3:9])
    for single in (
        X32,
        X32.tolist(),
        npy(tmp_path, X32),
        npz(tmp_path, X32),
        [npy(tmp_path, X32)] * 2,
    ):
        assert open_layers(single) is None


def one_line(text):
    return "\n" not in text and len(text) > 20


def cut(path, keep=0.6):
    content = Path(path).read_bytes()
    Path(path).write_bytes(content[: int(len(content) * keep)])
    return path


def objects(folder):
    np.save(folder / "x.npy", np.array([{}, []], dtype=object), allow_pickle=True)
    return folder / "x.npy"


def touched(path, content=b"not what it says"):
    path.write_bytes(content)
    return path


def lost_chunk(folder):
    store(folder, X32, chunks=(10, 5))
    (folder / "x.zarr" / "c" / "2" / "0").unlink()
    return folder / "x.zarr"


def bf16_npy(folder):
    array = X32.astype(ml_dtypes.bfloat16)
    np.save(folder / "x.npy", array.view("V2"))
    return folder / "x.npy"


def mixed(folder):
    npy(folder, X32)
    tensors(folder, X32)
    return folder


def uneven(folder):
    npy(folder, X32, "a-1.npy")
    npy(folder, X32[:, :2], "a-2.npy")
    return folder


def fp8(folder):
    return tensors(folder, X32.astype(ml_dtypes.float8_e4m3fn))


def huge_header(folder):
    return touched(folder / "x.safetensors", (2**60).to_bytes(8, "little") + b"{}")


def lying_header(folder):
    header = json.dumps({"x": {"dtype": "F32", "shape": [9, 9], "data_offsets": [0, 4]}}).encode()
    return touched(folder / "x.safetensors", len(header).to_bytes(8, "little") + header + b"1234")


def two_lists(folder):
    return parquet(folder / "x.parquet", "[c0] AS first, [c1] AS second")


# name → (what makes the input, what the one line must say)
WRONG = {
    "missing": (
        lambda d: (npy(d, X32, "vectors.npy"), d / "vector.npy")[1],
        "did you mean vectors.npy",
    ),
    "missing folder": (lambda d: d / "no" / "x.npy", "nor does the folder"),
    "no match": (lambda d: f"{d}/*.npy", "matches no file"),
    "empty folder": (lambda d: d, "matches no file"),
    "unknown suffix": (lambda d: touched(d / "x.mat"), "suffix that is not known"),
    "torch": (lambda d: touched(d / "x.pt"), "safetensors.torch.save_file"),
    "pth": (lambda d: touched(d / "x.pth"), "never opened"),
    "bin": (lambda d: touched(d / "pytorch_model.bin"), "safetensors.torch.save_file"),
    "pickle": (lambda d: touched(d / "x.pkl"), "numpy.save"),
    "joblib": (lambda d: touched(d / "x.joblib"), "never opened"),
    "folder of pickles": (lambda d: touched(d / "x.pkl").parent, "never opened"),
    "objects": (objects, "Python objects"),
    "object npz": (
        lambda d: (np.savez(d / "x.npz", x=np.array([{}], dtype=object)), d / "x.npz")[1],
        "Python objects",
    ),
    "text npy": (lambda d: npy(d, np.array(["a", "b"])), "numbers are needed"),
    "complex npy": (lambda d: npy(d, X32 * 1j), "stack real and imaginary"),
    "bfloat16 npy": (bf16_npy, "bfloat16"),
    "short npy": (lambda d: cut(npy(d, X32)), "truncated"),
    "short npy header": (lambda d: cut(npy(d, X32), 0.01), "truncated"),
    "empty npy": (lambda d: touched(d / "x.npy", b""), "truncated"),
    "not npy": (lambda d: touched(d / "x.npy"), "cannot be read as .npy"),
    "no rows": (lambda d: npy(d, X32[:0]), "nothing in it"),
    "no columns": (lambda d: npy(d, X32[:, :0]), "nothing in it"),
    "stack": (lambda d: npy(d, np.stack([X32, X32])), "stack of 2 layers"),
    "stack number": (lambda d: npy(d, np.stack([X32, X32])) + "#7", "2 layers"),
    "npy part": (lambda d: npy(d, X32) + "#rows", "one array without a name"),
    "four axes": (lambda d: npy(d, X32[None, None]), "flatten or pool"),
    "short npz": (lambda d: cut(npz(d, X32)), "truncated"),
    "bad npz": (lambda d: touched(d / "x.npz"), "truncated or something else"),
    "npz name": (lambda d: npz(d, X32) + "#row", "did you mean rows"),
    "short safetensors": (lambda d: cut(tensors(d, X32)), "truncated"),
    "short safetensors header": (lambda d: cut(tensors(d, X32), 0.02), "truncated"),
    "huge header": (huge_header, "does not fit"),
    "lying header": (lying_header, "damaged"),
    "fp8": (fp8, "quantised"),
    "safetensors name": (lambda d: tensors(d, X32) + "#nothing", "it has rows"),
    "short parquet": (lambda d: cut(parquet(d / "x.parquet", "c0, c1")), "truncated"),
    "bad parquet": (lambda d: touched(d / "x.parquet"), "truncated or something else"),
    "two lists": (two_lists, "first, second"),
    "column": (lambda d: two_lists(d) + "#fist", "did you mean first"),
    "text column": (lambda d: parquet(d / "x.parquet", "'a' AS word, c0") + "#word", "VARCHAR"),
    "no numbers": (lambda d: parquet(d / "x.parquet", "'a' AS word"), "no column of numbers"),
    "no table rows": (lambda d: parquet(d / "x.parquet", "c0", "WHERE false"), "no rows"),
    "ragged": (
        lambda d: parquet(d / "x.parquet", "CASE WHEN i = 9 THEN [c0] ELSE [c0, c1] END AS v"),
        "one length",
    ),
    "shifted": (  # the number of values is right, row by row it is not
        lambda d: parquet(
            d / "x.parquet",
            "CASE i WHEN 9 THEN [c0] WHEN 10 THEN [c0, c0, c0] ELSE [c0, c1] END AS v",
        ),
        "one length",
    ),
    "null vector": (
        lambda d: parquet(d / "x.parquet", "CASE WHEN i <> 9 THEN [c0, c1] END AS v"),
        "no vector",
    ),
    "null inside": (
        lambda d: parquet(d / "x.parquet", "[c0, CASE WHEN i <> 9 THEN c1 END] AS v"),
        "at row 9",
    ),
    "null value": (
        lambda d: parquet(d / "x.parquet", "c0, CASE WHEN i <> 9 THEN c1 END AS b"),
        "at row 9",
    ),
    "empty csv": (lambda d: touched(d / "x.csv", b""), "no rows"),
    "ragged csv": (lambda d: touched(d / "x.csv", b"a,b\n" + b"1,2\n" * 50 + b"1,2,3\n"), "CSV"),
    "text csv": (lambda d: touched(d / "x.csv", b"a,b\nx,y\nz,w\n"), "no column of numbers"),
    "bad gz": (lambda d: touched(d / "x.csv.gz", b"a,b\n1,2\n"), "CSV"),
    "short gz": (lambda d: cut(lines(d, X32, "x.csv.gz")), "CSV"),
    "bad zarr": (
        lambda d: ((d / "x.zarr").mkdir(), touched(d / "x.zarr" / "zarr.json"), d / "x.zarr")[2],
        "Zarr",
    ),
    "lost chunk": (lost_chunk, "5 of its 6 chunks"),
    "mixed folder": (mixed, "mixes formats"),
    "mixed list": (lambda d: [npy(d, X32), tensors(d, X32)], "one format"),
    "uneven shards": (uneven, "5 columns"),
    "nested folder": (lambda d: ((d / "sub").mkdir(), d)[1], "folder inside"),
    "remote": (lambda d: "s3://bucket/x.npy", "download it"),
    "web": (lambda d: "https://example.org/x.npy", "download it"),
    "line break": (lambda d: d / "a\nb.npy", "does not exist"),
    "uneven arrays": (lambda d: [X32, X32[:3]], "different shapes"),
    "nothing": (lambda d: None, "array is needed"),
    "text array": (lambda d: np.array([["a"]]), "numbers are needed"),
}


@pytest.mark.parametrize("name", WRONG)
def test_refusals_are_one_line(tmp_path, name):
    make, says = WRONG[name]
    given = make(tmp_path)
    with pytest.raises(BadInput) as caught:
        open_source(given).read(0, 57)
    assert says in str(caught.value)
    assert one_line(str(caught.value)), str(caught.value)


def test_a_broken_compressed_member_is_refused(tmp_path):
    path = npz(tmp_path, X32, np.savez_compressed)
    content = bytearray(Path(path).read_bytes())
    content[300:330] = bytes(30)
    Path(path).write_bytes(content)
    with pytest.raises(BadInput, match="truncated") as caught:
        open_source(path).read(0, ROWS)
    assert one_line(str(caught.value))


def test_zarr_is_optional(tmp_path, monkeypatch):
    path = store(tmp_path, X32)
    monkeypatch.setitem(sys.modules, "zarr", None)
    with pytest.raises(BadInput, match=r"pip install 'coset\[zarr\]'"):
        open_source(path)


def test_temporary_files_go(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "t"))
    (tmp_path / "t").mkdir()
    source = open_source(lines(tmp_path, X32, "x.csv"))
    assert len(list((tmp_path / "t").iterdir())) == 1
    source.close()
    assert not list((tmp_path / "t").iterdir())
    source = open_source(lines(tmp_path, X32, "x.csv"))
    copy = pickle.loads(pickle.dumps(source))
    copy.close()
    assert source.read(0, 3).shape == (3, 5)
    del source
    assert not list((tmp_path / "t").iterdir())
    with pytest.raises(BadInput):
        open_source(touched(tmp_path / "x.csv", b"a,b\nx,y\n"))
    assert not list((tmp_path / "t").iterdir())


def test_every_format_is_tried():
    tried = {case.split()[0] for case in FORMATS}
    assert {suffix.lstrip(".").split(".")[0] for suffix in _open.FORMATS} - {"pq"} <= tried


def test_nothing_heavy_is_imported():
    code = (
        "import sys, coset.audit.sources._open, coset.audit.sources._join;"
        "print([m for m in ('duckdb', 'zarr', 'safetensors', 'ml_dtypes', 'pandas') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
