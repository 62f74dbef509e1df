"""Theorems as executable claims, one file per paper."""

from __future__ import annotations

from .._claim import Claim

CLAIMS: dict[str, Claim] = {}

__all__ = ["CLAIMS"]
