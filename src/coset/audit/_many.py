"""Many representations, or two stacks of layers: one table of scores."""

from __future__ import annotations

import datetime
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arrays import refuse_nonfinite
from .._core import BadInput, Floats
from ..metrics._factors import Factors
from ..metrics._kernels import centre_kernel
from ..metrics._moments import Moments
from ..metrics._second import SecondOrder
from ._comparison import SCHEMA, _plain, _version
from ._measures import GRAM, LINEAR
from ._pass import M
from ._words import number, short
from .sources import Source, open_layers, open_source

LEADING = "cka_debiased"
MEASURES = (LEADING, *LINEAR)
DRAWS = 99
NULL_ROWS = 500
BLOCK_ROWS = 8192


@dataclass(frozen=True, eq=False, repr=False)
class Matrix:
    """Scores of every pair, with the null of the largest one."""

    a: str
    """What the rows of the tables are taken from ..."""
    b: str
    """... and the columns; the same where one list meets itself."""
    names_a: tuple[str, ...]
    names_b: tuple[str, ...]
    tables: Mapping[str, Floats]
    """(len(names_a), len(names_b)) for each measure."""
    measure: str
    """The measure that the page shows first."""
    chance: float
    """Mean debiased CKA of shuffled pairs."""
    threshold: float
    """95 % quantile, over shuffles, of the largest debiased CKA in the table."""
    p_value: float
    """Of the largest debiased CKA, calibrated jointly over all pairs."""
    rows: int
    null_rows: int
    """Rows of the sample that the shuffles were drawn on."""
    seed: int
    """Of the sample and the shuffles."""
    exact: int
    """Pairs so ill-conditioned that they took the exact route."""
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
        from ..report._measures import title

        shown = self.values.copy()
        if self.square:
            np.fill_diagonal(shown, np.nan)
        i, j = np.unravel_index(np.nanargmax(shown), shown.shape)
        pairs = int(np.isfinite(shown).sum()) // (2 if self.square else 1)
        one, two = self.names_a[i], self.names_b[j]
        if not self.square:
            one, two = f"{one} of {self.a}", f"{two} of {self.b}"
        both = f"{one} and {two}"
        found = f"Of {pairs:,} pairs, {both} are closest" if pairs > 1 else f"{both} are compared"
        sign = "≤" if self.p_least else "="
        return (
            f"{found} ({title(self.measure)}: {number(shown[i, j])}). "
            f"Shuffled, the largest debiased CKA of any pair stays under "
            f"{number(self.threshold)} in 95 of 100 cases (p {sign} {self.p_value:.3g} over all "
            f"pairs)."
        )

    @property
    def p_least(self) -> bool:
        """No draw came up to the largest value: the p-value may be smaller."""
        return self.p_value <= 1 / (1 + DRAWS)

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain JSON values."""
        others = {name: table for name, table in self.tables.items() if name != self.measure}
        plain: dict[str, Any] = _plain({
            "schema": SCHEMA,
            "kind": "matrix",
            "version": _version(),
            "command": self.command,
            "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "a": {"name": self.a},
            "b": {"name": self.b},
            "measure": self.measure,
            "names_a": list(self.names_a),
            "names_b": list(self.names_b),
            "values": self.values,
            "other_measures": others,
            "chance": self.chance,
            "threshold_max": self.threshold,
            "p_max": self.p_value,
            "p_least": self.p_least,
            "rows": self.rows,
            "null_rows": self.null_rows,
            "draws": DRAWS,
            "seed": self.seed,
            "exact_pairs": self.exact,
            "square": self.square,
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
    measures: Sequence[str] = MEASURES,
    seed: int = 0,
    command: str | None = None,
) -> Matrix:
    """Every pair of several representations of the same things, or layer against layer.

    Args:
        a: a list or mapping of arrays or paths, a stack (layers, n, columns), or a container of
            layers (.npz, .safetensors, a Zarr group).
        b: another such stack; None compares a with itself.
        measures: which scores; chance is that of debiased CKA, jointly over all pairs.
        seed: of the shuffles.
        command: what to show as the command that made the page.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> rows = rng.normal(size=(100, 4))
        >>> noise = rng.normal(size=(100, 3))
        >>> table = compare_many({"one": rows, "turned": rows[:, ::-1], "noise": noise})
        >>> table.values.round(1).tolist()
        [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    unknown = [name for name in measures if name not in MEASURES]
    if unknown or not measures:
        raise BadInput(f"no table of {unknown or 'nothing'}; possible are {', '.join(MEASURES)}")
    side_a = _layers(a)
    side_b = side_a if b is None else _layers(b)
    if b is None and len(side_a) < 2:
        raise BadInput("one representation given; two or more are needed to compare")
    rows = {name: source.rows for name, source in {**side_a, **side_b}.items()}
    if len(set(rows.values())) > 1:
        raise BadInput(f"rows differ: {rows}; row i of all must be the same thing")
    tables, exact = _tables(side_a, side_b, measures, square=b is None)
    null = _joint_null(side_a, side_b, seed, square=b is None)
    title_a, title_b = _titles(a, a if b is None else b)
    return Matrix(
        a=title_a,
        b=title_b,
        names_a=tuple(side_a),
        names_b=tuple(side_b),
        tables=tables,
        measure=LEADING if LEADING in measures else measures[0],
        chance=null.mean,
        threshold=null.threshold,
        p_value=null.p_value,
        rows=next(iter(rows.values())),
        null_rows=null.rows,
        seed=seed,
        exact=exact,
        square=b is None,
        command=command,
    )


def _titles(a: Any, b: Any) -> tuple[str, str]:
    """What to call two stacks: the last parts of their paths where these differ."""
    paths = [
        os.fspath(x) if isinstance(x, str | os.PathLike) else letter
        for x, letter in ((a, "a"), (b, "b"))
    ]
    brief = [short(path) for path in paths]
    one, two = brief if brief[0] != brief[1] else paths
    return one, two


def _tables(
    a: dict[str, Source], b: dict[str, Source], measures: Sequence[str], *, square: bool
) -> tuple[dict[str, Floats], int]:
    exact = 0
    tables = {name: np.full((len(a), len(b)), np.nan) for name in measures}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for i, left in enumerate(a.values()):
            for j, right in enumerate(b.values()):
                if square and j < i:
                    continue
                moments = _accumulated(left, right, Moments())
                clear: SecondOrder = moments
                if moments.ill_conditioned():
                    clear, exact = _accumulated(left, right, Factors()), exact + 1
                for name, table in tables.items():
                    table[i, j] = GRAM[name](moments) if name in GRAM else LINEAR[name](clear)
                    if square:
                        table[j, i] = table[i, j]
    return tables, exact


@dataclass(frozen=True)
class _Null:
    mean: float
    threshold: float
    p_value: float
    rows: int


def _joint_null(a: dict[str, Source], b: dict[str, Source], seed: int, *, square: bool) -> _Null:
    """The largest debiased CKA over all pairs under shuffles that all pairs share.

    On a sample, where each layer is one centred kernel: shuffling its rows and columns is all that
    a draw costs.
    """
    n = next(iter(a.values())).rows
    generator = np.random.default_rng((seed, 7))
    chosen = np.sort(generator.choice(n, min(n, NULL_ROWS), replace=False))
    left = np.stack([_kernel(source, chosen) for source in a.values()])
    right = left if square else np.stack([_kernel(source, chosen) for source in b.values()])
    apart = ~np.eye(len(left), dtype=bool) if square else np.ones((len(left), len(right)), bool)

    def table(order: NDArray[np.intp]) -> Floats:
        shuffled = right[:, order][:, :, order]
        return np.asarray(left.reshape(len(left), -1) @ shuffled.reshape(len(right), -1).T)[apart]

    top = table(np.arange(len(chosen))).max()
    draws = [table(generator.permutation(len(chosen))) for _ in range(DRAWS)]
    largest = np.array([draw.max() for draw in draws])
    return _Null(
        float(np.mean(draws)),
        float(np.quantile(largest, 0.95, method="higher")),
        float((1 + (largest >= top).sum()) / (1 + DRAWS)),
        len(chosen),
    )


def _kernel(source: Source, chosen: NDArray[np.intp]) -> Floats:
    rows = np.asarray(source.take(chosen), dtype=float)
    rows -= rows.mean(0)
    kernel = centre_kernel(rows @ rows.T, debiased=True)
    size = np.linalg.norm(kernel)
    return kernel / size if size > 0 else kernel


def _layers(x: Any) -> dict[str, Source]:
    """Named representations; a list, of paths too, is a list of them, not one in shards."""
    if not isinstance(x, list | tuple):
        found = open_layers(x)
    else:
        found = {}
        for place, item in enumerate(x):
            named = isinstance(item, str | os.PathLike | Source)
            source = open_source(item, name=None if named else f"layer {place}")
            name = source.name if source.name not in found else f"{source.name} ({len(found)})"
            found[name] = source
    if not found:
        raise BadInput("several representations are needed: a list, a mapping or a stack of them")
    return found


def _accumulated(a: Source, b: Source, state: M) -> M:
    """A state that has taken in every row of both."""
    for start in range(0, a.rows, BLOCK_ROWS):
        stop = min(start + BLOCK_ROWS, a.rows)
        rows_a, rows_b = a.read(start, stop), b.read(start, stop)
        try:
            state.update(rows_a, rows_b, first_row=start)
        except BadInput:
            refuse_nonfinite(rows_a, a.name, start)
            refuse_nonfinite(rows_b, b.name, start)
            raise
    return state
