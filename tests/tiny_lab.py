"""A world, an encoder and an objective that train in a second: what tests of the loop share."""

from __future__ import annotations

from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coset._lab import AbstractWorld, stacked
from coset._recipe import Recipe
from coset._run import Trial
from coset.claims._measures import LinearR2, Matched, linear_r2
from coset.encoders import Mlp, OnSphere
from coset.objectives import Dot, InfoNCE
from coset.worlds import sphere

D = 3
SMALL = Recipe(batch=32, steps=200, rate=0.02)
HERE = Path(__file__).parent


def world(seed, *, kappa=10.0):
    return sphere(seed, d=D, kappa=kappa)


def encoder(key, columns, *, widths=(16,)):
    return Mlp(key, columns, D, widths=widths, head=OnSphere())


def objective(key, *, temperature=0.1, theory=None):
    return InfoNCE(Dot(), temperature, learned_temperature=True, theory=theory)


def parts(seeds=(0,), *, kappa=10.0, temperature=0.1, shift=0):
    """Worlds, encoders, objectives and keys of these seeds."""
    keys = [jax.random.key(seed + shift) for seed in seeds]
    return (
        stacked([world(seed + shift, kappa=kappa) for seed in seeds]),
        stacked([encoder(key, D) for key in keys]),
        stacked([objective(key, temperature=temperature) for key in keys]),
        jnp.stack([jax.random.fold_in(key, 1) for key in keys]),
    )


def r2_of_all(latents, found):
    """Held-out R² of every seed."""
    return [
        linear_r2(c, z) if np.isfinite(c).all() else float("nan")
        for z, c in zip(latents, found, strict=True)
    ]


def weights(fitted):
    """All arrays that were trained."""
    learned = eqx.filter((fitted.encoder, fitted.objective), eqx.is_array)
    return [np.asarray(leaf) for leaf in jax.tree.leaves(learned)]


def told(fitted):
    """The curve without its seconds."""
    return [(point.step, point.objective, point.score) for point in fitted.curve]


class Unseen(AbstractWorld):
    """Another world whose latents are withheld."""

    inner: AbstractWorld

    def sample(self, key, n):
        drawn = self.inner.sample(key, n)
        return eqx.tree_at(
            lambda d: (d.latent, d.positive), drawn, replace_fn=lambda z: z * jnp.nan
        )

    @property
    def satisfies(self):
        return self.inner.satisfies


def trial(**options):
    chosen = {
        "world": world,
        "encoder": encoder,
        "objective": objective,
        "recipe": SMALL,
        "measures": (LinearR2(), Matched()),
    }
    return Trial(**{**chosen, **options})
