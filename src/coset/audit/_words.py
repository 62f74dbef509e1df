"""How names and numbers are written in sentences."""

from __future__ import annotations


def short(name: str) -> str:
    """The last part of a path: what a person would call it."""
    return name.rstrip("/").rpartition("/")[2] or name


def number(value: float) -> str:
    """Three decimals and a true minus; scores far below 0 say no more than their size."""
    shown = f"{value:.3f}" if value > -10 else f"{value:.3g}"
    return shown.replace("-", "−")
