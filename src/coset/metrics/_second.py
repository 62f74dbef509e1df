"""The scores that second moments determine, as methods shared by both routes to them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from .._core import Floats
from ._spectra import Whitening

if TYPE_CHECKING:
    from ._cca import CCA, SVCCA
    from ._cka import CKA
    from ._mcc import MCC
    from ._procrustes import Procrustes
    from ._pwcca import PWCCA


class SecondOrder(ABC):
    """What every linear comparison needs to know of two aligned arrays, whatever route found it.

    Co-moments are centred sums (not divided by n), in float64.
    """

    route: ClassVar[str]
    tolerance: float

    @property
    @abstractmethod
    def n(self) -> int:
        """Rows."""

    @property
    @abstractmethod
    def mean_a(self) -> Floats:
        """Column means of a."""

    @property
    @abstractmethod
    def mean_b(self) -> Floats:
        """Column means of b."""

    @property
    @abstractmethod
    def aa(self) -> Floats:
        """Centred co-moments of a with itself."""

    @property
    @abstractmethod
    def ab(self) -> Floats:
        """Centred co-moments of a with b."""

    @property
    @abstractmethod
    def bb(self) -> Floats:
        """Centred co-moments of b with itself."""

    @abstractmethod
    def swapped(self) -> SecondOrder:
        """The sides exchanged."""

    @abstractmethod
    def merge(self, *others: Any) -> Any:
        """The moments of the rows of all; a new object."""

    @abstractmethod
    def norms(self) -> tuple[Floats, Floats]:
        """Norms of the centred columns; 0 for constant ones."""

    @abstractmethod
    def whitened(self) -> tuple[Whitening, Whitening, Floats]:
        """Whitening of each side, and their coherence."""

    @abstractmethod
    def principal(self) -> tuple[Floats, Floats]:
        """Singular values of both sides, largest first."""

    @abstractmethod
    def principal_coherence(self, keep_a: int, keep_b: int) -> Floats:
        """Inner products of the leading left singular vectors of both sides."""

    @abstractmethod
    def solve(self, right: Floats) -> Floats:
        """Minimum-norm x (p, k) with aa x = right, rank-aware."""

    def regression(self) -> Floats:
        """The least-squares matrix (q, p) from centred a to centred b."""
        return self.solve(self.ab).T

    @abstractmethod
    def residual(self, matrix: Floats, offset: Floats) -> Floats:
        """Summed squared error of an affine map, per column of b."""

    def cca(self) -> CCA:
        """Mean canonical correlation."""
        from ._cca import cca_of

        return cca_of(self)

    def svcca(self, *, variance: float = 0.99, components: int | None = None) -> SVCCA:
        """Canonical correlations of the leading principal components."""
        from ._cca import svcca_of

        return svcca_of(self, variance=variance, components=components)

    def pwcca(self, *, direction: str = "mean") -> PWCCA:
        """Canonical correlations weighted by what they carry."""
        from ._pwcca import pwcca_of

        return pwcca_of(self, direction=direction)

    def cka(self, *, debiased: bool = True) -> CKA:
        """Linear centred kernel alignment."""
        from ._cka import cka_of

        return cka_of(self, debiased=debiased)

    def procrustes(self, *, proper: bool = False) -> Procrustes:
        """Orthogonal alignment."""
        from ._procrustes import procrustes_of

        return procrustes_of(self, proper=proper)

    def mcc(self) -> MCC:
        """Mean matched Pearson correlation."""
        from ._mcc import mcc_of

        return mcc_of(self)
