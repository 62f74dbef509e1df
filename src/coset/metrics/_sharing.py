"""Rows that share the value of a latent: a generator's fixed latent, found among given rows."""

from __future__ import annotations

import numpy as np

from .._core import BadInput, Floats
from ._checks import whole_number
from ._latents import Flags, Labels, Rows, latent_classes


class Sharing:
    """Which of some rows share the class of a latent; a class of one row is left out."""

    def __init__(self, labels: Labels, among: Rows | None = None) -> None:
        among = np.arange(len(labels)) if among is None else among
        own = labels[among]
        by_class = np.argsort(own, kind="stable")
        sizes = np.bincount(own, minlength=labels.max() + 1)
        self.order = among[by_class]
        self.size = sizes[labels]
        self.start = (np.cumsum(sizes) - sizes)[labels]
        self.place = np.zeros(len(labels), dtype=np.int64)
        self.place[self.order] = np.arange(len(among))
        self.rows = among[self.size[among] > 1]

    def pairs(self, count: int, rng: np.random.Generator) -> tuple[Rows, Rows]:
        """Random rows, and for each another row of the same class."""
        first = rng.choice(self.rows, count)
        step = rng.integers(1, self.size[first])
        within = (self.place[first] - self.start[first] + step) % self.size[first]
        return first, self.order[self.start[first] + within]

    def batch(self, count: int, rng: np.random.Generator) -> Rows:
        """Rows of one class, drawn with replacement; a class is drawn as often as it has rows."""
        anchor = rng.choice(self.rows)
        return np.asarray(
            self.order[self.start[anchor] + rng.integers(0, self.size[anchor], count)]
        )


def halves(
    latents: Floats, flags: Flags, bins: int, rng: np.random.Generator
) -> tuple[list[Sharing], list[Sharing]]:
    """Who shares what in either of two random halves of the rows, latent by latent.

    What is fitted on one half and scored on the other has no row to recognise. A class is a value,
    or a quantile bin (of all rows) where the latent is continuous.
    """
    order = rng.permutation(len(latents))
    first, second = (np.sort(half) for half in np.array_split(order, 2))
    found: tuple[list[Sharing], list[Sharing]] = ([], [])
    for j, latent in enumerate(latents.T):
        labels = latent_classes(latent, discrete=bool(flags[j]), bins=bins)
        for side, half in zip(found, (first, second), strict=True):
            side.append(Sharing(labels, half))
            if not side[-1].rows.size:
                raise BadInput(
                    f"no two rows share a value of latent {j} in a half of {len(half)} rows, and "
                    f"batches to fit and to score on come from separate halves: give more rows, or "
                    f"say discrete=False, so that it is cut into bins"
                )
    return found


def refuse_few(batches: int, size: int, d: int) -> None:
    """Every latent needs a batch, and a batch a row."""
    whole_number(batches, "batches", d)
    whole_number(size, "size", 1)
