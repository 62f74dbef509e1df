"""Templates: found in the package, everything escaped, one file out."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from coset.report import _numbers


@cache
def environment() -> Environment:
    """The environment of all pages."""
    made = Environment(
        loader=PackageLoader("coset.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        count=_numbers.count,
        plain=_numbers.plain,
        typographic=_numbers.typographic,
        when=_numbers.when,
    )
    return made


@cache
def asset(name: str) -> Markup:
    """The text of a style sheet or script of ours, as it is."""
    made = environment()
    assert made.loader is not None
    return Markup(made.loader.get_source(made, name)[0])  # our own file


def page(template: str, comparison: Mapping[str, Any], **context: Any) -> str:
    """A whole page: style and script inside, and a policy that lets nothing else run."""
    script = asset("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return environment().get_template(template).render(
        style=asset("style.css"),
        script=script,
        script_hash=f"sha256-{digest}",
        version=comparison.get("version") or _version(),
        created=comparison.get("created"),
        command=comparison.get("command"),
        **context,
    )  # fmt: skip


def _version() -> str:
    try:
        return version("coset")
    except PackageNotFoundError:
        return ""
