"""Run examples and put what they print into their docstrings: `python docs/_examples.py NAME`."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

EXAMPLES = Path(__file__).parent.parent / "examples"
WIDTH = 95


def refresh(path: Path) -> None:
    """Replace what stands after `Prints:`."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, path], env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    text = path.read_text(encoding="utf-8")
    head, mark, rest = text.partition("\nPrints:\n\n")
    _, quotes, code = rest.partition('"""\n')
    if not mark:
        raise SystemExit(f"{path} does not say `Prints:`; there is no place for its output")
    shown = "".join(_wrapped(line) for line in done.stdout.rstrip().splitlines())
    path.write_text(head + mark + shown + quotes + code, encoding="utf-8")


def _wrapped(line: str) -> str:
    edge = " " * (4 + len(line) - len(line.lstrip()))
    lines = textwrap.wrap(line.strip(), WIDTH - len(edge), break_on_hyphens=False)
    if len(lines) < 2:
        lines = [line.strip()]
    return "".join(f"{edge}{part}".rstrip() + "\n" for part in lines)


if __name__ == "__main__":
    for name in sys.argv[1:] or ["digits_seeds", "embedding_upgrade"]:
        refresh(EXAMPLES / f"{name}.py")
        print(name)
