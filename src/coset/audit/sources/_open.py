"""What the user names → sources: suffixes, globs, folders of shards, parts of containers."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from ..._core import BadInput
from . import _csv, _npy, _npz, _safetensors, _tables, _zarr
from ._layers import natural, pick, stack_parts
from ._memory import from_memory
from ._shards import ShardedSource
from ._source import Source
from ._words import bad, listed, near, unreadable


class Format(Protocol):
    """What a module that reads a format offers."""

    is_table: bool

    def shapes(self, path: Path) -> dict[str, tuple[int, ...]]:
        """The arrays of a file, by name."""
        ...

    def open_rows(
        self, path: Path, key: str | None, name: str, without: Collection[str] = ()
    ) -> Source:
        """The rows of one array, or of a table without some of its columns."""
        ...


FORMATS: dict[str, Format] = {
    ".npy": _npy,
    ".npz": _npz,
    ".safetensors": _safetensors,
    ".zarr": _zarr,
    ".parquet": _tables,
    ".pq": _tables,
    ".csv": _csv,
    ".csv.gz": _csv,
    ".tsv": _csv,
    ".tsv.gz": _csv,
}
_AS_ARRAY = "save the array with numpy.save"
_AS_TENSORS = "save it as safetensors: safetensors.torch.save_file"
_UNSAFE = {
    **dict.fromkeys((".pt", ".pth", ".bin", ".ckpt"), _AS_TENSORS),
    **dict.fromkeys((".pkl", ".pickle", ".joblib", ".dill"), _AS_ARRAY),
}


@dataclass(frozen=True)
class Place:
    """Files that hold one array, and the part of them that is meant."""

    paths: tuple[Path, ...]
    format: Format
    part: str | None
    name: str

    def open(self, key: str | None = None, name: str | None = None) -> Source:
        """The rows of the part, all shards in order."""
        part, shown = key if key is not None else self.part, name or self.name
        if len(self.paths) == 1:
            return _opened(self.format, self.paths[0], part, shown)
        sources = [_opened(self.format, path, part, str(path)) for path in self.paths]
        return ShardedSource(sources, shown)

    def has_part(self, key: str) -> bool:
        """Whether a key names an array of the container, rather than something else."""
        if self.format.is_table:
            return False
        try:
            pick(self.format.shapes(self.paths[0]), key, self.name)
        except BadInput:
            return False
        return True


def open_source(x: Any, *, key: str | None = None, name: str | None = None) -> Source:
    """Rows of anything: an array, a frame, a file, a folder or list or glob of shards.

    Args:
        x: anything array-like; or a path, where `path#NAME` names a part of it, `shards/*.npy`
            and folders mean all their files in natural order, and a list of paths its order.
        key: the array of a container, the number of a layer, or the vector column of a table.
        name: what to call it in messages.

    Example:
        >>> source = open_source([[1, 2], [3, 4], [5, 6]])
        >>> source.rows, source.columns, source.read(1, 3).tolist()
        (3, 2, [[3.0, 4.0], [5.0, 6.0]])
    """
    if isinstance(x, Source):
        return x
    place = locate(x)
    return from_memory(x, name or "array", key) if place is None else place.open(key, name)


def open_layers(x: Any) -> dict[str, Source] | None:
    """The named layers of a stack, or None where x is a single array.

    A stack is a container of several matrices with the same number of rows, an array (layer, row,
    column), a mapping of arrays or paths, or a list of arrays. A list of paths is one array in
    shards.

    Example:
        >>> layers = open_layers({"first": [[1.0, 2.0]], "last": [[3.0]]})
        >>> {name: layer.columns for name, layer in layers.items()}
        {'first': 2, 'last': 1}
    """
    if isinstance(x, Source):
        return None
    if isinstance(x, Mapping):
        return {str(name): open_source(layer, name=str(name)) for name, layer in x.items()} or None
    place = locate(x)
    if place is None:
        return _layers_in_memory(x)
    if place.part is not None or len(place.paths) > 1:
        return None
    parts = stack_parts(place.format.shapes(place.paths[0]))
    return None if parts is None else {n: place.open(p, f"{x}#{n}") for n, p in parts.items()}


def locate(x: Any) -> Place | None:
    """Where the files are, or None when x is not a path."""
    if isinstance(x, str | os.PathLike):
        return _locate(os.path.expanduser(os.fspath(x)))
    if isinstance(x, list | tuple) and x and all(isinstance(p, str | os.PathLike) for p in x):
        places = [_locate(os.path.expanduser(os.fspath(path))) for path in x]
        paths = tuple(path for place in places for path in place.paths)
        found, parts = {place.format for place in places}, {place.part for place in places}
        if len(found) > 1 or len(parts) > 1:
            raise bad(
                f"the list mixes {listed(p.name for p in places)}: shards of one format are needed"
            )
        return Place(paths, found.pop(), parts.pop(), f"{places[0].name} and {len(x) - 1} more")
    return None


def _layers_in_memory(x: Any) -> dict[str, Source] | None:
    if hasattr(x, "columns"):
        return None
    shape = getattr(x, "shape", None)
    arrays = isinstance(x, list | tuple) and all(len(getattr(i, "shape", ())) == 2 for i in x)
    if (arrays and len(x) > 0) or (shape is not None and len(shape) == 3):
        return {str(n): from_memory(layer, f"layer {n}") for n, layer in enumerate(x)}
    return None


def _locate(text: str) -> Place:
    if not text.strip():
        raise bad("an empty path was given; the path of a file or a folder is needed")
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", text):
        raise bad(f"{text} is an address; local files are read: download it and give its path")
    path, part = Path(text), None
    if not path.exists() and "#" in text:
        before, _, part = text.rpartition("#")
        path = Path(before)
    if path.is_dir() and not _zarr.is_store(path):
        inside = [e for e in natural(os.listdir(path)) if not e.startswith((".", "_"))]
        return _together([path / entry for entry in inside], part, text)
    if path.exists():
        return Place((path,), _format(path), part or None, text)
    if glob.has_magic(str(path)):
        return _together([Path(p) for p in natural(glob.glob(str(path)))], part, text)
    raise _missing(path)


def _together(paths: list[Path], part: str | None, text: str) -> Place:
    if not paths:
        raise bad(f"{text} matches no file; shards such as part-0.npy are needed: correct the path")
    formats = {_format(path): path.name for path in paths}
    if len(formats) > 1:
        raise bad(
            f"{text} mixes formats ({listed(formats.values())}); shards of one format are needed: "
            f"choose them by a pattern such as 'folder/*.npy'"
        )
    return Place(tuple(paths), next(iter(formats)), part or None, text)


def _format(path: Path) -> Format:
    if path.is_dir():
        if _zarr.is_store(path):
            return _zarr
        raise bad(f"{path} is a folder inside a folder of shards; files are needed: use a pattern")
    name = path.name.lower()
    for suffix in sorted(FORMATS, key=len, reverse=True):
        if name.endswith(suffix):
            return FORMATS[suffix]
    if path.suffix.lower() in _UNSAFE:
        raise bad(
            f"{path} is of a kind that can run code when loaded (a pickle) and is never opened; "
            f"{_UNSAFE[path.suffix.lower()]}"
        )
    raise bad(
        f"{path} has a suffix that is not known; {listed(FORMATS)} are read: convert it to one"
    )


def _opened(kind: Format, path: Path, part: str | None, name: str) -> Source:
    try:
        # a worker that opens the file again may stand in another folder
        return kind.open_rows(path.absolute(), part, name)
    except OSError as error:
        raise unreadable(path, path.suffix or "a file", error.strerror or error) from error


def _missing(path: Path) -> Exception:
    folder = path.parent
    if not folder.is_dir():
        return bad(f"{path} does not exist, nor does the folder {folder}: correct the path")
    return bad(f"{path} does not exist{near(path.name, os.listdir(folder))}: correct the path")
