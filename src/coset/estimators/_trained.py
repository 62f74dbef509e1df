"""The base of every estimator that trains an encoder: scikit-learn's face of the one loop."""

from __future__ import annotations

import os
import warnings
from abc import abstractmethod
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

import jax
import numpy as np
from jaxtyping import PRNGKeyArray
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._core import BadInput, Floats
from .._fit import Fitted, fit
from .._lab import AbstractEncoder, AbstractObjective, one_of, stacked
from .._recipe import Recipe
from ._feed import Blocks, block_size, whole
from ._progress import bar
from ._rows import Given, Rows, is_file, observations
from ._saved import named_arrays, save_model, with_arrays
from ._scaling import Scaling, scaling_of
from ._scoring import codes_of, value_of

CODES = 8
"""Columns of a code where none are asked for, and observations have as many."""


@dataclass(frozen=True)
class Shape:
    """What the learner is built from, besides parameters."""

    columns: int
    """Of an observation, scaled."""
    codes: int
    labels: int = 0


@dataclass(eq=False, repr=False, kw_only=True)
class AbstractTrained(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """An encoder trained on rows of one's own.

    Args:
        dim: columns of a code; by default those of an observation, at most 8.
        widths: of the encoder's hidden layers.
        scaling: "standard" (columns), "whiten" (directions) or "none", found in fit and kept.
        batch: rows of a step.
        steps: number of updates, in chunks of 50.
        rate: peak learning rate.
        optimiser: "muon", "adam" or "sgd".
        random_state: of initial weights and draws.
        verbose: True shows progress, False does not; by default a terminal does.
    """

    dim: int | None = None
    widths: tuple[int, ...] = (128, 128, 128)
    scaling: str = "standard"
    batch: int = 512
    steps: int = 2000
    rate: float = 0.03
    optimiser: str = "muon"
    random_state: Any = None
    verbose: bool | None = None

    learns_from: ClassVar[str]
    """The data it needs, in words."""
    up_to: ClassVar[str]
    """What its codes are determined up to, where the theorem's assumptions are met."""
    labels_needed: ClassVar[bool] = False

    @abstractmethod
    def _rows(self, x: Any, given: Given, known: NDArray | None) -> Rows:
        """Observations with what belongs to them; `known` are the labels of a fit."""

    @abstractmethod
    def _start(self, key: PRNGKeyArray, shape: Shape) -> tuple[AbstractEncoder, AbstractObjective]:
        """Encoder and objective, untrained."""

    def fit(self, X: Any, y: Any = None, *, u: Any = None, pairs: Any = None) -> Self:
        """Train on rows of X and what belongs to them.

        Args:
            X: observations (n, p): an array, a frame, or what stays on disk and is read block by
                block: a mapped array, the path of a file or a folder of shards, a list of paths.
            y: the same as u, for scikit-learn's tools that know no other name.
            u: a label, a segment or an environment for each row.
            pairs: of each row of X, an observation of something related (n, p).
        """
        x = observations(self, X, reset=True)
        rows = self._rows(x, Given(type(self).__name__, y, u, pairs), None)
        self.scaling_ = scaling_of(x, self.scaling)
        self.labels_ = rows.labels
        self._shape = self._shaped(rows)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        k_start, k_train = jax.random.split(jax.random.key(seed))
        encoder, objective = self._start(k_start, self._shape)
        recipe = self._recipe(rows)
        size = block_size(rows, self.scaling_.columns, recipe.batch)
        with ExitStack() as opened:
            feed = None
            if (is_file(X) or is_file(pairs)) and rows.random_access and rows.count > size:
                blocks = Blocks(rows, self.scaling_, objective.needs, size, seed)
                feed = opened.enter_context(blocks)
            advance = opened.enter_context(bar(type(self).__name__, verbose=self.verbose))
            fitted = fit(
                feed(0) if feed else whole(rows, self.scaling_, objective.needs),
                stacked([encoder]), stacked([objective]), recipe,
                keys=k_train[None], feed=feed, progress=advance, interruptible=True,
            )  # fmt: skip
        self._keep(fitted)
        return self

    def transform(self, X: Any) -> Floats:
        """Codes (n, k) of rows of X."""
        check_is_fitted(self)
        x = observations(self, X, reset=False)
        return codes_of(self.encoder_, self.objective_, self.scaling_, x, self.codes_dim_)

    def score(self, X: Any, y: Any = None, *, u: Any = None, pairs: Any = None) -> float:
        """Minus the objective on rows of X, batch by batch: higher is better.

        Of use on rows that were held out; between estimators of one kind and one batch size. Of
        many rows it takes 65,536.

        Args:
            X: as in `fit`.
            y: as in `fit`.
            u: as in `fit`.
            pairs: as in `fit`.
        """
        check_is_fitted(self)
        x = observations(self, X, reset=False)
        rows = self._rows(x, Given(type(self).__name__, y, u, pairs), self.labels_)
        return -value_of(self.encoder_, self.objective_, self.scaling_, rows, self.batch)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the model to a folder: parameters in JSON, arrays in safetensors; atomic."""
        check_is_fitted(self)
        save_model(self, folder)

    @property
    def _n_features_out(self) -> int:
        return self.codes_dim_

    def _shaped(self, rows: Rows) -> Shape:
        columns = self.scaling_.columns
        dim = min(columns, CODES) if self.dim is None else self.dim
        if isinstance(dim, bool) or not isinstance(dim, int | np.integer) or dim < 1:
            raise BadInput(f"dim={dim!r}; a code needs a whole number of columns, at least 1")
        labels = 0 if rows.labels is None else len(rows.labels)
        return Shape(columns, int(dim), labels)

    def _recipe(self, rows: Rows) -> Recipe:
        for name in ("batch", "steps"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer):
                raise BadInput(f"{name}={value!r}; a whole number is needed")
        return Recipe(
            batch=min(self.batch, rows.count), steps=self.steps, kind=self.optimiser, rate=self.rate
        )

    def _keep(self, fitted: Fitted) -> None:
        reached = fitted.curve[-1].step
        if fitted.diverged[0]:
            raise BadInput(
                f"the objective was no longer finite at step {reached}: give a lower rate than "
                f"{self.rate}, or scaling='standard'"
            )
        self.encoder_ = one_of(fitted.encoder, 0)
        self.objective_ = one_of(fitted.objective, 0)
        self.codes_dim_ = self._shape.codes
        self.curve_ = tuple((point.step, point.objective[0]) for point in fitted.curve)
        self.interrupted_ = fitted.interrupted
        if fitted.interrupted:
            warnings.warn(
                f"stopped by the keyboard at step {reached} of {self.steps}; "
                f"the model is what it was then",
                UserWarning,
                stacklevel=3,
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.labels_needed
        return tags

    def _learned(self) -> dict[str, Any]:
        """What was learned and is no array."""
        labels = None if self.labels_ is None else self.labels_.tolist()
        return {
            "shape": asdict(self._shape),
            "labels": labels,
            "curve": [list(point) for point in self.curve_],
            "interrupted": self.interrupted_,
        }

    def _tensors(self) -> dict[str, NDArray]:
        """The arrays that were learned, by name."""
        found = {"scaling.mean": self.scaling_.mean, "scaling.factor": self.scaling_.factor}
        return found | named_arrays({"encoder": self.encoder_, "objective": self.objective_})

    def _restore(self, learned: Mapping[str, Any], tensors: Mapping[str, NDArray]) -> None:
        """Take on what `_learned` and `_tensors` gave."""
        self._shape = Shape(**learned["shape"])
        encoder, objective = self._start(jax.random.key(0), self._shape)
        whole = with_arrays({"encoder": encoder, "objective": objective}, tensors)
        self.encoder_, self.objective_ = whole["encoder"], whole["objective"]
        self.scaling_ = Scaling(tensors["scaling.mean"], tensors["scaling.factor"])
        self.labels_ = None if learned["labels"] is None else np.asarray(learned["labels"])
        self.codes_dim_ = self._shape.codes
        self.curve_ = tuple((int(step), float(value)) for step, value in learned["curve"])
        self.interrupted_ = bool(learned["interrupted"])
