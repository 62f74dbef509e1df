"""The command line, from the same declarations as `--help`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from _docstrings import NOTICE, cell, safe
from typer import Context
from typer.models import OptionInfo

from coset.cli import app

INTRODUCTION = """# Command line

`coset --help` and `coset COMMAND --help` print the same. Exit codes: 0 done, 1 an `--expect` was
not met or a claim is not supported, 2 bad input (one line on stderr that says what was given, what
is needed and what to do), 130 stopped by the keyboard. `coset --version` says which version it is.
"""


def cli_page() -> str:
    """The whole page."""
    commands = [command.callback for command in app.registered_commands if command.callback]
    return NOTICE + INTRODUCTION + "".join(_entry(command) for command in commands)


def _entry(command: Callable[..., Any]) -> str:
    hints = get_type_hints(command, include_extras=True)
    arguments, options = [], []
    for name, parameter in inspect.signature(command).parameters.items():
        if hints[name] is Context:  # what was given on the command line: no option of its own
            continue
        kind, info = _declared(hints[name])
        if isinstance(info, OptionInfo):
            options.append(_option(name, kind, info, parameter.default))
        else:
            shown = info.metavar or name.upper()
            needed = parameter.default is inspect.Parameter.empty
            arguments.append((shown if needed else f"[{shown}]", safe(info.help or "")))
    words = ["coset", command.__name__, *(shown for shown, _ in arguments)]
    usage = " ".join([*words, "[OPTIONS]"] if options else words)
    text = safe(inspect.getdoc(command) or "")
    listed = "".join(f"- `{shown}`: {said}\n" for shown, said in arguments)
    table = "| option | what | default |\n|---|---|---|\n" + "".join(options) if options else ""
    body = "\n".join(part for part in (text + "\n", listed, table) if part)
    return f"\n## coset {command.__name__}\n\n```text\n{usage}\n```\n\n{body}"


def _option(name: str, kind: Any, info: OptionInfo, default: Any) -> str:
    declared = [text for text in (info.default, *(info.param_decls or ())) if str(text)[:2] == "--"]
    flag = declared[0] if declared else "--" + name.replace("_", "-")
    word = info.metavar or ("FILE" if "Path" in str(kind) else _word(kind))
    value = "" if kind is bool else f" {word}"
    if default is inspect.Parameter.empty:
        shown = "needed"
    else:
        shown = "" if default is None or default is False else f"`{default}`"
    return f"| `{flag}{value}` | {cell(info.help or '')} | {shown} |\n"


def _word(kind: Any) -> str:
    names = {str: "TEXT", int: "N", float: "NUMBER"}
    return next((names[part] for part in (kind, *get_args(kind)) if part in names), "VALUE")


def _declared(hint: Any) -> tuple[Any, Any]:
    if get_origin(hint) is Annotated:
        kind, info = get_args(hint)[:2]
        return kind, info
    raise SystemExit(f"docs/_commands.py: {hint} declares nothing")
