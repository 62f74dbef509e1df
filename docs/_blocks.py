"""Code blocks of a page: run them, and put what they print into the text block under each."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


def blocks(text: str) -> Iterator[tuple[str, str, re.Match[str] | None]]:
    """Language, code, and the text block right under it."""
    found = list(FENCE.finditer(text))
    for this, following in zip(found, [*found[1:], None]):
        under = following and not text[this.end() : following.start()].strip()
        yield this[1], this[2], following if under and following[1] == "text" else None


def execute(language: str, code: str, names: dict[str, Any], folder: Path) -> str | None:
    """What a block prints, run in `folder`; None for a block that is not to be run."""
    if language == "python":
        with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.chdir(folder):
            exec(compile(code, "documentation", "exec"), names)
        return printed.getvalue()
    lines = code.strip().splitlines()
    if language != "bash" or not all(line.startswith("coset ") for line in lines):
        return None
    place = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": place, "COLUMNS": "80"}
    ran = subprocess.run(
        ["bash", "-e", "-c", code], cwd=folder, env=environment, capture_output=True, text=True
    )
    if ran.returncode:
        raise AssertionError(f"{code}exits with {ran.returncode}: {ran.stderr}")
    return ran.stdout + ran.stderr


def refreshed(text: str) -> str:
    """The page with what its blocks print today."""
    names: dict[str, Any] = {}
    parts, done = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for language, code, shown in blocks(text):
            printed = execute(language, code, names, Path(folder))
            if printed is not None and shown:
                lines = re.sub(r"file://\S*/", "file:///…/", printed).rstrip().splitlines()
                body = "".join(f"{line.rstrip()}\n" for line in lines)
                parts += [text[done : shown.start(2)], body]
                done = shown.end(2)
    return "".join(parts) + text[done:]
