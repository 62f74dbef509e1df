"""Rows that share the value of a latent: a generator's fixed latent, found among given rows."""

from __future__ import annotations

import numpy as np

from .._core import BadInput, Floats
from ._latents import Flags, Labels, Rows, latent_classes


class Sharing:
    """Which rows share the class of a latent; a class of one row is left out."""

    def __init__(self, labels: Labels) -> None:
        self.order = np.argsort(labels, kind="stable")
        sizes = np.bincount(labels)
        self.size = sizes[labels]
        self.start = (np.cumsum(sizes) - sizes)[labels]
        self.place = np.empty(len(labels), dtype=np.int64)
        self.place[self.order] = np.arange(len(labels))
        self.rows = np.flatnonzero(self.size > 1)

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


def sharing_of(latents: Floats, flags: Flags, bins: int) -> list[Sharing]:
    """One for every latent: its values, or quantile bins where it is continuous."""
    found = []
    for j, latent in enumerate(latents.T):
        sharing = Sharing(latent_classes(latent, discrete=bool(flags[j]), bins=bins))
        if not sharing.rows.size:
            raise BadInput(
                f"no two rows share a value of latent {j}; say discrete=False for it, so that it "
                f"is cut into bins"
            )
        found.append(sharing)
    return found
