"""Identifiable representations of one's own data, scikit-learn style."""

from ._autoencoders import AdaGvae, IVae, SlowVae
from ._beside import with_labels
from ._classifying import Diet, Supervised
from ._content import ContentBlocks
from ._contrastive import Contrastive
from ._ica import LinearICA
from ._in_time import GCL, PCL, TCL
from ._interventions import Interventions
from ._methods import METHODS
from ._moving import encode_file
from ._ppca import PPCA
from ._saved import load_model, refuse_folder

__all__ = [
    "GCL",
    "METHODS",
    "PCL",
    "PPCA",
    "TCL",
    "AdaGvae",
    "ContentBlocks",
    "Contrastive",
    "Diet",
    "IVae",
    "Interventions",
    "LinearICA",
    "SlowVae",
    "Supervised",
    "encode_file",
    "load_model",
    "refuse_folder",
    "with_labels",
]
