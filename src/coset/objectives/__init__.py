"""Encoder and batch → what is minimised, and what its theorem asks of the world."""

from ._canonical import Canonical
from ._classification import CrossEntropy
from ._contrastive import InfoNCE
from ._elbo import Elbo
from ._ensembles import Ensemble
from ._entropies import AbstractEntropy, KernelEntropy, NearestEntropy
from ._heads import AbstractLabelHead, FreeHead, UnitHead
from ._likelihoods import NormalLikelihood
from ._max_entropy import CONTENT, AlignMaxEnt
from ._posteriors import AbstractLogVariance, OfBoth, OfObservation, SameForAll
from ._priors import AbstractPrior, ByDensity, NormalByLabel, StandardNormal
from ._similarities import AbstractSimilarity, Anisotropic, Cosine, Dot, LAlpha

__all__ = [
    "CONTENT",
    "AbstractEntropy",
    "AbstractLabelHead",
    "AbstractLogVariance",
    "AbstractPrior",
    "AbstractSimilarity",
    "AlignMaxEnt",
    "Anisotropic",
    "ByDensity",
    "Canonical",
    "Cosine",
    "CrossEntropy",
    "Dot",
    "Elbo",
    "Ensemble",
    "FreeHead",
    "InfoNCE",
    "KernelEntropy",
    "LAlpha",
    "NearestEntropy",
    "NormalByLabel",
    "NormalLikelihood",
    "OfBoth",
    "OfObservation",
    "SameForAll",
    "StandardNormal",
    "UnitHead",
]
