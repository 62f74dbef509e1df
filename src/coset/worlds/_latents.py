"""Marginal laws of latents."""

from __future__ import annotations

from abc import abstractmethod

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Float, Int, PRNGKeyArray

from .._assumptions import (
    CLUSTERED,
    DIVERSE_LABELS,
    LABELLED,
    SPANNING_CENTRES,
    UNIFORM,
    VMF_CLUSTERS,
)
from .._core import Assumption, BadInput
from ._noises import AbstractNoise
from ._normal import standard_normal
from ._pairing import AbstractPairing, draw_near
from ._pairings import VonMisesFisher
from ._pairings_of_blocks import factor
from ._space import AbstractSpace
from ._spaces import Sphere, Unbounded

Labelled = tuple[Float[Array, " d"], Int[Array, ""] | None]


class AbstractLatents(eqx.Module):
    """A law of one latent, and of its label where there are labels."""

    space: eqx.AbstractVar[AbstractSpace]

    @abstractmethod
    def sample(self, key: PRNGKeyArray) -> Labelled:
        """One latent, and its label or None."""

    @property
    @abstractmethod
    def satisfies(self) -> frozenset[Assumption]:
        """What a theorem may ask of it."""


class Uniform(AbstractLatents):
    """Uniform on a space that has a volume.

    Args:
        space: where.

    Example:
        >>> z, label = Uniform(Sphere(3)).sample(jax.random.key(0))
        >>> z.shape, label is None
        ((3,), True)
    """

    space: AbstractSpace

    def __init__(self, space: AbstractSpace) -> None:
        if not np.isfinite(space.log_volume()):
            raise BadInput("no law is uniform on an unbounded space; use Noisy(space, Normal(1.0))")
        self.space = space

    def sample(self, key: PRNGKeyArray) -> Labelled:
        """One latent."""
        return self.space.uniform(key), None

    @property
    def satisfies(self) -> frozenset[Assumption]:
        """The space, and uniform on it."""
        return self.space.satisfies | {UNIFORM}


class Noisy(AbstractLatents):
    """Noise around a centre: projected on a sphere, truncated in a box, plain where unbounded.

    Args:
        space: where.
        noise: law of each coordinate.
        centre: (dim,); the first unit vector on a sphere, otherwise the middle of the space.

    Example:
        >>> from coset.worlds import Normal
        >>> z, _ = Noisy(Sphere(3), Normal(0.01)).sample(jax.random.key(0))
        >>> bool(z[0] > 0.99)
        True
    """

    space: AbstractSpace
    noise: AbstractNoise
    centre: Float[Array, " d"]

    def __init__(
        self, space: AbstractSpace, noise: AbstractNoise, centre: ArrayLike | None = None
    ) -> None:
        self.space = space
        self.noise = noise
        where = space.middle if centre is None else jnp.asarray(centre, float)
        if where.shape != (space.dim,):
            raise BadInput(f"a centre of shape {where.shape}; the space needs ({space.dim},)")
        self.centre = where

    def sample(self, key: PRNGKeyArray) -> Labelled:
        """One latent."""
        return self.space.scatter(key, self.noise, self.centre), None

    @property
    def satisfies(self) -> frozenset[Assumption]:
        """The space."""
        return self.space.satisfies


class Clusters(AbstractLatents):
    """An instance i is drawn uniformly; its latent gathers around centre i mod C.

    Args:
        centres: (C, d), on the unit sphere.
        law: of a latent around its centre: a pairing of the sphere.
        instances: number of labels, C where it is left out; then labels are clusters.

    Example:
        >>> clusters = Clusters(np.eye(3), VonMisesFisher(100.0, 3), instances=30)
        >>> z, label = clusters.sample(jax.random.key(0))
        >>> bool(jnp.argmax(z) == label % 3)
        True

    References:
        reizinger2024_cross_entropy
    """

    space: AbstractSpace
    centres: Float[Array, "C d"]
    law: AbstractPairing
    instances: int = eqx.field(static=True)

    def __init__(
        self, centres: ArrayLike, law: AbstractPairing, instances: int | None = None
    ) -> None:
        self.centres = jnp.asarray(centres, float)
        if self.centres.ndim != 2:
            raise BadInput(f"centres of shape {self.centres.shape}; (C, d) is needed")
        count, d = self.centres.shape
        self.instances = count if instances is None else int(instances)
        if self.instances < count:
            raise BadInput(f"{self.instances} instances for {count} centres; give at least as many")
        self.space = Sphere(d)
        self.law = law

    def sample(self, key: PRNGKeyArray) -> Labelled:
        """One latent and its instance."""
        k_which, k_where = jax.random.split(key)
        label = jax.random.randint(k_which, (), 0, self.instances)
        centre = self.centres[label % self.centres.shape[0]]
        return draw_near(self.law, k_where, centre), label

    @property
    def satisfies(self) -> frozenset[Assumption]:
        """Labelled clusters; diverse where their centres' differences span the space."""
        met = {LABELLED, CLUSTERED}
        if isinstance(self.law, VonMisesFisher):
            met.add(VMF_CLUSTERS)
        centres = np.asarray(self.centres, dtype=float)
        differences = centres[..., 1:, :] - centres[..., :1, :]
        if (np.linalg.matrix_rank(differences, tol=1e-3) == centres.shape[-1]).all():
            met |= {SPANNING_CENTRES, DIVERSE_LABELS}
        return self.space.satisfies | met


class ContentStyle(AbstractLatents):
    """Content c ~ N(0, Σ_c), then style s | c ~ N(a + B c, Σ_s); z = (c, s).

    Args:
        n_content: coordinates of c.
        n_style: coordinates of s.
        content_covariance: (n_content, n_content), the identity where it is left out.
        style_covariance: (n_style, n_style), likewise.
        causal: (a, B) of shapes (n_style,) and (n_style, n_content); zeros where left out.

    Example:
        >>> z, _ = ContentStyle(2, 3).sample(jax.random.key(0))
        >>> z.shape
        (5,)

    References:
        vonkuegelgen2021
    """

    space: AbstractSpace
    content_spread: Float[Array, "c c"]
    style_spread: Float[Array, "s s"]
    offset: Float[Array, " s"]
    effect: Float[Array, "s c"]

    def __init__(
        self,
        n_content: int,
        n_style: int,
        content_covariance: ArrayLike | None = None,
        style_covariance: ArrayLike | None = None,
        causal: tuple[ArrayLike, ArrayLike] | None = None,
    ) -> None:
        self.space = Unbounded(n_content + n_style)
        content = np.eye(n_content) if content_covariance is None else content_covariance
        style = np.eye(n_style) if style_covariance is None else style_covariance
        offset, effect = (0.0, 0.0) if causal is None else causal
        self.content_spread = factor(content)
        self.style_spread = factor(style)
        self.offset = jnp.broadcast_to(jnp.asarray(offset, float), (n_style,))
        self.effect = jnp.broadcast_to(jnp.asarray(effect, float), (n_style, n_content))

    def sample(self, key: PRNGKeyArray) -> Labelled:
        """One latent."""
        n_content = self.content_spread.shape[0]
        noise = standard_normal(key, (self.space.dim,))
        content = self.content_spread @ noise[:n_content]
        style = self.offset + self.effect @ content + self.style_spread @ noise[n_content:]
        return jnp.concatenate([content, style]), None

    @property
    def satisfies(self) -> frozenset[Assumption]:
        """The space."""
        return self.space.satisfies
