"""Encoder and batch → what is minimised, and what its theorem asks of the world."""

from ._ada_gvae import AdaGvae
from ._auxiliary import MODULATION, AuxiliaryContrast, LabelTable
from ._canonical import Canonical
from ._classification import CrossEntropy
from ._contrastive import InfoNCE
from ._elbo import Elbo
from ._ensembles import Ensemble
from ._entropies import AbstractEntropy, KernelEntropy, NearestEntropy
from ._heads import AbstractLabelHead, FreeHead, UnitHead
from ._ivae import IVae
from ._likelihoods import NormalLikelihood
from ._max_entropy import CONTENT, AlignMaxEnt
from ._permutation import (
    AbsoluteDifference,
    AbstractPairRegression,
    PermutationContrast,
    SumOfProducts,
)
from ._posteriors import AbstractLogVariance, OfBoth, OfObservation, SameForAll
from ._priors import AbstractPrior, ByDensity, NormalByLabel, StandardNormal
from ._quadratic import Quadratic
from ._similarities import AbstractSimilarity, Anisotropic, Cosine, Dot, LAlpha
from ._slow_vae import SlowVae
from ._statistics import AbstractStatistics, Curves, Powers

__all__ = [
    "CONTENT",
    "MODULATION",
    "AbsoluteDifference",
    "AbstractEntropy",
    "AbstractLabelHead",
    "AbstractLogVariance",
    "AbstractPairRegression",
    "AbstractPrior",
    "AbstractSimilarity",
    "AbstractStatistics",
    "AdaGvae",
    "AlignMaxEnt",
    "Anisotropic",
    "AuxiliaryContrast",
    "ByDensity",
    "Canonical",
    "Cosine",
    "CrossEntropy",
    "Curves",
    "Dot",
    "Elbo",
    "Ensemble",
    "FreeHead",
    "IVae",
    "InfoNCE",
    "KernelEntropy",
    "LAlpha",
    "LabelTable",
    "NearestEntropy",
    "NormalByLabel",
    "NormalLikelihood",
    "OfBoth",
    "OfObservation",
    "PermutationContrast",
    "Powers",
    "Quadratic",
    "SameForAll",
    "SlowVae",
    "StandardNormal",
    "SumOfProducts",
    "UnitHead",
]
