"""What a group is fitted on and scored on, fold by fold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from .._core import Floats
from ..metrics._second import SecondOrder
from ._pass import Summary


@dataclass(frozen=True, eq=False)
class Fold:
    """What a group is fitted on and scored on, one way."""

    train: SecondOrder
    tests: Sequence[SecondOrder]
    train_a: Floats
    train_b: Floats
    tests_a: list[Floats]
    tests_b: list[Floats]

    def swapped(self) -> Fold:
        """The other way."""
        return Fold(
            self.train.swapped(),
            [test.swapped() for test in self.tests],
            self.train_b,
            self.train_a,
            self.tests_b,
            self.tests_a,
        )


def folds_of(summary: Summary, only: int | None = None) -> Iterator[Fold]:
    """Every fold of a summary in turn, or one of them."""
    for k in range(summary.deal.folds) if only is None else [only]:
        tests = [summary.buckets[j] for j in summary.deal.fold(k)]
        yield Fold(summary.train(k), tests, *split_rows(summary, k))


def split_rows(
    summary: Summary, fold: int, *, copies: bool = False
) -> tuple[Floats, Floats, list[Floats], list[Floats]]:
    """The sampled rows of a and b that a fold fits, and bucket by bucket those that it scores."""
    bucket, here = summary.deal.bucket_of(summary.sampled), summary.deal.fold(fold)
    kept = summary.once | copies
    fitted = kept & ~np.isin(bucket, here)
    scored = [kept & (bucket == j) for j in here]
    return (
        summary.a[fitted],
        summary.b[fitted],
        [summary.a[rows] for rows in scored],
        [summary.b[rows] for rows in scored],
    )
