"""Up to what is a learned representation determined?

`compare` audits two representations of the same things, `align` gives the map between them,
`metrics` holds the scores, `estimators` train on your own data, `consistency` says how far several
fits agree, `verify` runs the theorems in `claims`. Names are imported when first used, so
`import coset` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import audit, claims, estimators, groups, metrics, report, sweep
    from ._core import BadInput
    from ._verify import verify
    from .audit import align, apply, compare, compare_many, consistency
    from .estimators import load_model
    from .groups import load_map
    from .metrics import score
    from .sweep import engine

_HOMES = {
    "BadInput": "_core",
    "align": "audit",
    "apply": "audit",
    "compare": "audit",
    "compare_many": "audit",
    "consistency": "audit",
    "engine": "sweep",
    "load_map": "groups",
    "load_model": "estimators",
    "score": "metrics",
    "verify": "_verify",
}
_ROOMS = ("audit", "claims", "estimators", "groups", "metrics", "report", "sweep")

__all__ = [
    "BadInput",
    "align",
    "apply",
    "audit",
    "claims",
    "compare",
    "compare_many",
    "consistency",
    "engine",
    "estimators",
    "groups",
    "load_map",
    "load_model",
    "metrics",
    "report",
    "score",
    "sweep",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version(__name__)
    if name in _ROOMS:
        return import_module(f"{__name__}.{name}")
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
