"""What a value is made of, in a few letters: equal values, and only those, have equal letters."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache, partial
from pathlib import Path, PurePath
from types import MethodType
from typing import Any

import numpy as np

LETTERS = 16
APART = (
    "audit", "estimators", "report", "sweep", "cli", "cocktail", "_cells.py", "_demo.py",
    "_pages.py", "_sample.py", "_verdict.py", "_verification.py", "_verify.py",
)  # fmt: skip
"""What no run depends on: a change there leaves what has been run valid."""
TIES = "_tie"
"""Files of the audit that begin like this are scores of claims too."""


def fingerprint(value: Any) -> str:
    """A digest of a frozen value: dataclasses, partials, functions, arrays and plain values.

    Example:
        >>> fingerprint((1, "a")) == fingerprint((1, "a")), fingerprint(1) == fingerprint(1.0)
        (True, False)
    """
    return hashlib.sha256("\n".join(_parts(value)).encode()).hexdigest()[:LETTERS]


@cache
def code_fingerprint() -> str:
    """A digest of the code that runs depend on: other code, other runs."""
    home = Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted(home.rglob("*.py")):
        place = path.relative_to(home)
        if not _apart(place):
            digest.update(place.as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:LETTERS]


def _apart(place: PurePath) -> bool:
    return place.parts[0] in APART and not place.name.startswith(TIES)


def _parts(value: Any) -> Iterator[str]:
    if value is None or isinstance(value, bool | int | float | str | bytes):
        yield f"{type(value).__name__} {value!r}"
    elif isinstance(value, partial):
        yield "partial"
        yield from _parts(value.func)
        yield from _parts(value.args)
        yield from _parts(value.keywords)
    elif isinstance(value, Mapping):
        yield f"mapping {len(value)}"
        named = {"\n".join(_parts(key)): part for key, part in value.items()}
        for key in sorted(named):
            yield key
            yield from _parts(named[key])
    elif isinstance(value, tuple | list):
        yield f"sequence {len(value)}"
        for part in value:
            yield from _parts(part)
    elif isinstance(value, set | frozenset):
        yield "set"
        yield from _parts(sorted("\n".join(_parts(part)) for part in value))
    elif is_dataclass(value) and not isinstance(value, type):
        yield f"{type(value).__module__}.{type(value).__qualname__}"
        for part in fields(value):
            yield part.name
            yield from _parts(getattr(value, part.name))
    elif isinstance(value, MethodType):
        yield "method"
        yield from _parts(value.__func__)
        yield from _parts(value.__self__)
    elif callable(value) and hasattr(value, "__qualname__"):
        if "<" in value.__qualname__:
            raise TypeError(f"{value.__qualname__} has no name that lasts: use a module's function")
        yield f"{value.__module__}.{value.__qualname__}"
    elif hasattr(value, "__array__"):
        array = np.asarray(value)
        if array.dtype.hasobject:
            raise TypeError("an array of objects has no fingerprint")
        yield f"array {array.dtype} {array.shape} {hashlib.sha256(array.tobytes()).hexdigest()}"
    else:
        raise TypeError(f"a {type(value).__name__} has no fingerprint")
