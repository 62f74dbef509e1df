"""Scores of two arrays: plain functions that return one small object."""

from ._beta_vae import beta_vae
from ._cca import cca, svcca
from ._chance import chance, chance_layers
from ._cka import cka
from ._dci import dci, dci_from_importances
from ._explicitness import explicitness
from ._factor_vae import factor_vae
from ._factors import Factors
from ._ima import ima_contrast
from ._infomec import infomec
from ._interval import interval
from ._irs import irs
from ._mcc import mcc
from ._mig import mig
from ._modularity import modularity
from ._moments import Moments
from ._nearest import neighbours
from ._neighbours import knn_overlap, recall
from ._procrustes import procrustes
from ._pwcca import pwcca
from ._regression import r2
from ._rsa import rsa
from ._sap import sap
from ._score import score

__all__ = [
    "Factors",
    "Moments",
    "beta_vae",
    "cca",
    "chance",
    "chance_layers",
    "cka",
    "dci",
    "dci_from_importances",
    "explicitness",
    "factor_vae",
    "ima_contrast",
    "infomec",
    "interval",
    "irs",
    "knn_overlap",
    "mcc",
    "mig",
    "modularity",
    "neighbours",
    "procrustes",
    "pwcca",
    "r2",
    "recall",
    "rsa",
    "sap",
    "score",
    "svcca",
]
