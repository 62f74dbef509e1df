"""What the bound of a variational autoencoder tends to where the decoder is known."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.optimize import minimize
from jaxtyping import Array, Float

from .._claim import Curve, Progress, Run, Scores
from .._core import Floats
from .._run import cell_fingerprint
from ..metrics import ima_contrast
from ..worlds import AbstractMixing, World

NODES = 5
"""Of the Gauss-Hermite rule in each latent: exact for polynomials of degree 9."""
ITERATIONS = 40
"""Of BFGS: single precision gains nothing after them."""


@dataclass(frozen=True)
class Bound:
    """The largest bound over normal posteriors of independent latents, for a known decoder f.

    Latents are normal and x = f(z). For every x the bound of N(f(z), I / γ²) is maximised over mean
    and variances by BFGS, its expectation taken by a Gauss-Hermite rule; nothing is learned, and
    nothing is shared between observations. As γ² grows it tends to
    log p(x) - Σ_k log‖J_:k‖ + log|det J| at z, where log p(x) = log p(z) - log|det J|.

    Scores at the largest γ²: `to_regularised` and `to_likelihood`, the mean distances below that
    limit and below log p(x); `contrast`, the mean of what is between the two.

    Args:
        world: seed → world of standard normal latents; its mixing is f.
        precisions: values of γ².
        rows: latents for each seed.
    """

    world: Callable[[int], World]
    precisions: tuple[float, ...] = (1e1, 1e2, 1e3, 1e4, 1e5)
    rows: int = 128

    def run(
        self,
        seeds: Sequence[int],
        *,
        folder: Path | None = None,
        progress: Progress | None = None,
    ) -> Run:
        """The record of these seeds; too short to need checkpoints."""
        began = time.perf_counter()
        bounds, likelihoods, contrasts = [], [], []
        for done, seed in enumerate(seeds):
            world = self.world(seed)
            z = world.sample(jax.random.key(seed), self.rows).latent
            densities, slopes = (np.asarray(part, float) for part in _truth(world.mixing, z))
            likelihoods.append(float(densities.mean()))
            contrasts.append(ima_contrast(slopes).value)
            bounds.append(
                [float(_largest(world.mixing, z, jnp.asarray(p)).mean()) for p in self.precisions]
            )
            if progress:
                progress(done + 1, len(seeds))
        below = [truth - values[-1] for truth, values in zip(likelihoods, bounds, strict=True)]
        return Run(
            cell=cell_fingerprint(self, seeds),
            seeds=tuple(seeds),
            scores={
                "to_regularised": Scores(
                    tuple(abs(gap - c) for gap, c in zip(below, contrasts, strict=True))
                ),
                "to_likelihood": Scores(tuple(below)),
                "contrast": Scores(tuple(contrasts)),
            },
            curves=(
                Curve("bound", "precision", self.precisions, tuple(zip(*bounds, strict=True))),
            ),
            diverged=tuple(not bool(np.isfinite(values).all()) for values in bounds),
            seconds=time.perf_counter() - began,
            notes=tuple(
                f"seed {seed}: log-likelihood {truth:.4f}, less the contrast {truth - c:.4f}, "
                f"largest bound {values[-1]:.4f}"
                for seed, truth, c, values in zip(
                    seeds, likelihoods, contrasts, bounds, strict=True
                )
            ),
        )


def nodes_of(d: int) -> tuple[Floats, Floats]:
    """Nodes (count, d) and weights (count,) of the rule for N(0, I)."""
    points, weights = np.polynomial.hermite_e.hermegauss(NODES)
    grid = np.array(list(product(points, repeat=d)))
    return grid, np.prod(list(product(weights / weights.sum(), repeat=d)), axis=1)


@eqx.filter_jit
def _truth(mixing: AbstractMixing, z: Float[Array, "n d"]) -> tuple[Array, Array]:
    """Log densities (n,) of observations, and Jacobians (n, d, d)."""
    slopes = jax.vmap(jax.jacfwd(mixing))(z)
    latent = jax.scipy.stats.norm.logpdf(z).sum(axis=1)
    return latent - jnp.linalg.slogdet(slopes)[1], slopes


@eqx.filter_jit
def _largest(
    mixing: AbstractMixing, z: Float[Array, "n d"], precision: Float[Array, ""]
) -> Float[Array, " n"]:
    """The largest bound at each x = f(z).

    The search is in units of the standard deviations 1 / √(1 + γ² ‖J_:k‖²), from mean z.
    """
    d = z.shape[1]
    nodes, weights = (jnp.asarray(part, float) for part in nodes_of(d))
    constant = 0.5 * d * (jnp.log(precision) - jnp.log(2 * jnp.pi))

    def one(latent: Array) -> Array:
        x, slope = mixing(latent), jax.jacfwd(mixing)(latent)
        unit = (1 + precision * jnp.sum(slope**2, axis=0)) ** -0.5

        def cost(change: Array) -> Array:
            mean = latent + unit * change[:d]
            deviation = unit * jnp.exp(change[d:])
            seen = jax.vmap(mixing)(mean + deviation * nodes)
            misfit = 0.5 * precision * (weights @ jnp.sum((seen - x) ** 2, axis=1))
            apart = 0.5 * jnp.sum(deviation**2 + mean**2 - 1) - jnp.sum(jnp.log(deviation))
            return misfit + apart

        found: Array = (
            constant
            - minimize(cost, jnp.zeros(2 * d), method="BFGS", options={"maxiter": ITERATIONS}).fun
        )
        return found

    return jax.vmap(one)(z)
