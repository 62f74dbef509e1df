"""Encoder and batch → what is minimised, and what its theorem asks of the world."""

from ._canonical import Canonical
from ._classification import CrossEntropy
from ._contrastive import InfoNCE
from ._ensembles import Ensemble
from ._entropies import AbstractEntropy, KernelEntropy, NearestEntropy
from ._heads import AbstractLabelHead, FreeHead, UnitHead
from ._max_entropy import CONTENT, AlignMaxEnt
from ._similarities import AbstractSimilarity, Anisotropic, Cosine, Dot, LAlpha

__all__ = [
    "CONTENT",
    "AbstractEntropy",
    "AbstractLabelHead",
    "AbstractSimilarity",
    "AlignMaxEnt",
    "Anisotropic",
    "Canonical",
    "Cosine",
    "CrossEntropy",
    "Dot",
    "Ensemble",
    "FreeHead",
    "InfoNCE",
    "KernelEntropy",
    "LAlpha",
    "NearestEntropy",
    "UnitHead",
]
