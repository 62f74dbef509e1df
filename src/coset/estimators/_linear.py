"""The base of estimators without a network: rows read whole, a solver, a linear map."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .._arrays import as_matrix
from .._core import BadInput, Floats
from ._rows import observations
from ._saved import save_model
from ._scaling import refuse_holes


@dataclass(eq=False, repr=False, kw_only=True)
class AbstractLinear(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Codes that are a linear map of observations.

    Args:
        dim: number of latents.
    """

    dim: int | None = None

    learns_from: ClassVar[str]
    """The data it needs, in words."""
    up_to: ClassVar[str]
    """What its codes are determined up to, where the theorem's assumptions are met."""
    arrays: ClassVar[tuple[str, ...]]
    """Attributes that are saved as arrays ..."""
    values: ClassVar[tuple[str, ...]] = ()
    """... and as plain values."""

    @abstractmethod
    def _solve(self, x: Floats) -> int:
        """Learn from all rows; returns the columns of a code."""

    @abstractmethod
    def _encoded(self, x: Floats) -> Floats:
        """Codes of rows."""

    @abstractmethod
    def _decoded(self, codes: Floats) -> Floats:
        """Observations of codes."""

    @abstractmethod
    def _likelihood(self, x: Floats) -> float:
        """Mean log-likelihood of rows."""

    def fit(self, X: Any, y: Any = None, *, u: Any = None, pairs: Any = None) -> Self:
        """Learn from rows of X.

        Args:
            X: observations (n, p), as for every estimator; those in files are read whole.
            y: not looked at.
            u: must be left out.
            pairs: must be left out.
        """
        if u is not None or pairs is not None:
            raise BadInput(f"{type(self).__name__} learns from rows alone: leave u and pairs out")
        self.codes_dim_ = self._solve(self._read(X, reset=True))
        return self

    def transform(self, X: Any) -> Floats:
        """Codes (n, k) of rows of X."""
        check_is_fitted(self)
        return self._encoded(self._read(X, reset=False))

    def inverse_transform(self, codes: Any) -> Floats:
        """Observations that are expected of codes (n, k)."""
        check_is_fitted(self)
        rows = as_matrix(codes, "codes")
        if rows.shape[1] != self.codes_dim_:
            raise BadInput(f"codes have {rows.shape[1]} columns; {self.codes_dim_} are needed")
        return self._decoded(rows)

    def score(self, X: Any, y: Any = None) -> float:
        """Mean log-likelihood of rows of X: higher is better.

        Args:
            X: as in `fit`.
            y: not looked at.
        """
        check_is_fitted(self)
        return self._likelihood(self._read(X, reset=False))

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the model to a folder: parameters in JSON, arrays in safetensors; atomic."""
        check_is_fitted(self)
        save_model(self, folder)

    @property
    def _n_features_out(self) -> int:
        return self.codes_dim_

    def _read(self, X: Any, *, reset: bool) -> Floats:
        source = observations(self, X, reset=reset)
        rows = np.asarray(source.read(0, source.rows), dtype=np.float64)
        refuse_holes(rows, source.name)
        return rows

    def _learned(self) -> dict[str, Any]:
        """What was learned and is no array."""
        return {"dim": self.codes_dim_, **{name: getattr(self, name) for name in self.values}}

    def _tensors(self) -> dict[str, NDArray]:
        """The arrays that were learned, by name."""
        return {name.rstrip("_"): getattr(self, name) for name in self.arrays}

    def _restore(self, learned: Mapping[str, Any], tensors: Mapping[str, NDArray]) -> None:
        """Take on what `_learned` and `_tensors` gave."""
        self.codes_dim_ = int(learned["dim"])
        for name in self.values:
            setattr(self, name, learned[name])
        for name in self.arrays:
            setattr(self, name, tensors[name.rstrip("_")])
