"""Linear variational autoencoders, whose bound needs no sampling, against probabilistic PCA."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, PRNGKeyArray

from .._claim import Curve, Progress, Run, Scores
from .._core import Floats
from .._run import cell_fingerprint
from ..metrics import mcc
from ..solvers import LinearGaussian
from ..solvers._ppca import ppca_of

Posterior = Literal["diagonal", "full", "unit"]
POINTS = 20
ACTIVE = 0.01
"""Nats of information per row: a latent with less has collapsed."""


class LinearVae(eqx.Module):
    """p(x|z) = N(W z + μ, σ² I), q(z|x) = N(V (x - μ), D); μ is the mean of the rows.

    References:
        lucas2019
    """

    w: Float[Array, "p k"]
    v: Float[Array, "k p"]
    root: Float[Array, "k k"]
    """Below the diagonal and, as logarithms, on it: the factor of D."""
    log_noise: Float[Array, ""]
    posterior: Posterior = eqx.field(static=True)

    def logarithms(self) -> Float[Array, " k"]:
        """Of the diagonal of the factor of D."""
        return jnp.diagonal(self.root) * (self.posterior != "unit")

    def spread(self) -> Float[Array, "k k"]:
        """A factor of D: that of a diagonal matrix, of any, or of the identity."""
        below = jnp.tril(self.root, -1) * (self.posterior == "full")
        return jnp.diag(jnp.exp(self.logarithms())) + below

    def bound(self, second: Float[Array, "p p"]) -> Float[Array, ""]:
        """The mean over rows of the evidence lower bound, from their covariance alone."""
        k, p = self.v.shape
        factor = self.spread()
        means = self.v @ second @ self.v.T
        divergence = (
            jnp.trace(means) + jnp.sum(factor**2) - k - 2 * jnp.sum(self.logarithms())
        ) / 2
        error = (
            jnp.sum((self.w @ factor) ** 2)
            + jnp.trace(self.w @ means @ self.w.T)
            - 2 * jnp.trace(self.w @ self.v @ second)
            + jnp.trace(second)
        )
        likelihood = -error / jnp.exp(self.log_noise) - p * (self.log_noise + jnp.log(2 * jnp.pi))
        return likelihood / 2 - divergence


def initial(key: PRNGKeyArray, p: int, k: int, *, noise: float, posterior: Posterior) -> LinearVae:
    """Small random maps."""
    k_w, k_v = jax.random.split(key)
    w = jax.random.normal(k_w, (p, k)) / p
    v = jax.random.normal(k_v, (k, p)) / p
    return LinearVae(w, v, jnp.zeros((k, k)), jnp.log(jnp.asarray(noise)), posterior)


@dataclass(frozen=True)
class AgainstPca:
    """Maximise the bound on scikit-learn's digits, all rows at every step; compare with PPCA.

    Scores: `likelihood_gap`, the log-likelihood of PPCA less that of the decoder, in nats per row;
    `bound_gap`, that of PPCA less the bound; `mcc_pearson`, of means of codes with posterior means
    of PPCA, whose coordinates are the principal axes; `active`, the number of latents that tell at
    least 0.01 nats, as a distance from the number that PPCA keeps.

    Args:
        k: number of latents.
        steps: of Adam with a cosine schedule.
        rate: at the first step.
        posterior: its covariance is diagonal, any ("full"), or that of the prior ("unit").
        kept: fix σ² between the eigenvalues of this number and the next; σ² is learned where None.
    """

    k: int
    steps: int
    rate: float = 0.01
    posterior: Posterior = "diagonal"
    kept: int | None = None

    def run(
        self,
        seeds: Sequence[int],
        *,
        folder: Path | None = None,
        progress: Progress | None = None,
    ) -> Run:
        """The record of these seeds; too short to need checkpoints."""
        began = time.perf_counter()
        rows = digits()
        second = rows.T @ rows / len(rows)
        goal, noise = self._goal(second)
        keys = jnp.stack([jax.random.key(seed) for seed in seeds])
        start = eqx.filter_vmap(
            partial(initial, p=len(second), k=self.k, noise=noise, posterior=self.posterior)
        )(keys)
        fixed = self.kept is not None
        ended, values = _maximise(start, jnp.asarray(second), self.steps, self.rate, fixed=fixed)
        found = [
            {name: _scores(_at(part, i), rows, second, goal) for name, part in
             (("trained", ended), ("untrained", start))}
            for i in range(len(seeds))
        ]  # fmt: skip
        if progress:
            progress(len(seeds), len(seeds))
        names = tuple(found[0]["trained"])
        at = np.unique(np.geomspace(1, self.steps, POINTS).astype(int))
        gaps = goal.log_likelihood_of(second) - np.asarray(values, dtype=float)[:, at - 1]
        return Run(
            cell=cell_fingerprint(self, seeds),
            seeds=tuple(seeds),
            scores={
                name: Scores(
                    trained=tuple(one["trained"][name] for one in found),
                    untrained=tuple(one["untrained"][name] for one in found),
                )
                for name in names
            },
            curves=(
                Curve(
                    "bound_gap", "steps", tuple(map(float, at)), tuple(map(tuple, gaps.T.tolist()))
                ),
            ),
            diverged=tuple((~np.isfinite(np.asarray(values)).all(1)).tolist()),
            seconds=time.perf_counter() - began,
        )

    def _goal(self, second: Floats) -> tuple[LinearGaussian, float]:
        """What PPCA finds, and the variance of the noise to begin with."""
        if self.kept is None:
            return ppca_of(second, self.k), 1.0
        values = np.linalg.eigvalsh(second)[::-1]
        noise = float(np.sqrt(values[self.kept - 1] * values[self.kept]))
        best = ppca_of(second, self.kept)
        weights = np.sqrt(values[: self.kept] - noise) / np.linalg.norm(best.loadings, axis=0)
        return LinearGaussian(
            best.loadings * weights, np.full(len(second), noise), best.mean
        ), noise


def digits() -> Floats:
    """The 1,797 handwritten digits of scikit-learn, centred, pixels from 0 to 1 (1797, 64)."""
    from sklearn.datasets import load_digits

    rows: Floats = load_digits().data / 16
    return rows - rows.mean(axis=0)


@eqx.filter_jit
def _maximise(
    start: LinearVae, second: Float[Array, "p p"], steps: int, rate: float, *, fixed: bool
) -> tuple[LinearVae, Float[Array, "seeds steps"]]:
    optimiser = optax.adam(optax.cosine_decay_schedule(rate, steps))

    def one_seed(model: LinearVae) -> tuple[LinearVae, Array]:
        def loss(model: LinearVae) -> Array:
            log_noise = jax.lax.stop_gradient(model.log_noise) if fixed else model.log_noise
            return -eqx.tree_at(lambda m: m.log_noise, model, log_noise).bound(second)

        def step(carry: tuple, _: None) -> tuple[tuple, Array]:
            model, state = carry
            value, slope = eqx.filter_value_and_grad(loss)(model)
            change, state = optimiser.update(slope, state)
            return (eqx.apply_updates(model, change), state), -value

        state = optimiser.init(eqx.filter(model, eqx.is_array))
        (model, _), values = jax.lax.scan(step, (model, state), None, length=steps)
        return model, values

    found: tuple[LinearVae, Array] = eqx.filter_vmap(one_seed)(start)
    return found


def _at(models: LinearVae, index: int) -> LinearVae:
    one: LinearVae = jax.tree.map(lambda x: np.asarray(x[index], dtype=float), models)
    return one


def _scores(
    model: LinearVae, rows: Floats, second: Floats, goal: LinearGaussian
) -> dict[str, float]:
    best = goal.log_likelihood_of(second)
    noise = float(np.exp(model.log_noise))
    decoder = LinearGaussian(np.asarray(model.w), np.full(len(second), noise), goal.mean)
    codes = rows @ np.asarray(model.v).T
    active = int((_information(model, second) > ACTIVE).sum())
    return {
        "likelihood_gap": best - decoder.log_likelihood_of(second),
        "bound_gap": best - float(model.bound(jnp.asarray(second))),
        "mcc_pearson": float(mcc(goal.posterior_mean(rows), codes)),
        "active": float(abs(active - goal.loadings.shape[1])),
    }


def _information(model: LinearVae, second: Floats) -> Floats:
    """Mean divergence of each latent's posterior from its prior."""
    power = np.einsum("kp,pq,kq->k", model.v, second, model.v)
    variance = (np.asarray(model.spread()) ** 2).sum(1)
    return (power + variance - 1 - np.log(variance)) / 2
