"""Networks of variational autoencoders, and codes drawn from their posteriors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Array, PRNGKeyArray

from .._lab import AbstractEncoder, Batch
from .._recipe import Recipe
from .._run import View
from ..encoders import Mlp
from ..metrics import mcc
from ..objectives import AbstractLogVariance, OfBoth, OfObservation
from ..objectives._posteriors import posteriors

NOISE = 0.3
"""Where the decoder's starts: it is learned, and as it falls what was coarse becomes fine."""


def networks(
    key: PRNGKeyArray,
    *,
    d: int,
    widths: tuple[int, ...],
    labels: int = 0,
    whole: bool = True,
) -> tuple[Mlp, AbstractLogVariance]:
    """A decoder to as many columns as latents, and the spread of posteriors.

    Args:
        key: of the weights.
        d: latents.
        widths: of the hidden layers of both.
        labels: how many the spread sees; none where it is 0.
        whole: posteriors have a whole covariance; otherwise one variance of each coordinate.
    """
    k_decoder, k_spread = jax.random.split(key)
    spread = Mlp(k_spread, d + labels, d * (d + 1) // 2 if whole else d, widths=widths)
    return (
        Mlp(k_decoder, d, d, widths=widths),
        OfBoth(spread, labels) if labels else OfObservation(spread),
    )


def adam(steps: int, *, batch: int = 256, rate: float = 0.02) -> Recipe:
    """Encoder and decoder move in step: one rule for both, which Muon is not."""
    return Recipe(batch=batch, steps=steps, kind="adam", rate=rate)


@dataclass(frozen=True)
class MatchedDraw:
    """The correlation as published: of one draw of each posterior."""

    name: str = "mcc_draw"

    def __call__(self, view: View) -> float:
        """The score of one seed; of the observation itself where there is no posterior."""
        if view.objective is None:
            return mcc(view.latent, view.codes).value
        objective = getattr(view.objective, "elbo", view.objective)
        return mcc(
            view.latent, np.asarray(_drawn(view.encoder, objective, view.batch), float)
        ).value


@eqx.filter_jit
def _drawn(encoder: AbstractEncoder, objective: Any, batch: Batch) -> Array:
    label = batch.auxiliary if objective.log_variance.labelled else None
    law = posteriors(encoder, objective.log_variance, batch.x, label)
    return law.draw(jax.random.key(0))
