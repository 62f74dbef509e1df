"""Classes of maps between codes: the "up to" of a verdict."""

from ._affine_map import AffineMap
from ._componentwise import Componentwise, ComponentwiseMap
from ._fitted import FittedMap, load_map
from ._group import MomentGroup, RowGroup, fit_both
from ._identity import Identity
from ._ladder import LADDER, group, looser, minimal
from ._linear import Affine, Linear
from ._nonlinear import KernelMap, Nonlinear
from ._permutation import Permutation, ScaledPermutation, SignedPermutation
from ._rotation import Orthogonal, Similarity

__all__ = [
    "LADDER",
    "Affine",
    "AffineMap",
    "Componentwise",
    "ComponentwiseMap",
    "FittedMap",
    "Identity",
    "KernelMap",
    "Linear",
    "MomentGroup",
    "Nonlinear",
    "Orthogonal",
    "Permutation",
    "RowGroup",
    "ScaledPermutation",
    "SignedPermutation",
    "Similarity",
    "fit_both",
    "group",
    "load_map",
    "looser",
    "minimal",
]
