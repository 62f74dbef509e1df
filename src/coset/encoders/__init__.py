"""One observation → one code."""

from ._baselines import Raw
from ._mlp import AbstractHead, Free, InBox, Mlp, OnSphere

__all__ = ["AbstractHead", "Free", "InBox", "Mlp", "OnSphere", "Raw"]
