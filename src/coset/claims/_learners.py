"""Learners of the controls of a linear system: likelihoods, and the published objective."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, PRNGKeyArray
from scipy.stats import ortho_group

from .._core import Floats
from ..solvers import IdentifiedSystem, fit_known_laws, identify_noisy_system, identify_system
from ._systems import Learned, Seen, pair

BATCH, RATE, CLIP = 64, 3e-3, 0.5
"""The published recipe."""


@dataclass(frozen=True, eq=False)
class Linear:
    """u = map · (y_t, y_{t+1})."""

    map: Floats
    system: IdentifiedSystem | None = None

    @classmethod
    def of(cls, system: IdentifiedSystem) -> Linear:
        """What an identified system says of its controls."""
        one = np.eye(len(system.transition))
        return cls(system.unmixing @ np.hstack([-system.transition, one]), system)

    def controls(self, trajectories: Floats) -> Floats:
        """(environments, steps, k)."""
        return pair(trajectories) @ self.map.T


def likelihood(
    seen: Sequence[Seen], seeds: Sequence[int], *, controls: int | None = None
) -> list[Learned]:
    """The system of most likelihood; laws of controls are free."""
    return [Linear.of(identify_system(*successive(one), controls=controls)) for one in seen]


def noisy_likelihood(seen: Sequence[Seen], seeds: Sequence[int]) -> list[Learned]:
    """The same where observations have noise, of one variance in all columns."""
    return [identify_noisy_system(one.observations, common=True) for one in seen]


def known_laws(
    seen: Sequence[Seen], seeds: Sequence[int], *, log_det: bool = True
) -> list[Learned]:
    """The best map given means and variances: of the likelihood, or of what is published."""
    return [
        Linear(fit_known_laws(*successive(one), one.means, one.variances, log_det=log_det).map)
        for one in seen
    ]


def published(seen: Sequence[Seen], seeds: Sequence[int], *, steps: int) -> list[Learned]:
    """Gradient steps on the published objective, as published.

    Pairs do not overlap, the map starts orthogonal, batches have 64 rows, the rate is 0.003, and
    gradients are cut to norm 0.5.
    """
    d = seen[0].observations.shape[2]
    halves = [one.observations[:, :-1] for one in seen]
    z = jnp.stack([
        pair(rows)[:, ::2].reshape(-1, 2 * d).astype(np.float32) for rows in halves
    ])  # fmt: skip
    environments, count = len(seen[0].means), pair(halves[0])[:, ::2].shape[1]
    at = jnp.repeat(jnp.arange(environments), count)
    starts = [ortho_group.rvs(2 * d, random_state=np.random.default_rng([s, 3]))[:d] for s in seeds]
    found = _descend(
        jnp.asarray(np.stack(starts), jnp.float32), z, at,
        jnp.asarray(np.stack([one.means for one in seen]), jnp.float32),
        jnp.asarray(np.stack([one.variances for one in seen]), jnp.float32),
        jnp.stack([jax.random.key(seed) for seed in seeds]), steps,
    )  # fmt: skip
    return [Linear(map_) for map_ in np.asarray(found, dtype=float)]


def successive(seen: Seen) -> tuple[Floats, Floats, np.ndarray]:
    """y_t, y_{t+1} and the environment of each row."""
    y, d = seen.observations, seen.observations.shape[2]
    labels = np.repeat(np.arange(len(y)), y.shape[1] - 1)
    return y[:, :-1].reshape(-1, d), y[:, 1:].reshape(-1, d), labels


@eqx.filter_jit
@partial(jax.vmap, in_axes=(0, 0, None, 0, 0, 0, None))
def _descend(
    start: Array, z: Array, at: Array, means: Array, variances: Array, key: PRNGKeyArray, steps: int
) -> Array:
    """The map of one seed."""

    def objective(map_: Array, rows: Array) -> Array:
        e = at[rows]
        return jnp.mean(jnp.sum((z[rows] @ map_.T - means[e]) ** 2 / variances[e], 1)) / 2

    def step(map_: Array, number: Array) -> tuple[Array, None]:
        rows = jax.random.randint(jax.random.fold_in(key, number), (BATCH,), 0, len(at))
        slope = jax.grad(objective)(map_, rows)
        return map_ - RATE * slope * jnp.minimum(1.0, CLIP / (jnp.linalg.norm(slope) + 1e-6)), None

    return jax.lax.scan(step, start, jnp.arange(steps))[0]
