"""Two arrays → their second moments, by the route that keeps the digits."""

from __future__ import annotations

from typing import Any, Literal, get_args

from .._arrays import as_rows, refuse_unequal
from .._core import BadInput
from ._factors import Factors
from ._moments import Moments

Route = Literal["auto", "gram", "exact"]


def known_route(route: str) -> None:
    """Refuse a route that does not exist."""
    if route not in get_args(Route):
        raise BadInput(f"route {route!r} is not known; use {', '.join(get_args(Route))}")


def second_moments(a: Any, b: Any, *, route: Route = "auto") -> Moments | Factors:
    """Second moments of two arrays; `auto` turns to the exact route where Gram loses digits."""
    known_route(route)
    rows_a, rows_b = as_rows(a, "a"), as_rows(b, "b")
    refuse_unequal(len(rows_a), len(rows_b))
    if len(rows_a) < 2:
        raise BadInput(f"{len(rows_a)} row given; at least 2 are needed to compare anything")
    if route != "exact":
        moments = Moments().update(rows_a, rows_b)
        if route == "gram" or not moments.ill_conditioned():
            return moments
    return Factors().update(rows_a, rows_b)
