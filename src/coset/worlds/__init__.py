"""Latents, how positives relate to them, and what they look like."""

from ._anisotropic import Anisotropic
from ._automorphisms import Quantiles, Swirl
from ._autoregressive import Autoregressive, Stationary
from ._changes import FewChanges
from ._conformal import Inversion
from ._equations import StructuralEquations
from ._latents import AbstractLatents, Clusters, ContentStyle, Noisy, Uniform
from ._leaky import LeakyMlp
from ._linear import Composed, Linear, sheared
from ._linear_systems import LinearSystem, Trajectories, dc_motor, random_system
from ._mixing import AbstractMixing
from ._mixings import Flow, Folded, Identity, Moebius, Orthogonal
from ._named import WORLDS
from ._named_alone import conformal, smooth
from ._named_blocks import content_style, few_changes, product, resampled, torus
from ._named_in_time import autoregressive, segments
from ._named_labelled import clusters
from ._named_pairs import anisotropic, box, sphere, unbounded
from ._noises import AbstractNoise, GeneralisedNormal, Laplace, Normal
from ._pairing import AbstractPairing
from ._pairings import Additive, Projected, Truncated, VonMisesFisher
from ._pairings_of_blocks import Blockwise, Resampled, StyleChange, Unpaired
from ._products import Product, Torus
from ._regimes import Regimes, Sequences, random_regimes
from ._segments import Segments
from ._shuffled import Shuffled
from ._smooth import SmoothMlp
from ._space import AbstractSpace
from ._spaces import Box, Sphere, Unbounded
from ._stationary import LaplaceSum
from ._vmf import log_normaliser
from ._world import World

__all__ = [
    "WORLDS",
    "AbstractLatents",
    "AbstractMixing",
    "AbstractNoise",
    "AbstractPairing",
    "AbstractSpace",
    "Additive",
    "Anisotropic",
    "Autoregressive",
    "Blockwise",
    "Box",
    "Clusters",
    "Composed",
    "ContentStyle",
    "FewChanges",
    "Flow",
    "Folded",
    "GeneralisedNormal",
    "Identity",
    "Inversion",
    "Laplace",
    "LaplaceSum",
    "LeakyMlp",
    "Linear",
    "LinearSystem",
    "Moebius",
    "Noisy",
    "Normal",
    "Orthogonal",
    "Product",
    "Projected",
    "Quantiles",
    "Regimes",
    "Resampled",
    "Segments",
    "Sequences",
    "Shuffled",
    "SmoothMlp",
    "Sphere",
    "Stationary",
    "StructuralEquations",
    "StyleChange",
    "Swirl",
    "Torus",
    "Trajectories",
    "Truncated",
    "Unbounded",
    "Uniform",
    "Unpaired",
    "VonMisesFisher",
    "World",
    "anisotropic",
    "autoregressive",
    "box",
    "clusters",
    "conformal",
    "content_style",
    "dc_motor",
    "few_changes",
    "log_normaliser",
    "product",
    "random_regimes",
    "random_system",
    "resampled",
    "segments",
    "sheared",
    "smooth",
    "sphere",
    "torus",
    "unbounded",
]
