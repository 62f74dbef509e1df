"""Data → parameters where no network is trained: closed forms and Newton's method, in float64.

NumPy and SciPy alone.
"""

from ._darmois import NormalDarmois, PlaneDarmois, darmois_normal, darmois_plane

__all__ = ["NormalDarmois", "PlaneDarmois", "darmois_normal", "darmois_plane"]
