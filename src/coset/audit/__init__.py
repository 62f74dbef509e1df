"""Two representations of the same things: up to what do they agree?"""

from ._align import align, apply
from ._compare import compare
from ._comparison import Comparison
from ._consistency import Consistency, consistency
from ._many import Matrix, compare_many
from ._tie import Tie, tie

__all__ = [
    "Comparison",
    "Consistency",
    "Matrix",
    "Tie",
    "align",
    "apply",
    "compare",
    "compare_many",
    "consistency",
    "tie",
]
