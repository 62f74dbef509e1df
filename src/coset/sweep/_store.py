"""Runs on disk: written once, found again by what they are runs of."""

from __future__ import annotations

import json
import math
import os
import shutil
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from .._files import write_once, write_whole

SCHEMA = 1


class Store:
    """A folder of runs, one file for each cell; what is there is never written again.

    `runs/FINGERPRINT.json` holds a run, `checkpoints/FINGERPRINT/` the way to one that is not
    finished. Several processes may write at once: of two runs of one cell the first stays.

    Args:
        folder: made when something is put there.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     store = Store(folder)
        ...     store.put("c0ffee", {"score": 0.5})
        ...     store.put("c0ffee", {"score": 0.9})
        ...     store.get("c0ffee"), "decade" in store, list(store)
        ({'score': 0.5}, False, ['c0ffee'])
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder).expanduser().absolute()

    def get(self, fingerprint: str) -> dict[str, Any] | None:
        """The run of that cell, or None; a file that is no run is passed over with a warning."""
        path = self._path(fingerprint)
        try:
            return _run_of(path.read_bytes(), fingerprint)
        except FileNotFoundError:
            return None
        except ValueError as error:
            warnings.warn(f"{path} {error}; it is passed over", stacklevel=2)
            return None

    def put(self, fingerprint: str, run: Mapping[str, Any]) -> None:
        """Keep a run, unless there is one, and let go of its checkpoints."""
        path = self._path(fingerprint)
        whole = {"schema": SCHEMA, "fingerprint": fingerprint, "run": _plain(run)}
        content = json.dumps(whole, allow_nan=False).encode() + b"\n"
        if not write_once(path, content) and fingerprint not in self:
            write_whole(path, content)  # what lay there was no run
        shutil.rmtree(self.checkpoints(fingerprint), ignore_errors=True)

    def checkpoints(self, fingerprint: str) -> Path:
        """Where a cell may keep the state of its work; gone once its run is here."""
        return self.folder / "checkpoints" / fingerprint

    def __contains__(self, fingerprint: str) -> bool:
        return self.get(fingerprint) is not None

    def __iter__(self) -> Iterator[str]:
        """Fingerprints of the runs that are here, in alphabetical order."""
        names = sorted(path.stem for path in (self.folder / "runs").glob("[!.]*.json"))
        return (name for name in names if name in self)

    def _path(self, fingerprint: str) -> Path:
        return self.folder / "runs" / f"{fingerprint}.json"


def as_stored(run: Mapping[str, Any]) -> dict[str, Any]:
    """What would be read after this run was put: lists for tuples, NaN for what is not finite.

    Example:
        >>> as_stored({"at": (1, 2.5, float("inf"))})
        {'at': [1, 2.5, nan]}
    """
    read: dict[str, Any] = _restored(_plain(run))
    return read


def _plain(value: Any) -> Any:
    """Values of strict JSON: what is not a finite number is null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _restored(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _restored(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_restored(inner) for inner in value]
    return math.nan if value is None else value


def _run_of(content: bytes, fingerprint: str) -> dict[str, Any]:
    try:
        found = json.loads(content)
    except ValueError:
        raise ValueError("is no whole JSON file") from None
    if not isinstance(found, dict) or found.get("fingerprint") != fingerprint:
        raise ValueError(f"is not the run of cell {fingerprint}")
    if found.get("schema") != SCHEMA or not isinstance(found.get("run"), dict):
        raise ValueError(f"is not a run of schema {SCHEMA}")
    run: dict[str, Any] = _restored(found["run"])
    return run
