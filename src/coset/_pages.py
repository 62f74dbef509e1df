"""A folder of results → its pages, written or written anew."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ._core import BadInput
from ._verification import PAGE, RESULTS
from .sweep import Store

KINDS = ("comparison", "matrix", "verification")


def refresh(folder: str | os.PathLike[str]) -> Path:
    """Write the pages of a folder and return the one to open.

    The folder of a verification (`coset verify --out`) gets its page from its results and runs.
    Any other gets a page for each result that `--json` wrote, beside it, and an index of them.
    """
    home = Path(folder).expanduser()
    if not home.is_dir():
        raise BadInput(f"{folder} is no folder; give one that holds results")
    if (home / RESULTS).is_file() and _read(home / RESULTS).get("kind") == "verification":
        return _verification(home)
    if (home / "runs").is_dir():
        raise BadInput(
            f"{folder} holds runs but no results yet: the verification did not come to its end; "
            f"give its command again, and it goes on from there"
        )
    return _index(home)


def _verification(home: Path) -> Path:
    from .report import write_page

    found = _read(home / RESULTS)
    store = Store(home)
    cells = {case["cell"] for claim in found["claims"] for case in claim["cases"]}
    runs = {name: run for name in sorted(cells) if (run := store.get(name)) is not None}
    return write_page({**found, "runs": runs}, home / PAGE)


def _index(home: Path) -> Path:
    from .report import write_index, write_page

    found = {path: _read(path) for path in sorted(home.glob("*.json"))}
    results = {path: result for path, result in found.items() if result.get("kind") in KINDS}
    if not results:
        raise BadInput(
            f"{home} holds no results; give a folder of `coset verify --out`, or one where "
            f"`coset compare --json` has written"
        )
    entries = []
    for path, result in results.items():
        name = f"{path.stem}.html" if f"{path.stem}.html" != PAGE else f"{path.stem}-page.html"
        write_page(result, home / name)
        entries.append((name, result))
    return write_index(home.resolve().name, entries, home / PAGE)


def _read(path: Path) -> dict[str, Any]:
    """The object of a JSON file; nothing where it is something else."""
    try:
        found = json.loads(path.read_bytes())
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
