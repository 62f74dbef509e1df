"""What a person hands over → rows that belong together, in memory or in files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.validation import validate_data

from .._core import BadInput
from ..audit.sources import Source, open_source


@dataclass(frozen=True, eq=False)
class Given:
    """What came along with the observations; at most one of them is what a method needs."""

    who: str
    y: Any = None
    u: Any = None
    pairs: Any = None


@dataclass(frozen=True, eq=False)
class Rows:
    """Observations and what belongs to each of them, readable in any range."""

    x: Source
    positive: Source | None = None
    lag: int = 0
    """Where it is not 0, the positive of a row is the one so many rows later."""
    auxiliary: NDArray | None = None
    labels: NDArray | None = None
    """What the whole numbers in `auxiliary` stand for."""

    @property
    def count(self) -> int:
        """Rows that have all that belongs to them."""
        return self.x.rows - self.lag

    @property
    def random_access(self) -> bool:
        """Whether rows in any order cost about as much as rows in sequence."""
        return self.x.random_access and (self.positive is None or self.positive.random_access)

    def read(self, start: int, stop: int) -> tuple[NDArray, NDArray | None, NDArray | None]:
        """Observations, positives and auxiliary of the rows in [start, stop)."""
        partner, shift = (self.x, self.lag) if self.lag else (self.positive, 0)
        positive = None if partner is None else partner.read(start + shift, stop + shift)
        auxiliary = None if self.auxiliary is None else self.auxiliary[start:stop]
        return self.x.read(start, stop), positive, auxiliary


def is_file(x: Any) -> bool:
    """Is this rows that stay where they are: a path, paths of shards, a mapped array, a source?"""
    if isinstance(x, list | tuple):
        return len(x) > 0 and all(isinstance(part, str | os.PathLike) for part in x)
    return isinstance(x, str | os.PathLike | Source | np.memmap)


def observations(estimator: Any, x: Any, *, reset: bool) -> Source:
    """The rows of X as scikit-learn would have them; files are opened and not read."""
    if not is_file(x) or (isinstance(x, np.memmap) and x.ndim != 2):
        try:
            array = validate_data(
                estimator, x, reset=reset, dtype=(np.float64, np.float32),
                ensure_all_finite=False, ensure_min_samples=2 if reset else 1,
            )  # fmt: skip
        except ValueError as error:
            raise BadInput(str(error)) from error
        return open_source(array, name="X")
    source = open_source(x, name="X" if isinstance(x, np.memmap) else None)
    if reset:
        estimator.n_features_in_ = source.columns
    elif source.columns != estimator.n_features_in_:
        raise BadInput(
            f"{source.name} has {source.columns} features, but {type(estimator).__name__} is "
            f"expecting {estimator.n_features_in_} features as input: give the columns of fit"
        )
    return source


def paired(x: Source, given: Given, lag: int | None) -> Rows:
    """Each row with its positive: the same row of `pairs`, or the one `lag` rows later."""
    if given.u is not None:
        raise BadInput(f"{given.who} learns from pairs and was given u; give pairs, or set lag")
    if given.pairs is not None:
        return Rows(x, positive=_beside(x, given.pairs))
    if lag is None:
        raise BadInput(
            f"{given.who} needs a positive for each row: give pairs=, rows of something related; "
            f"or, where rows are in the order of time, set lag=1"
        )
    if isinstance(lag, bool) or not isinstance(lag, int | np.integer) or lag < 1:
        raise BadInput(f"lag={lag!r}; a whole number of rows is needed, 1 or more")
    if x.rows - lag < 2:
        raise BadInput(
            f"lag={lag} leaves {max(0, x.rows - lag)} pairs of n_samples={x.rows}: "
            f"give more rows, or a smaller lag"
        )
    return Rows(x, lag=int(lag))


def labelled(x: Source, given: Given, known: NDArray | None = None) -> Rows:
    """Each row with its label; `known` are those of a fit."""
    values = _auxiliary(given)
    try:
        labels = column_or_1d(values, warn=False)
    except ValueError as error:
        raise BadInput(f"u holds no label for each row: {error}") from error
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise BadInput("u holds NaN or inf; every row needs a label: drop such rows first")
    _refuse_count(x, len(labels), "u")
    found = np.unique(labels) if known is None else known
    numbers = np.searchsorted(found, labels).clip(max=len(found) - 1)
    strange = found[numbers] != labels
    if strange.any():
        raise BadInput(f"u holds the label {labels[strange][0]!r}, which fit has not seen")
    return Rows(x, auxiliary=numbers.astype(np.int32), labels=found)


def refuse_pairs(given: Given) -> None:
    """Pairs mean nothing to this method."""
    if given.pairs is not None:
        raise BadInput(f"{given.who} learns from u and was given pairs; leave them out")


def _auxiliary(given: Given) -> Any:
    refuse_pairs(given)
    values = given.u if given.u is not None else given.y
    if values is None:
        raise BadInput(
            f"{given.who} requires y to be passed, but the target y is None: "
            f"give u= (or y), one value for each row"
        )
    return values


def _beside(x: Source, pairs: Any) -> Source:
    found = open_source(pairs, name=None if is_file(pairs) else "pairs")
    _refuse_count(x, found.rows, found.name)
    if found.columns != x.columns:
        raise BadInput(
            f"{found.name} has {found.columns} columns and {x.name} has {x.columns}; a positive "
            f"is an observation of the same kind: give as many columns"
        )
    return found


def _refuse_count(x: Source, rows: int, name: str) -> None:
    if rows != x.rows:
        raise BadInput(
            f"{name} has {rows} rows and {x.name} has {x.rows}; row i of both must belong "
            f"together: give as many"
        )
