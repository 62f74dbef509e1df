"""Identifiable representations of one's own data, scikit-learn style."""

from ._classifying import Diet, Supervised
from ._content import ContentBlocks
from ._contrastive import Contrastive
from ._methods import METHODS
from ._saved import load_model

__all__ = ["METHODS", "ContentBlocks", "Contrastive", "Diet", "Supervised", "load_model"]
