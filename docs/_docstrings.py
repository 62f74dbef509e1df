"""A docstring of the house → Markdown: text, arguments, example, references."""

from __future__ import annotations

import ast
import inspect
import re
import unicodedata
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

NOTICE = "<!-- Written by docs/generate.py from the code: change it there. -->\n"
_SECTION = re.compile(r"^(Args|Returns|Example|References):$", re.M)
_BIBLIOGRAPHY = Path(__file__).parent.parent / "references.bib"


def sections(thing: Any) -> dict[str, str]:
    """The body under "" and each section under its name."""
    parts = _SECTION.split(inspect.getdoc(thing) or "")
    found = {name: inspect.cleandoc("\n" + text) for name, text in zip(parts[1::2], parts[2::2])}
    return {"": parts[0].strip(), **found}


def safe(text: str) -> str:
    """Keep signs of formulas, outside of code, from being read as markup."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"([\\*<])", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)


def cell(text: str) -> str:
    """The same inside a table."""
    return safe(text).replace("|", "\\|")


def arguments(text: str) -> str:
    """A list of the arguments."""
    found = re.findall(r"^(\w+): (.*(?:\n[ ]+.*)*)", text, re.M)
    return "\n".join(f"- `{name}`: {safe(' '.join(said.split()))}" for name, said in found)


def references(keys: str) -> str:
    """What a list of keys points at, in words."""
    entries = bibliography()
    return "; ".join(entries[key] for key in re.findall(r"\w+", keys))


def bibliography() -> dict[str, str]:
    """Key → authors, title, year."""
    found = {}
    for key, body in re.findall(r"@\w+\{(\w+),\n(.*?)\n\}", _BIBLIOGRAPHY.read_text("utf-8"), re.S):
        field = dict(re.findall(r"^\s*(\w+) = \{(.*)\},$", body, re.M))
        names = [_plain(name).partition(",")[0] for name in field["author"].split(" and ")]
        who = names[0] + (f" and {names[1]}" if len(names) == 2 else " et al." * (len(names) > 2))
        found[key] = f"{who}, *{_plain(field['title'])}*, {field['year']}"
    return found


def returned(function: Any) -> str:
    """The fields of the score that a function returns."""
    module = inspect.getmodule(function)
    kind = getattr(module, str(inspect.signature(function).return_annotation).strip("'"), None)
    if not is_dataclass(kind):
        return ""
    said = _said(kind)
    shown = [
        f"`{f.name}`" + (f" ({safe(said[f.name])})" if f.name in said else "")
        for f in fields(kind)
        if f.name != "value"
    ]
    return f"{safe(inspect.getdoc(kind) or '')} Beside the number: {', '.join(shown)}."


def _said(kind: type) -> dict[str, str]:
    """What stands as a string under a field."""
    (body,) = ast.parse(inspect.cleandoc(inspect.getsource(kind))).body
    pairs = zip(body.body, body.body[1:])
    return {
        field.target.id: " ".join(text.value.value.split()).rstrip(".")
        for field, text in pairs
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr)
    }


def _plain(text: str) -> str:
    for accent, mark in {'"': "\u0308", "'": "\u0301"}.items():
        text = re.sub(
            r"\{?\\" + accent + r"\{?(\w)\}?\}?", lambda m, mark=mark: m.group(1) + mark, text
        )
    text = text.replace("\\AA", "Å").replace("\\DJ", "Đ").replace("\\dj", "đ")
    return unicodedata.normalize("NFC", re.sub(r"[{}]", "", text)).replace("--", "–")
