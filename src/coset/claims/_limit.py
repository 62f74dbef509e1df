"""What the contrastive objective tends to as its negatives grow in number."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, PRNGKeyArray

from .._claim import Curve, Progress, Run, Scores
from .._lab import AbstractEncoder, AbstractWorld, Batch, encode
from .._run import cell_fingerprint
from ..objectives import Dot, InfoNCE

ANCHORS = 256
REPEATS = 16
INTEGRATED = 2**18
"""Uniform latents over which a partition function is averaged."""
PIECE = 2**12


@dataclass(frozen=True)
class Limit:
    """The objective less log M plus log |Z|, against the cross-entropy of the latent laws.

    For an encoder h of latents on a space Z of known volume, the cross-entropy is
    E[-h(z̃)·h(z)/τ + log ∫ exp(h(z')·h(z)/τ) dz'], its integral averaged over uniform latents.

    Scores: `gap`, the distance at the largest M of the mean over anchors, and `rate`, how far from
    -1/2 the slope is of log deviation in log M; the deviation is the root mean square over anchors
    and draws of negatives.

    Args:
        world: seed → world, without a mixing: h is applied to latents.
        encoder: (key, columns) → h.
        uniform: (key, n) → latents uniform on Z.
        log_volume: log |Z|.
        temperature: τ.
        negatives: the numbers M.
    """

    world: Callable[[int], AbstractWorld]
    encoder: Callable[[PRNGKeyArray, int], AbstractEncoder]
    uniform: Callable[[PRNGKeyArray, int], Array]
    log_volume: float
    temperature: float
    negatives: tuple[int, ...] = (64, 256, 1024, 4096, 16384)

    def run(
        self,
        seeds: Sequence[int],
        *,
        folder: Path | None = None,
        progress: Progress | None = None,
    ) -> Run:
        """The record of these seeds; too short to need checkpoints."""
        began = time.perf_counter()
        gaps, spreads = [], []
        for done, seed in enumerate(seeds):
            deviations = self._deviations(seed)
            gaps.append([abs(float(values.mean())) for values in deviations])
            spreads.append([float(np.sqrt((values**2).mean())) for values in deviations])
            if progress:
                progress(done + 1, len(seeds))
        at = tuple(float(m) for m in self.negatives)
        rates = [float(np.polyfit(np.log(at), np.log(spread), 1)[0]) for spread in spreads]
        return Run(
            cell=cell_fingerprint(self, seeds),
            seeds=tuple(seeds),
            scores={
                "gap": Scores(tuple(gap[-1] for gap in gaps)),
                "rate": Scores(tuple(abs(rate + 0.5) for rate in rates)),
            },
            curves=(
                Curve("gap", "negatives", at, tuple(zip(*gaps, strict=True))),
                Curve("deviation", "negatives", at, tuple(zip(*spreads, strict=True))),
            ),
            diverged=(False,) * len(seeds),
            seconds=time.perf_counter() - began,
            notes=tuple(
                f"seed {s}: slope {rate:.3f}" for s, rate in zip(seeds, rates, strict=True)
            ),
        )

    def _deviations(self, seed: int) -> list[np.ndarray]:
        """Objective less its limit of each anchor (repeats, anchors), for every M."""
        k_encoder, k_anchor, k_uniform, k_negative = jax.random.split(jax.random.key(seed), 4)
        world = self.world(seed)
        drawn = world.sample(k_anchor, ANCHORS)
        assert drawn.positive is not None
        encoder = self.encoder(k_encoder, drawn.latent.shape[1])
        limit = self._cross_entropy(encoder, drawn.latent, drawn.positive, k_uniform)
        objective = InfoNCE(Dot(), self.temperature, negatives="fresh")
        found = []
        for m in self.negatives:
            keys = jax.random.split(jax.random.fold_in(k_negative, m), REPEATS)
            values = _values(objective, encoder, world, drawn.latent, drawn.positive, keys, m)
            found.append(np.asarray(values - np.log(m) + self.log_volume - limit, float))
        return found

    def _cross_entropy(
        self, encoder: AbstractEncoder, z: Array, positive: Array, key: PRNGKeyArray
    ) -> Array:
        """Of each anchor."""
        anchors, others = encode(encoder, z), encode(encoder, positive)
        alike = jnp.sum(anchors * others, 1) / self.temperature
        logs = [
            jax.nn.logsumexp(
                anchors @ encode(encoder, self.uniform(part, PIECE)).T / self.temperature, axis=1
            )
            for part in jax.random.split(key, INTEGRATED // PIECE)
        ]
        partition = jax.nn.logsumexp(jnp.stack(logs), axis=0) - np.log(INTEGRATED)
        return partition - alike + self.log_volume


@eqx.filter_jit
def _values(
    objective: InfoNCE,
    encoder: AbstractEncoder,
    world: AbstractWorld,
    z: Array,
    positive: Array,
    keys: PRNGKeyArray,
    m: int,
) -> Array:
    """The objective of each anchor with `m` negatives, which are drawn anew for every key."""

    def all_anchors(key: PRNGKeyArray) -> Array:
        negative = world.sample(key, m).latent

        def one_anchor(z: Array, positive: Array) -> Array:
            batch = Batch(x=z[None], positive=positive[None], negative=negative)
            return objective(encoder, batch, key=key)

        return jax.vmap(one_anchor)(z, positive)

    return jax.lax.map(all_anchors, keys)
