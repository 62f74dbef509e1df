"""Encoder and batch → what is minimised, and what its theorem asks of the world."""

from ._contrastive import InfoNCE
from ._similarities import AbstractSimilarity, Anisotropic, Cosine, Dot, LAlpha

__all__ = ["AbstractSimilarity", "Anisotropic", "Cosine", "Dot", "InfoNCE", "LAlpha"]
