"""Many representations, or two stacks of layers: one table of scores."""

from __future__ import annotations

import datetime
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._core import BadInput, Floats
from ..metrics._moments import Moments
from ._comparison import SCHEMA, _plain, _version
from .sources import Source, open_layers, open_source

MEASURES: dict[str, Callable[[Moments], float]] = {
    "cka_debiased": lambda m: m.cka().value,
    "cca": lambda m: m.cca().value,
    "svcca": lambda m: m.svcca().value,
    "pwcca": lambda m: m.pwcca().value,
    "procrustes": lambda m: m.procrustes().value,
    "mcc_pearson": lambda m: m.mcc().value,
}
DRAWS = 20
BLOCK_ROWS = 8192


@dataclass(frozen=True, eq=False, repr=False)
class Matrix:
    """Scores of every pair, with the null of the largest one."""

    names_a: tuple[str, ...]
    names_b: tuple[str, ...]
    tables: Mapping[str, Floats]
    """(len(names_a), len(names_b)) for each measure."""
    measure: str
    """The measure that chance refers to, and that the page shows first."""
    chance: float
    """Mean score of shuffled pairs."""
    threshold: float
    """95 % quantile, over shuffles, of the largest score in the table."""
    p_value: float
    """Of the largest score, calibrated jointly over all pairs."""
    rows: int
    square: bool
    """One list against itself (True), or two stacks (False)."""
    command: str | None = field(default=None, repr=False)

    @property
    def values(self) -> Floats:
        """The table of the leading measure."""
        return self.tables[self.measure]

    @property
    def sentence(self) -> str:
        """The table in words."""
        shown = self.values.copy()
        if self.square:
            np.fill_diagonal(shown, np.nan)
        i, j = np.unravel_index(np.nanargmax(shown), shown.shape)
        return (
            f"Of {int(np.isfinite(shown).sum()) // (2 if self.square else 1)} pairs, "
            f"{self.names_a[i]} and {self.names_b[j]} are closest: {self.measure} "
            f"{shown[i, j]:.3f}; the largest of shuffled pairs stays under {self.threshold:.3f} "
            f"(p = {self.p_value:.3g}, over all pairs)."
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain JSON values."""
        others = {name: table for name, table in self.tables.items() if name != self.measure}
        plain: dict[str, Any] = _plain({
            "schema": SCHEMA,
            "kind": "matrix",
            "version": _version(),
            "command": self.command,
            "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "measure": self.measure,
            "names_a": list(self.names_a),
            "names_b": list(self.names_b),
            "values": self.values,
            "other_measures": others,
            "chance": self.chance,
            "threshold_max": self.threshold,
            "p_max": self.p_value,
            "rows": self.rows,
            "square": self.square,
            "verdicts": None,
            "sentence": self.sentence,
        })  # fmt: skip
        return plain

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write the page: one self-contained file."""
        from ..report import write_page

        write_page(self.to_dict(), path)

    def _repr_html_(self) -> str:
        from ..report import snippet

        return snippet(self.to_dict())

    def __repr__(self) -> str:
        return self.sentence


def compare_many(
    a: Any,
    b: Any = None,
    *,
    measures: Sequence[str] = tuple(MEASURES),
    seed: int = 0,
    command: str | None = None,
) -> Matrix:
    """Every pair of several representations of the same things, or layer against layer.

    Args:
        a: a list or mapping of arrays or paths, a stack (layers, n, columns), or a container of
            layers (.npz, .safetensors, a Zarr group).
        b: another such stack; None compares a with itself.
        measures: which scores; the first leads, and its chance is calibrated.
        seed: of the shuffles.
        command: what to show as the command that made the page.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> rows = rng.normal(size=(100, 4))
        >>> table = compare_many({"one": rows, "turned": rows[:, ::-1], "noise": rng.normal(size=(100, 3))})
        >>> table.values.round(1).tolist()
        [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    unknown = [name for name in measures if name not in MEASURES]
    if unknown or not measures:
        raise BadInput(f"no table of {unknown or 'nothing'}; possible are {', '.join(MEASURES)}")
    side_a = _layers(a)
    side_b = side_a if b is None else _layers(b)
    rows = {name: source.rows for name, source in {**side_a, **side_b}.items()}
    if len(set(rows.values())) > 1:
        raise BadInput(f"rows differ: {rows}; row i of all must be the same thing")
    n = next(iter(rows.values()))
    pairs = [(i, j) for i in range(len(side_a)) for j in range(i if b is None else 0, len(side_b))]
    tables = {name: np.full((len(side_a), len(side_b)), np.nan) for name in measures}
    largest = np.full(DRAWS, -np.inf)
    order = [np.random.default_rng((seed, k)).permutation(n) for k in range(DRAWS)]
    mean_null = []
    sources_a, sources_b = list(side_a.values()), list(side_b.values())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for i, j in pairs:
            moments = _moments(sources_a[i], sources_b[j])
            for name in measures:
                tables[name][i, j] = MEASURES[name](moments)
                if b is None:
                    tables[name][j, i] = tables[name][i, j]
            if b is None and i == j:
                continue
            null = _null(sources_a[i], sources_b[j], moments, order, MEASURES[measures[0]])
            largest = np.fmax(largest, null)
            mean_null.append(np.nanmean(null))
    leading = tables[measures[0]].copy()
    if b is None:
        np.fill_diagonal(leading, np.nan)
    top = np.nanmax(leading)
    return Matrix(
        tuple(side_a),
        tuple(side_b),
        tables,
        measures[0],
        float(np.mean(mean_null)),
        float(np.quantile(largest, 0.95)),
        float((1 + (largest >= top).sum()) / (1 + DRAWS)),
        n,
        b is None,
        command,
    )


def _layers(x: Any) -> dict[str, Source]:
    found = open_layers(x)
    if found is None and isinstance(x, list | tuple):
        found = {}
        for item in x:
            source = open_source(item)
            name = source.name if source.name not in found else f"{source.name} ({len(found)})"
            found[name] = source
    if not found:
        raise BadInput("several representations are needed: a list, a mapping or a stack of them")
    return found


def _moments(a: Source, b: Source) -> Moments:
    moments = Moments()
    for start in range(0, a.rows, BLOCK_ROWS):
        stop = min(start + BLOCK_ROWS, a.rows)
        moments.update(a.read(start, stop), b.read(start, stop), first_row=start)
    return moments


def _null(
    a: Source, b: Source, moments: Moments, order: list[Any], measure: Callable[[Moments], float]
) -> Floats:
    """Scores of the pair under the same shuffles that every other pair gets."""
    sample = np.arange(min(a.rows, BLOCK_ROWS))
    if len(sample) == a.rows:
        rows_a, rows_b = a.take(sample), b.take(sample)
        return np.array([measure(Moments().update(rows_a, rows_b[shuffle])) for shuffle in order])
    from ._shuffle import shuffled_moments

    return np.array(
        [measure(shuffled_moments(moments, np.random.default_rng(s[:4]))) for s in order]
    )
