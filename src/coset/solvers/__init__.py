"""Data → parameters where no network is trained: closed forms and Newton's method, in float64.

NumPy and SciPy alone.
"""

from ._darmois import NormalDarmois, PlaneDarmois, darmois_normal, darmois_plane
from ._definetti_graph import Graph, definetti_graph
from ._definetti_pair import STRUCTURES, Direction, Structure, definetti_pair
from ._diagonalise import JointDiagonal, diagonalise
from ._g_test import GTest, g_test, tables
from ._hmm import HiddenMarkov, fit_hidden_markov
from ._ica import Unmixed, natural_gradient, quasi_newton
from ._jacobian_graph import JacobianGraph, jacobian_graph
from ._kernel_test import KernelTest, kernel_test
from ._linear_gaussian import LinearGaussian
from ._lti import IdentifiedSystem, identify_system
from ._lti_known import KnownLaws, fit_known_laws
from ._lti_noisy import NoisySystem, identify_noisy_system
from ._pairwise_lingam import Ratio, pairwise_lingam
from ._ppca import factor_analysis, ppca

__all__ = [
    "STRUCTURES",
    "Direction",
    "GTest",
    "Graph",
    "HiddenMarkov",
    "IdentifiedSystem",
    "JacobianGraph",
    "JointDiagonal",
    "KernelTest",
    "KnownLaws",
    "LinearGaussian",
    "NoisySystem",
    "NormalDarmois",
    "PlaneDarmois",
    "Ratio",
    "Structure",
    "Unmixed",
    "darmois_normal",
    "darmois_plane",
    "definetti_graph",
    "definetti_pair",
    "diagonalise",
    "factor_analysis",
    "fit_hidden_markov",
    "fit_known_laws",
    "g_test",
    "identify_noisy_system",
    "identify_system",
    "jacobian_graph",
    "kernel_test",
    "natural_gradient",
    "pairwise_lingam",
    "ppca",
    "quasi_newton",
    "tables",
]
