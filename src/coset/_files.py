"""A file is written whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ._core import BadInput

Name = str | os.PathLike[str]


@contextmanager
def replacing(name: Name) -> Iterator[Path]:
    """A path beside `name`; what is written there takes its place when all went well.

    Links are followed, missing folders are made, a folder is replaced by a folder.
    """
    goal = Path(os.path.realpath(os.path.expanduser(name)))
    if goal.exists() and not (goal.is_file() or goal.is_dir()):
        raise BadInput(f"{name} is neither a file nor a folder; give the name of a file")
    goal.parent.mkdir(parents=True, exist_ok=True)
    token = secrets.token_hex(4)
    temporary = goal.with_name(f".{goal.stem}-{token}{goal.suffix}")
    old = goal.with_name(f".{goal.stem}-{token}-old")
    try:
        yield temporary
        _sync(temporary)
        if goal.is_dir():  # folders cannot be replaced in one step
            os.rename(goal, old)
        os.replace(temporary, goal)
        _sync_folder(goal.parent)
    except OSError as error:
        if error.filename and str(error.filename).startswith(str(temporary)):
            error.filename = str(name)
        raise
    finally:
        for leftover in (temporary, old):
            if leftover.is_dir():
                shutil.rmtree(leftover, ignore_errors=True)
            else:
                leftover.unlink(missing_ok=True)


def write_whole(name: Name, content: bytes) -> None:
    """Write a file; into a pipe or a device the bytes go as they are.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_whole(f"{folder}/new/x.txt", b"all of it")
        ...     Path(f"{folder}/new/x.txt").read_bytes()
        b'all of it'
    """
    target = Path(name).expanduser()
    if target.exists() and not (target.is_file() or target.is_dir()):
        target.write_bytes(content)
        return
    with replacing(target) as temporary:
        temporary.write_bytes(content)


def write_once(name: Name, content: bytes) -> bool:
    """Write a file unless it is there; of several writers the first wins. Was it this one?

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_once(f"{folder}/x.txt", b"mine"), write_once(f"{folder}/x.txt", b"theirs")
        (True, False)
    """
    goal = Path(name).expanduser()
    goal.parent.mkdir(parents=True, exist_ok=True)
    temporary = goal.with_name(f".{goal.stem}-{secrets.token_hex(4)}{goal.suffix}")
    try:
        temporary.write_bytes(content)
        _sync(temporary)
        try:
            os.link(temporary, goal)
        except FileExistsError:
            return False
        except OSError:  # a file system without links
            if goal.exists():
                return False
            os.replace(temporary, goal)
        _sync_folder(goal.parent)
        return True
    finally:
        temporary.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    for file in files:
        with open(file, "rb") as handle:
            os.fsync(handle.fileno())


def _sync_folder(folder: Path) -> None:
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
