"""Every method by the name that the command line and saved models use."""

from __future__ import annotations

from typing import Any

from ._autoencoders import AdaGvae, IVae, SlowVae
from ._classifying import Diet, Supervised
from ._content import ContentBlocks
from ._contrastive import Contrastive
from ._ica import LinearICA
from ._in_time import GCL, PCL, TCL
from ._interventions import Interventions
from ._ppca import PPCA

METHODS: dict[str, Any] = {
    "contrastive": Contrastive,
    "content-blocks": ContentBlocks,
    "ada-gvae": AdaGvae,
    "slow-vae": SlowVae,
    "pcl": PCL,
    "tcl": TCL,
    "supervised": Supervised,
    "gcl": GCL,
    "ivae": IVae,
    "diet": Diet,
    "interventions": Interventions,
    "linear-ica": LinearICA,
    "ppca": PPCA,
}
