"""A written file is whole or not there."""

import os

import numpy as np
import pytest

from coset._core import BadInput
from coset.audit.sources import open_source, write_rows
from coset.audit.sources._write import WRITERS, _rebatched

ROWS, COLUMNS = 50, 4
X = np.random.default_rng(0).standard_normal((ROWS, COLUMNS))
SUFFIXES = list(WRITERS)


def blocks(array, sizes=(7, 0, 13, 30)):
    start = 0
    for size in sizes:
        yield array[start : start + size]
        start += size


def broken(array):
    yield array[:20]
    raise RuntimeError("stop here")


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_written_is_read(tmp_path, suffix, dtype):
    path = tmp_path / f"x{suffix}"
    write_rows(path, blocks(X), rows=ROWS, columns=COLUMNS, dtype=dtype)
    assert os.listdir(tmp_path) == [path.name]
    with open_source(path) as source:
        read = source.read(0, ROWS).astype(dtype)  # text holds the shortest decimal
        np.testing.assert_array_equal(read, X.astype(dtype))
        kept = {".csv": "float64", ".parquet": "float64" if dtype == "float64" else "float32"}
        assert source.dtype == np.dtype(kept.get(suffix, dtype))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_broken_write_leaves_nothing(tmp_path, suffix):
    path = tmp_path / f"x{suffix}"
    with pytest.raises(RuntimeError, match="stop here"):
        write_rows(path, broken(X), rows=ROWS, columns=COLUMNS)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_broken_write_keeps_what_was_there(tmp_path, suffix):
    path = tmp_path / f"x{suffix}"
    write_rows(path, [X], rows=ROWS, columns=COLUMNS, dtype="float64")
    for failing in (broken(X), blocks(X, (7,)), [X, X], [X[:, :2]]):
        with pytest.raises((RuntimeError, BadInput)):
            write_rows(path, failing, rows=ROWS, columns=COLUMNS)
    assert os.listdir(tmp_path) == [path.name]
    with open_source(path) as source:
        np.testing.assert_array_equal(source.read(0, ROWS), X)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_file_is_replaced(tmp_path, suffix):
    path = tmp_path / f"x{suffix}"
    for factor in (1, 2):
        write_rows(path, [factor * X], rows=ROWS, columns=COLUMNS, dtype="float64")
    assert os.listdir(tmp_path) == [path.name]
    with open_source(path) as source:
        np.testing.assert_array_equal(source.read(0, ROWS), 2 * X)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_odd_names(tmp_path, suffix):
    path = tmp_path / f'it\'s [1]; "x"*{suffix}'
    write_rows(path, [X], rows=ROWS, columns=COLUMNS)
    with open_source(path) as source:
        assert source.rows == ROWS


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_missing_folders_are_made(tmp_path, suffix):
    write_rows(tmp_path / "new" / f"x{suffix}", [X], rows=ROWS, columns=COLUMNS)
    assert os.listdir(tmp_path / "new") == [f"x{suffix}"]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_many_blocks_keep_their_order(tmp_path, suffix):
    rows = np.arange(60_000.0).reshape(30_000, 2)
    parts = (rows[start : start + 17_000] for start in range(0, 30_000, 17_000))
    write_rows(tmp_path / f"x{suffix}", parts, rows=30_000, columns=2)
    with open_source(tmp_path / f"x{suffix}") as source:
        np.testing.assert_array_equal(source.read(0, 30_000), rows)


def test_zeros_are_rows_like_others(tmp_path):
    write_rows(tmp_path / "x.zarr", [0 * X], rows=ROWS, columns=COLUMNS)
    assert not open_source(tmp_path / "x.zarr").read(0, ROWS).any()


def test_safetensors_are_read_by_the_library(tmp_path):
    from safetensors.numpy import load_file

    write_rows(tmp_path / "x.safetensors", blocks(X), rows=ROWS, columns=COLUMNS)
    np.testing.assert_array_equal(load_file(tmp_path / "x.safetensors")["rows"], X.astype("f4"))


def test_rebatched():
    parts = list(_rebatched(blocks(X), 8))
    assert [len(part) for part in parts] == [8, 8, 8, 8, 8, 8, 2]
    np.testing.assert_array_equal(np.concatenate(parts), X)


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("x.pt", {}, r"\.npy, \.safetensors"),
        ("x.npy", {"dtype": "int32"}, "float16, float32 or float64"),
        ("folder.npy", {}, "is a folder"),
        ("y.npy", {"rows": 3}, "more than the 3 rows"),
        ("y.npy", {"rows": 99}, "50 of the 99 rows"),
        ("y.npy", {"columns": 9}, r"\(k, 9\) is needed"),
    ],
)
def test_refusals_are_one_line(tmp_path, name, options, says):
    (tmp_path / "folder.npy").mkdir()
    with pytest.raises(BadInput, match=says) as caught:
        write_rows(tmp_path / name, [X], **{"rows": ROWS, "columns": COLUMNS, **options})
    assert "\n" not in str(caught.value)
    assert os.listdir(tmp_path) == ["folder.npy"]
