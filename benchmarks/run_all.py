"""Run benchmarks, each in a process of its own, and rewrite their sections of RESULTS.md."""

from __future__ import annotations

import argparse
import datetime
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from _harness import machine, tell

HERE = Path(__file__).parent
RESULTS = HERE / "RESULTS.md"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("names", nargs="*", help="all by default")
    names = options.parse_args().names or every_name()
    sections, failed = earlier(), []
    for name in names:
        tell(f"== {name}")
        found = run(name)
        if found is None:
            failed.append(name)
            continue
        text, verdict = found
        if not verdict["holds"]:
            failed.append(name)
        sections[name] = section(name, text, verdict)
        RESULTS.write_text(page(sections), encoding="utf-8")
    print(json.dumps({"ran": names, "failed": failed}))
    return 1 if failed else 0


def every_name() -> list[str]:
    """The benchmarks in this folder."""
    here = (path.stem for path in HERE.glob("*.py"))
    return sorted(name for name in here if not name.startswith("_") and name != "run_all")


def earlier() -> dict[str, str]:
    """The sections that stand in RESULTS.md, by benchmark that still exists."""
    text = RESULTS.read_text(encoding="utf-8") if RESULTS.is_file() else ""
    parts = text.split("\n## ")[1:]
    sections = {part.partition("\n")[0]: f"## {part.rstrip()}\n" for part in parts}
    return {name: sections[name] for name in every_name() if name in sections}


def run(name: str) -> tuple[str, dict[str, Any]] | None:
    """What a benchmark says, and the object it ends with; None where it broke."""
    command = [sys.executable, str(HERE / f"{name}.py")]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    *text, last = done.stdout.rstrip("\n").split("\n")
    if done.returncode:
        tell(f"{name} ended with code {done.returncode}")
        return None
    return "\n".join(text).strip(), json.loads(last)


def section(name: str, text: str, verdict: dict[str, Any]) -> str:
    """The part of the page about one benchmark."""
    sense = {"at_most": "at most", "at_least": "at least"}
    bounds = [
        f"- `{key}` is {verdict['ratios'][key]:g}, to be {sense[kind]} {limit:g}"
        for key, (kind, limit) in verdict["bound"].items()
    ]
    held = "All bounds hold." if verdict["holds"] else "**A bound does not hold.**"
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    took = f"{verdict['seconds']:.0f} seconds"
    command = f"`python benchmarks/{name}.py` on {today}, {took}: {machine()}."
    return "\n".join([f"## {name}", "", command, "", text, "", held, "", *bounds, ""])


def page(sections: dict[str, str]) -> str:
    """The whole of RESULTS.md."""
    return "\n".join([
        "# Results of the benchmarks",
        "",
        "Written by `python benchmarks/run_all.py`. Times are wall time.",
        "",
        *(sections[name] for name in sorted(sections)),
    ])  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
