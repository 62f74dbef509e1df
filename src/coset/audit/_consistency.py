"""Do several fits agree? Held out, two-way, every pair of them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.stats import t as student

from .._core import BadInput, Floats
from ..groups import RowGroup
from ..groups import group as group_of
from ._compare import SAMPLE, compare
from ._words import number


@dataclass(frozen=True, eq=False, repr=False)
class Consistency:
    """How well a map of one group carries the codes of each fit to those of each other one."""

    names: tuple[str, ...]
    group: str
    matrix: Floats
    """(fits, fits): held-out R² of codes of the column's fit from those of the row's; 1 on the
    diagonal."""
    mean: float
    """Over pairs, of the lesser of both directions."""
    low: float
    high: float
    chance: float
    """The same where rows are shuffled."""
    rows: int
    level: float = field(default=0.95)

    def __float__(self) -> float:
        return self.mean

    def __repr__(self) -> str:
        width = max(8, *map(len, self.names)) + 2
        head = "".rjust(width) + "".join(name.rjust(width) for name in self.names)
        lines = [
            name.rjust(width) + "".join(f"{value:{width}.3f}" for value in row)
            for name, row in zip(self.names, self.matrix, strict=True)
        ]
        return "\n".join([self.sentence, head, *lines])

    @property
    def sentence(self) -> str:
        """The mean in words."""
        return (
            f"{len(self.names)} fits agree up to {self.group}: mean held-out two-way R² "
            f"{number(self.mean)} [{number(self.low)}, {number(self.high)}] where chance gives "
            f"{number(self.chance)}"
        )


def consistency(
    models: Any,
    X: Any = None,
    *,
    group: str = "affine",
    folds: int = 5,
    seed: int = 0,
    level: float = 0.95,
) -> Consistency:
    """How far several fits (seeds, subjects, versions) agree, up to a class of maps.

    Every pair is compared: a map of the group is fitted on some rows and scored on the others, both
    ways. The interval of the mean leaves out one fit at a time; of two fits it is that of their
    score over rows.

    Args:
        models: a list or mapping of fitted estimators, or of their codes (n, k).
        X: what the estimators are to encode; a list where each has rows of its own, row i of all
            being the same thing. None where codes are given.
        group: a group of the ladder.
        folds: of cross-validation.
        seed: of folds and shuffles.
        level: of the interval.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> codes = rng.normal(size=(400, 3))
        >>> found = consistency([codes, codes @ rng.normal(size=(3, 3)), codes * 2 + 1])
        >>> round(found.mean, 3), found.matrix.shape
        (1.0, (3, 3))
    """
    known = group_of(group)
    codes = _codes(models, X)
    sample = SAMPLE if isinstance(known, RowGroup) else 0
    names = tuple(codes)
    matrix, chances = np.eye(len(names)), []
    rung = None
    for i, j in itertools.combinations(range(len(names)), 2):
        found = compare(
            codes[names[i]], codes[names[j]], folds=folds, seed=seed, level=level, sample=sample
        )
        if group not in found.groups:
            raise BadInput(f"{group} needs more rows than {found.settings['rows_a']}: give more")
        rung = found.groups[group]
        matrix[i, j], matrix[j, i] = rung.r2_ab, rung.r2_ba
        chances.append(rung.chance)
    assert rung is not None
    low, high = (rung.low, rung.high) if len(names) == 2 else _interval(matrix, level)
    return Consistency(
        names=names,
        group=group,
        matrix=matrix,
        mean=_mean(matrix),
        low=low,
        high=min(high, 1.0),
        chance=float(np.mean(chances)),
        rows=rung.rows,
        level=level,
    )


def _codes(models: Any, x: Any) -> dict[str, Any]:
    if not isinstance(models, Mapping):
        stack = isinstance(models, np.ndarray) and models.ndim == 3
        if not stack and not isinstance(models, list | tuple):
            raise BadInput(
                f"a {type(models).__name__} was given; a list or mapping of models or codes is "
                f"needed"
            )
        models = {f"fit {place}": model for place, model in enumerate(models)}
    if len(models) < 2:
        raise BadInput(f"{len(models)} fit given; two or more are needed to agree")
    able = {name: hasattr(model, "transform") for name, model in models.items()}
    if not any(able.values()):
        if x is not None:
            raise BadInput("codes were given and X as well; leave X out, or give models")
        return dict(models)
    if not all(able.values()):
        raise BadInput("models and codes were mixed; give models alone, or codes alone")
    if x is None:
        raise BadInput("models were given without X; give the rows that all are to encode")
    each = x if isinstance(x, list | tuple) else [x] * len(models)
    if len(each) != len(models):
        raise BadInput(f"{len(models)} models and {len(each)} arrays X; give one for all, or each")
    return {
        name: model.transform(rows)
        for (name, model), rows in zip(models.items(), each, strict=True)
    }


def _mean(matrix: Floats) -> float:
    """Of the lesser direction, over pairs."""
    return float(np.minimum(matrix, matrix.T)[np.triu_indices(len(matrix), 1)].mean())


def _interval(matrix: Floats, level: float) -> tuple[float, float]:
    """Delete-a-fit jackknife of the mean."""
    count = len(matrix)
    without = [
        _mean(np.delete(np.delete(matrix, fit, axis=0), fit, axis=1)) for fit in range(count)
    ]
    error = np.sqrt((count - 1) / count * ((np.array(without) - np.mean(without)) ** 2).sum())
    reach = float(student.ppf((1 + level) / 2, count - 1) * error)
    return _mean(matrix) - reach, _mean(matrix) + reach
