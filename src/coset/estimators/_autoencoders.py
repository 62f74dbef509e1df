"""Autoencoders whose prior says what the data say: labels, slow changes, few changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, PRNGKeyArray
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .. import objectives
from .._arrays import as_rows
from .._core import BadInput, Floats
from .._lab import AbstractEncoder, AbstractObjective
from ..encoders import Mlp
from ._rows import Given, Rows, labelled, paired
from ._trained import AbstractTrained, Shape

NOISE = 0.3
"""Where a learned standard deviation of the decoder starts, of scaled columns."""


@dataclass(eq=False, repr=False, kw_only=True)
class IVae(AbstractTrained):
    """An autoencoder whose prior of codes depends on a label.

    It needs a label, a segment or an environment for each row, as `u` or `y`. Where latents are
    independent given the label, and labels change their variances in ways that are different enough
    (twice as many labels as latents, and one), codes are the latents up to permutation and a map
    of each coordinate.

    Args:
        noise: standard deviation of the decoder, of scaled columns; learned where it is None.
        means: let the label move the means of the prior too.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> u = np.arange(300) % 5
        >>> X = rng.normal(size=(300, 3)) * rng.uniform(0.3, 3, size=(5, 3))[u]
        >>> model = IVae(dim=2, steps=50, widths=(16,), optimiser="adam").fit(X, u=u)
        >>> model.inverse_transform(model.transform(X)).shape
        (300, 3)

    References:
        khemakhem2020
    """

    noise: float | None = None
    means: bool = False

    learns_from: ClassVar[str] = "labels, segments or environments (u) that change variances"
    up_to: ClassVar[str] = "componentwise"
    labels_needed: ClassVar[bool] = True

    def inverse_transform(self, codes: Any) -> Floats:
        """Observations that the decoder expects of codes (n, k)."""
        check_is_fitted(self)
        return _decoded(self, self.objective_.elbo.likelihood, codes)

    def _rows(self, x: Any, given: Given, known: NDArray | None) -> Rows:
        return labelled(x, given, known)

    def _start(self, key: PRNGKeyArray, shape: Shape) -> tuple[AbstractEncoder, AbstractObjective]:
        encoder, decoder, spread = _networks(key, shape, self.widths, shape.labels, whole=True)
        return encoder, objectives.IVae(
            decoder,
            objectives.OfBoth(spread, shape.labels),
            shape.labels,
            shape.codes,
            NOISE if self.noise is None else self.noise,
            means=self.means,
            learned_noise=self.noise is None,
        )


@dataclass(eq=False, repr=False, kw_only=True)
class SlowVae(AbstractTrained):
    """An autoencoder of pairs whose codes seldom move far.

    It needs pairs in which most latents hardly move and some move much: neighbours in a video or in
    a sensor's record, as `pairs` or by `lag`. Where moves follow a Laplace law, codes are the
    latents up to permutation, sign and scale.

    Args:
        noise: standard deviation of the decoder, of scaled columns; learned where it is None.
        decay: λ of the law of moves, (λ/2) e^{-λ|move|}.
        beta: weight of the divergence from the prior.
        gamma: weight of the divergence from the law of moves.
        lag: rows from an observation to its positive, where no pairs are given.

    Example:
        >>> SlowVae(dim=10, lag=1)
        SlowVae(dim=10, lag=1)

    References:
        klindt2021
    """

    noise: float | None = None
    decay: float = 6.0
    beta: float = 1.0
    gamma: float = 1.0
    lag: int | None = None

    learns_from: ClassVar[str] = "pairs between which few latents move far (or lag)"
    up_to: ClassVar[str] = "scaled-permutation"

    def inverse_transform(self, codes: Any) -> Floats:
        """Observations that the decoder expects of codes (n, k)."""
        check_is_fitted(self)
        return _decoded(self, self.objective_.likelihood, codes)

    def _rows(self, x: Any, given: Given, known: NDArray | None) -> Rows:
        return paired(x, given, self.lag)

    def _start(self, key: PRNGKeyArray, shape: Shape) -> tuple[AbstractEncoder, AbstractObjective]:
        encoder, decoder, spread = _networks(key, shape, self.widths, whole=True)
        return encoder, objectives.SlowVae(
            decoder,
            objectives.OfObservation(spread),
            self.decay,
            NOISE if self.noise is None else self.noise,
            beta=self.beta,
            gamma=self.gamma,
            learned_noise=self.noise is None,
        )


@dataclass(eq=False, repr=False, kw_only=True)
class AdaGvae(AbstractTrained):
    """An autoencoder of pairs that share all but a few latents.

    It needs pairs in which some latents were changed and the others were not, without being told
    which. Where every latent is changed in some pairs and shared in others, the latents that change
    alone are told apart from all others.

    Args:
        noise: standard deviation of the decoder, of scaled columns, which is not learned: it says
            how much of a change a shared latent may explain.
        beta: weight of the divergence from the prior.
        lag: rows from an observation to its positive, where no pairs are given.

    Example:
        >>> AdaGvae(dim=10, beta=4.0)
        AdaGvae(beta=4.0, dim=10)

    References:
        locatello2020
    """

    noise: float = 0.1
    beta: float = 1.0
    lag: int | None = None

    learns_from: ClassVar[str] = "pairs that share all but a few latents (or lag)"
    up_to: ClassVar[str] = "componentwise"

    def inverse_transform(self, codes: Any) -> Floats:
        """Observations that the decoder expects of codes (n, k)."""
        check_is_fitted(self)
        return _decoded(self, self.objective_.likelihood, codes)

    def _rows(self, x: Any, given: Given, known: NDArray | None) -> Rows:
        return paired(x, given, self.lag)

    def _start(self, key: PRNGKeyArray, shape: Shape) -> tuple[AbstractEncoder, AbstractObjective]:
        encoder, decoder, spread = _networks(key, shape, self.widths)
        return encoder, objectives.AdaGvae(
            decoder,
            objectives.OfObservation(spread),
            self.noise,
            beta=self.beta,
        )


def _networks(
    key: PRNGKeyArray,
    shape: Shape,
    widths: tuple[int, ...],
    labels: int = 0,
    *,
    whole: bool = False,
) -> tuple[Mlp, Mlp, Mlp]:
    """Encoder, decoder, and what gives the variances of a posterior, or its whole covariance.

    With variances alone the bound prefers decoders of orthogonal columns, whatever the data's are.
    """
    k_encoder, k_decoder, k_spread = jax.random.split(key, 3)
    k = shape.codes
    spread = k * (k + 1) // 2 if whole else k
    return (
        Mlp(k_encoder, shape.columns, shape.codes, widths=widths),
        Mlp(k_decoder, shape.codes, shape.columns, widths=tuple(reversed(widths))),
        Mlp(k_spread, shape.columns + labels, spread, widths=widths[:1]),
    )


def _decoded(model: Any, likelihood: objectives.NormalLikelihood, codes: Any) -> Floats:
    rows = as_rows(codes, "codes")
    if rows.shape[1] != model.codes_dim_:
        raise BadInput(
            f"codes have {rows.shape[1]} columns and those of this model {model.codes_dim_}"
        )
    found = _observed(likelihood, jnp.asarray(rows, jnp.float32))
    return model.scaling_.inverse(np.asarray(found, dtype=float))


@eqx.filter_jit
def _observed(likelihood: objectives.NormalLikelihood, codes: Array) -> Array:
    return jax.vmap(likelihood.decoder)(codes)
