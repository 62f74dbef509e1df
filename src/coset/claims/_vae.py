"""Variational autoencoders of fixed noise, and what is measured of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from .._core import Assumption, Floats
from .._lab import AbstractEncoder
from .._run import Measure, View
from ..encoders import Mlp, Raw
from ..metrics import ima_contrast, mcc
from ..objectives import AbstractLogVariance, ByDensity, Elbo, OfObservation
from ..objectives._normals import NormalLaw
from ..objectives._posteriors import posteriors

LOOKED_AT = 1024
"""Held-out rows at which Jacobians are taken."""
PUBLISHED_BATCH = 64
START = 2.0
"""Posteriors start with a variance of e^2 over the precision, of the order of where they end."""


class InUnits(AbstractEncoder):
    """made · f(x / given): a network of what is small as if it were not.

    Args:
        network: f.
        given: unit of what goes in.
        made: unit of what comes out.
    """

    network: Mlp
    given: float = eqx.field(static=True, default=1.0)
    made: float = eqx.field(static=True, default=1.0)

    def __call__(self, x: Float[Array, "..."]) -> Float[Array, " k"]:
        """Of one row."""
        return self.made * self.network(x / self.given)


class OfBox(eqx.Module):
    """A decoder of sigmoid(code): where codes are logistic, it sees the uniform law.

    Args:
        decoder: point of the unit box → observation.
    """

    decoder: InUnits

    def __call__(self, code: Float[Array, " k"]) -> Float[Array, " m"]:
        """The observation of one code."""
        return self.decoder(jax.nn.sigmoid(code))


def logistic_log_density(code: Float[Array, " k"]) -> Float[Array, ""]:
    """Of independent coordinates whose sigmoids are uniform: log σ(c) + log(1 - σ(c)), summed."""
    return -jnp.sum(jax.nn.softplus(code) + jax.nn.softplus(-code))


def means(
    key: PRNGKeyArray, columns: int, *, d: int, widths: tuple[int, ...], unit: float = 1.0
) -> InUnits:
    """The encoder: means of posteriors, of observations in a unit."""
    return InUnits(Mlp(key, columns, d, widths=widths), given=unit)


def vae(
    key: PRNGKeyArray,
    *,
    d: int,
    precision: float,
    widths: tuple[int, ...],
    uniform: bool,
    theory: frozenset[Assumption],
    unit: float = 1.0,
    whole: bool = False,
) -> Elbo:
    """A decoder and a network of log-variances for d latents and as many observed columns.

    Args:
        key: of the weights.
        d: latents.
        precision: 1 over the variance of the decoder, γ².
        widths: of the hidden layers of both networks.
        uniform: codes are logistic and the decoder sees their sigmoids; else codes are normal.
        theory: what the theorem asks of the world.
        unit: of observations, about their deviation: so that networks start near them.
        whole: posteriors have a whole covariance, not a variance of each coordinate.
    """
    k_decoder, k_variance = jax.random.split(key)
    decoder = InUnits(Mlp(k_decoder, d, d, widths=widths), made=unit)
    below = d * (d - 1) // 2 if whole else 0
    start = jnp.concatenate([jnp.full(d, START - jnp.log(precision)), jnp.zeros(below)])
    spread = Mlp(k_variance, d, d + below, widths=widths)
    spread = eqx.tree_at(lambda net: net.layers[-1].bias, spread, start)
    return Elbo(
        OfBox(decoder) if uniform else decoder,
        OfObservation(InUnits(spread, given=unit)),
        ByDensity(logistic_log_density) if uniform else None,
        noise=jnp.asarray(precision, float) ** -0.5,
        theory=theory,
    )


@dataclass(frozen=True)
class InBox:
    """Another measure, of sigmoids of codes; the observation itself is left as it is."""

    measure: Measure

    @property
    def name(self) -> str:
        """That of the measure."""
        return self.measure.name

    def __call__(self, view: View) -> float:
        """The score of one seed."""
        if isinstance(view.encoder, Raw):
            return self.measure(view)
        return self.measure(View(view.latent, _sigmoid(view.codes)))


@dataclass(frozen=True)
class MatchedInBatches:
    """The correlation as published: of one draw of each posterior, in batches, then averaged.

    Args:
        uniform: sigmoids of codes are compared.
    """

    uniform: bool
    name: str = "mcc_batches"

    def __call__(self, view: View) -> float:
        """The score of one seed: about 0.15 by chance, for three latents."""
        drawn = view.codes
        if view.objective is not None:
            law = _laws(view.encoder, view.objective.log_variance, view.batch.x)
            drawn = np.asarray(law.draw(jax.random.key(0)), dtype=float)
            drawn = _sigmoid(drawn) if self.uniform else drawn
        whole = len(drawn) - len(drawn) % PUBLISHED_BATCH
        batches = np.arange(whole).reshape(-1, PUBLISHED_BATCH)
        return float(np.mean([mcc(view.latent[rows], drawn[rows]).value for rows in batches]))


@dataclass(frozen=True)
class DecoderContrast:
    """Contrast of the decoder's Jacobian, averaged over codes; 0 where columns are orthogonal."""

    name: str = "contrast"

    def __call__(self, view: View) -> float:
        """The score of one seed; the raw observation has no decoder."""
        if view.objective is None:
            return float("nan")
        return ima_contrast(_slopes(view)).value


@dataclass(frozen=True)
class SelfConsistency:
    """Mean squared distance of latents drawn from the prior from the codes of what they decode to.

    The prior is that of the world's latents, whose held-out draws are used.
    """

    name: str = "self_consistency"

    def __call__(self, view: View) -> float:
        """The score of one seed."""
        if view.objective is None:
            return float("nan")
        latents = jnp.asarray(view.latent, float)
        again = _again(view.encoder, view.objective.likelihood.decoder, latents)
        return float(np.mean((np.asarray(again, dtype=float) - view.latent) ** 2))


@dataclass(frozen=True)
class VarianceGap:
    """Distance from 1 of the mean ratio of posterior variances to 1 / (1 + γ² ‖J_:k‖²)."""

    name: str = "variance_gap"

    def __call__(self, view: View) -> float:
        """The score of one seed, for a normal prior."""
        if view.objective is None:
            return float("nan")
        lengths = (_slopes(view) ** 2).sum(axis=1)
        precision = float(view.objective.likelihood.noise) ** -2
        law = _laws(view.encoder, view.objective.log_variance, view.batch.x[:LOOKED_AT])
        found = np.exp(np.asarray(law.log_variance, dtype=float))
        return float(abs(np.mean(found * (1 + precision * lengths)) - 1))


def _sigmoid(codes: Floats) -> Floats:
    found: Floats = 0.5 * (1 + np.tanh(codes / 2))
    return found


def _slopes(view: View) -> Floats:
    """Jacobians (n, m, d) of the decoder at codes."""
    codes = jnp.asarray(view.codes[:LOOKED_AT], float)
    return np.asarray(_jacobians(view.objective.likelihood.decoder, codes), dtype=float)


@eqx.filter_jit
def _jacobians(decoder: Callable[[Array], Array], codes: Array) -> Array:
    found: Array = jax.vmap(jax.jacfwd(decoder))(codes)
    return found


@eqx.filter_jit
def _laws(encoder: AbstractEncoder, log_variance: AbstractLogVariance, x: Array) -> NormalLaw:
    return posteriors(encoder, log_variance, x)


@eqx.filter_jit
def _again(encoder: Callable[[Array], Array], decoder: Callable[[Array], Array], z: Array) -> Array:
    found: Array = jax.vmap(lambda row: encoder(decoder(row)))(z)
    return found
