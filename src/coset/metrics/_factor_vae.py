"""The score of the FactorVAE paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._core import Floats, Score
from ._checks import generator
from ._latents import Discrete, Flags, Labels, latents_and_codes, standardised
from ._sharing import Sharing, halves, refuse_few


@dataclass(frozen=True, eq=False, repr=False)
class FactorVae(Score):
    """Accuracy on fresh batches, what guessing gives, votes (codes, latents), live codes."""

    chance: float
    votes: Labels
    active: Flags


def factor_vae(
    z: Any,
    c: Any,
    *,
    discrete: Discrete = "auto",
    bins: int = 20,
    batches: int = 1000,
    size: int = 64,
    seed: int = 0,
) -> FactorVae:
    """FactorVAE score: does the code that varies least tell which latent was held fixed?

    A batch draws a latent j and `size` rows that share one value of z_j, and votes for the code of
    the smallest variance relative to its variance over all rows. Each code stands for the latent
    that it gets most votes for; the score is the accuracy of that rule on as many fresh batches.
    Chance is 1/d. Codes of no variance take no part; if no code has any, the score is 0.

    There is no generator to hold a latent fixed: batches are found among the given rows. Rows share
    the value of a discrete latent or the quantile bin of a continuous one, and the other latents
    vary as they do in the data, so they should be independent of one another. The batches to vote
    on come from one random half of the rows and the fresh ones from the other; from the same rows,
    codes of noise would score above chance, as their rows would be known again. They score chance
    on average, with a deviation over draws of 0.10 at 50 rows and 0.04 at 1000 (d = 3).

    Args:
        z: Latents (n, d), d at least 2.
        c: Codes (n, k).
        discrete: Which latents are classes; "auto" takes integers of few distinct values.
        bins: Bins of a continuous latent, of at least ten rows.
        batches: Batches to vote on, and to score on; at least d.
        size: Rows in a batch, drawn with replacement.
        seed: Draws the halves and the batches.

    Example:
        >>> import numpy as np
        >>> z = np.random.default_rng(0).integers(0, 4, size=(500, 3))
        >>> float(factor_vae(z, z, batches=200))
        1.0

    References:
        kim2018disentangling
    """
    rng = generator(seed)
    latents, codes, flags = latents_and_codes(z, c, discrete, at_least=2)
    d = latents.shape[1]
    refuse_few(batches, size, d)
    active: Flags = np.ptp(codes, axis=0) > 0
    votes = np.zeros((codes.shape[1], d), dtype=np.int64)
    if not active.any():
        return FactorVae(0.0, 1.0 / d, votes, active)
    voting, held_out = halves(latents, flags, bins, rng)
    x = standardised(codes[:, active])
    votes[active] = _votes(x, voting, batches, size, rng)
    fresh = np.zeros_like(votes)
    fresh[active] = _votes(x, held_out, batches, size, rng)
    right = fresh[np.arange(len(votes)), votes.argmax(axis=1)].sum()
    return FactorVae(float(right / batches), 1.0 / d, votes, active)


def _votes(
    codes: Floats, sharing: list[Sharing], batches: int, size: int, rng: np.random.Generator
) -> Labels:
    votes = np.zeros((codes.shape[1], len(sharing)), dtype=np.int64)
    # every latent equally often, so that guessing is 1/d exactly
    for j in rng.permutation(np.arange(batches) % len(sharing)):
        rows = sharing[j].batch(size, rng)
        votes[codes[rows].var(axis=0).argmin(), j] += 1
    return votes
