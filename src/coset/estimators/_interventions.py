"""Linear dynamics whose controls change with the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .._core import Floats
from ..audit.sources import Source
from ..solvers import identify_system
from ._rows import Given, labelled, observations, paired
from ._saved import save_model
from ._scaling import refuse_holes

ARRAYS = ("transition_", "mixing_", "unmixing_", "variances_")


@dataclass(eq=False, repr=False, kw_only=True)
class Interventions(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """What moves a linear system: controls whose variances change with the environment.

    It needs rows in the order of time and the environment of each row, as `u` or `y`: an
    intervention gives a control another variance. With x' = A x + M c, and ratios of variances
    between environments that differ from control to control, the code of a row is the c that moved
    the row `lag` earlier to it, up to permutation, sign and scale. Rows without an earlier one get
    the code 0.

    Args:
        dim: number of controls; by default as many as columns.
        lag: rows from an observation to the one that it moves to.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> u = np.arange(3000) // 1000
        >>> c = rng.normal(size=(3000, 2)) * np.array([[1, 3], [3, 1], [2, 1]])[u]
        >>> X = np.zeros((3000, 2))
        >>> for t in range(1, 3000):
        ...     X[t] = X[t - 1] @ [[0.5, -0.3], [0.2, 0.6]] + c[t] @ [[1, 2], [-1, 1]]
        >>> codes = Interventions().fit(X, u=u).transform(X)
        >>> int((np.abs(np.corrcoef(codes.T, c.T)[:2, 2:]) > 0.99).sum())
        2

    References:
        rajendran2024
    """

    dim: int | None = None
    lag: int = 1

    learns_from: ClassVar[str] = "time and environments (u): linear dynamics, intervened on"
    up_to: ClassVar[str] = "scaled-permutation, of controls"
    labels_needed: ClassVar[bool] = True

    def fit(self, X: Any, y: Any = None, *, u: Any = None, pairs: Any = None) -> Self:
        """Identify the system from rows of X in the order of time.

        Args:
            X: observations (n, p), as for every estimator; those in files are read whole.
            y: the same as u.
            u: the environment of each row.
            pairs: must be left out: the earlier row is the one `lag` rows before.
        """
        x = observations(self, X, reset=True)
        environments = labelled(x, Given(type(self).__name__, y, u, pairs))
        assert environments.auxiliary is not None
        assert environments.labels is not None
        before, after = self._moves(x)
        found = identify_system(
            before, after, environments.auxiliary[self.lag :], controls=self.dim
        )
        self.labels_: NDArray = environments.labels
        self.transition_, self.mixing_ = found.transition, found.mixing
        self.unmixing_, self.variances_ = found.unmixing, found.variances
        self.codes_dim_ = len(found.unmixing)
        return self

    def transform(self, X: Any) -> Floats:
        """Codes (n, k) of rows of X in the order of time."""
        check_is_fitted(self)
        x = observations(self, X, reset=False)
        out = np.zeros((x.rows, self.codes_dim_))
        if x.rows > self.lag + 1:
            before, after = self._moves(x)
            out[self.lag :] = (after - before @ self.transition_.T) @ self.unmixing_.T
        return out

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the model to a folder: parameters in JSON, arrays in safetensors; atomic."""
        check_is_fitted(self)
        save_model(self, folder)

    @property
    def _n_features_out(self) -> int:
        return self.codes_dim_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _moves(self, x: Source) -> tuple[Floats, Floats]:
        """Rows that have a later one, and those later ones."""
        pairs = paired(x, Given(type(self).__name__), self.lag)
        rows = np.asarray(x.read(0, x.rows), dtype=np.float64)
        refuse_holes(rows, x.name)
        return rows[: pairs.count], rows[pairs.lag :]

    def _learned(self) -> dict[str, Any]:
        """What was learned and is no array."""
        return {"dim": self.codes_dim_, "labels": self.labels_.tolist()}

    def _tensors(self) -> dict[str, NDArray]:
        """The arrays that were learned, by name."""
        return {name.rstrip("_"): getattr(self, name) for name in ARRAYS}

    def _restore(self, learned: Mapping[str, Any], tensors: Mapping[str, NDArray]) -> None:
        """Take on what `_learned` and `_tensors` gave."""
        self.codes_dim_ = int(learned["dim"])
        self.labels_ = np.asarray(learned["labels"])
        for name in ARRAYS:
            setattr(self, name, tensors[name.rstrip("_")])
