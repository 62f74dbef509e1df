"""What every metric against known latents needs first: kinds of latents, classes, held-out rows."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .._arrays import as_pair
from .._core import BadInput, Floats
from ._checks import FAINT, TOO_SMALL, generator, whole_number

Flags = NDArray[np.bool_]
Labels = NDArray[np.int64]
Rows = NDArray[np.intp]
Discrete = Literal["auto"] | bool | Sequence[bool]
Binning = Literal["width", "quantile"]

FEW_VALUES = 50
ROWS_PER_BIN = 10


def latents_and_codes(
    z: Any, c: Any, discrete: Discrete = "auto", *, at_least: int = 1
) -> tuple[Floats, Floats, Flags]:
    """Aligned finite matrices, and which latents are discrete.

    A constant latent is refused; a constant code warns and becomes exact zeros, so that it carries
    nothing anywhere.
    """
    latents, codes = as_pair(z, c, ("latents", "codes"))
    n, d = latents.shape
    if n < 2:
        raise BadInput(f"latents and codes have {n} row; a metric needs at least 2: give more rows")
    if d < at_least:
        raise BadInput(
            f"latents have {d} column; this metric compares latents with one another and needs at "
            f"least {at_least}: give every latent at once, or use mig, sap, irs or explicitness"
        )
    if constant := np.flatnonzero(_is_constant(latents)).tolist():
        raise BadInput(
            f"latent column {constant[0]} holds one value only, so nothing can be learnt about it; "
            f"every latent must vary: drop columns {constant}"
        )
    if (np.ptp(latents, axis=0) < FAINT).any():
        raise BadInput(f"latents: {TOO_SMALL}")
    dead = _is_constant(codes)
    if dead.any():
        warnings.warn(
            f"code columns {np.flatnonzero(dead).tolist()} are constant: they carry nothing and "
            f"count 0",
            UserWarning,
            stacklevel=3,
        )
        codes = np.where(dead, 0.0, codes)
    return latents, codes, _flags(latents, discrete)


def few_values(column: Floats) -> bool:
    """Whether a column is a table of repeated values rather than a continuum."""
    distinct = np.unique(column).size
    return distinct <= FEW_VALUES and 2 * distinct <= column.size


def classes(column: Floats, bins: int, binning: Binning = "width") -> Labels:
    """A label in 0, 1, … for every row: at most `bins` values keep themselves, others are cut.

    `width` cuts the range into bins of equal width, `quantile` into bins of equally many rows.
    """
    whole_number(bins, "bins", 2)
    values, labels = np.unique(column, return_inverse=True)
    if values.size <= bins:
        return labels.astype(np.int64)
    if binning == "quantile":
        edges = np.quantile(column, np.arange(1, bins) / bins)
    elif binning == "width":
        edges = np.linspace(values[0], values[-1], bins + 1)[1:-1]
    else:
        raise BadInput(f"binning={binning!r}; give 'width' or 'quantile'")
    cut = np.searchsorted(edges, column, side="right")
    return np.unique(cut, return_inverse=True)[1].astype(np.int64)


def latent_classes(column: Floats, *, discrete: bool, bins: int) -> Labels:
    """The classes of a latent: its values, or quantile bins of at least ten rows each."""
    if discrete:
        return np.unique(column, return_inverse=True)[1].astype(np.int64)
    most = max(2, column.size // ROWS_PER_BIN)
    return classes(column, min(whole_number(bins, "bins", 2), most), "quantile")


def split(n: int, test: float, seed: int, labels: Labels | None = None) -> tuple[Rows, Rows]:
    """Rows to fit on and rows to score on, the same share of every class; both all if `test=0`."""
    if not 0.0 <= test < 1.0:
        raise BadInput(
            f"test={test}; give the share of held-out rows, from 0 (in-sample) to below 1"
        )
    order = generator(seed).permutation(n)
    if test == 0.0:
        return order, order
    groups = np.zeros(n, dtype=np.int64) if labels is None else labels[order]
    by_class = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups)
    within = np.empty(n, dtype=np.int64)
    within[by_class] = np.arange(n) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    held_out = within < np.floor(sizes * test)[groups]
    if held_out.sum() < 2 or (~held_out).sum() < 2:
        raise BadInput(
            f"{n} rows leave {held_out.sum()} to score on; at least 2 are needed: give more rows, "
            f"or test=0 to score on the rows that were fitted"
        )
    return order[~held_out], order[held_out]


def standardised(codes: Floats, fitted_on: Rows | None = None) -> Floats:
    """Columns of zero mean and unit deviation over `fitted_on`; a constant one becomes zeros."""
    codes = codes / units(codes)
    rows = codes if fitted_on is None else codes[fitted_on]
    mean, deviation = rows.mean(axis=0), rows.std(axis=0)
    dead = _is_constant(rows)
    return np.where(dead, 0.0, (codes - mean) / np.where(dead, 1.0, deviation))


def units(codes: Floats) -> Floats:
    """A power of two near the range of each column: dividing by it costs no digit."""
    spread = np.ptp(codes, axis=0)
    return np.ldexp(1.0, np.frexp(np.where(spread > 0, spread, 1.0))[1])


def _is_constant(columns: Floats) -> Flags:
    spread = np.ptp(columns, axis=0)
    return np.asarray(spread <= 1e-12 * np.abs(columns).max(axis=0), dtype=np.bool_)


def _flags(latents: Floats, discrete: Discrete) -> Flags:
    d = latents.shape[1]
    if isinstance(discrete, str):
        if discrete != "auto":
            raise BadInput(
                f"discrete={discrete!r}; give 'auto', True, False or one bool per latent"
            )
        return np.array([few_values(z) and bool((z == np.round(z)).all()) for z in latents.T])
    flags = np.asarray(discrete)
    if flags.dtype != np.bool_ or flags.shape not in ((), (d,)):
        raise BadInput(
            f"discrete={discrete!r} for {d} latents; give 'auto', True, False or one bool per "
            f"latent"
        )
    return np.broadcast_to(flags, (d,)).copy()
