"""Worlds whose labels a teacher of the canonical form draws, so that students can be right."""

from __future__ import annotations

from functools import lru_cache

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from .._assumptions import DIVERSE_LABELS, LABELLED
from .._core import Assumption
from .._fit import fit
from .._lab import AbstractEncoder, AbstractWorld, Batch, Draw, encode, one_of, stacked
from .._recipe import Recipe
from ..encoders import Mlp
from ..objectives import AbstractLabelHead, Canonical, FreeHead
from ..worlds import LeakyMlp, Noisy, Normal, Unbounded, Unpaired, World

FLAT = 1e-6
"""Differences of g span no direction in which they are this much smaller than in the largest."""


class Angles(AbstractWorld):
    """x = (u, e): u ~ N(0, spread² I₂) labelled by its angle, e ~ N(0, I) labelled by nothing.

    Args:
        labels: how many equal sectors.
        nuisance: columns of e.
        spread: standard deviation of u.

    Example:
        >>> draw = Angles(18).sample(jax.random.key(0), 5)
        >>> draw.batch.x.shape, bool((draw.batch.auxiliary < 18).all())
        ((5, 22), True)

    References:
        roeder2021
    """

    labels: int = eqx.field(static=True)
    nuisance: int = eqx.field(static=True)
    spread: Float[Array, ""]

    def __init__(self, labels: int, nuisance: int = 20, spread: float = 3.0) -> None:
        self.labels = labels
        self.nuisance = nuisance
        self.spread = jnp.asarray(spread, float)

    def sample(self, key: PRNGKeyArray, n: int) -> Draw:
        """`n` points of the plane beside noise, and their sectors."""
        k_plane, k_noise = jax.random.split(key)
        plane = self.spread * jax.random.normal(k_plane, (n, 2))
        noise = jax.random.normal(k_noise, (n, self.nuisance))
        turn = jnp.arctan2(plane[:, 1], plane[:, 0]) / (2 * jnp.pi) % 1.0
        sector = jnp.minimum((turn * self.labels).astype(int), self.labels - 1)
        x = jnp.concatenate([plane, noise], axis=1)
        return Draw(latent=x, batch=Batch(x=x, auxiliary=sector))

    @property
    def satisfies(self) -> frozenset[Assumption]:
        """Labels; around a circle they are diverse in two dimensions from three on."""
        return frozenset({LABELLED} | ({DIVERSE_LABELS} if self.labels > 2 else set()))


class Taught(AbstractWorld):
    """Observations of a world, labelled afresh: y ~ softmax(g*(y)·f*(z) + offset(y)).

    The latent of a draw is f*(z): what students can find, up to a linear map.

    Args:
        inputs: where observations come from.
        teacher: f*, of latents.
        head: g*.
    """

    inputs: AbstractWorld
    teacher: AbstractEncoder
    head: AbstractLabelHead

    def sample(self, key: PRNGKeyArray, n: int) -> Draw:
        """`n` rows and the labels that the teacher drew."""
        k_inputs, k_labels = jax.random.split(key)
        drawn = self.inputs.sample(k_inputs, n)
        f = encode(self.teacher, drawn.latent)
        labels = jax.random.categorical(k_labels, jax.vmap(self.head)(f))
        return Draw(latent=f, batch=Batch(x=drawn.batch.x, auxiliary=labels))

    @property
    def satisfies(self) -> frozenset[Assumption]:
        """Labels; diverse where the differences of g* span all dimensions."""
        rows = np.asarray(self.head.rows, dtype=float)
        sizes = np.linalg.svd(rows - rows.mean(-2, keepdims=True), compute_uv=False)
        full = sizes.shape[-1] == rows.shape[-1] and (sizes[..., -1] > FLAT * sizes[..., 0]).all()
        return frozenset({LABELLED} | ({DIVERSE_LABELS} if full else set()))


class Leading(AbstractEncoder):
    """The first latents.

    Args:
        count: how many.
    """

    count: int = eqx.field(static=True)

    def __call__(self, x: Float[Array, " d"]) -> Float[Array, " k"]:
        """The code of one latent."""
        return x[: self.count]


def classifier(
    key: PRNGKeyArray,
    columns: int,
    *,
    labels: int,
    m: int,
    size: float = 0.01,
    shift: float = 0.0,
    offset: float | None = None,
) -> Canonical:
    """A table of labels whose rows start small: each finds its place before it is far from it.

    With the usual rows, labels around a circle start in a random order, and some never pass each
    other.

    Args:
        key: of the rows.
        columns: of an observation; not used.
        labels: K.
        m: M.
        size: of the rows at the start, in units of the usual.
        shift: standard deviation of a vector added to all rows alike, which predicts nothing.
        offset: standard deviation of the biases at the start, None where there are none.
    """
    k_rows, k_shift, k_offset = jax.random.split(key, 3)
    head = FreeHead(k_rows, labels, m, bias=offset is not None)
    weight = size * head.weight + shift * jax.random.normal(k_shift, (m,))
    head = eqx.tree_at(lambda head: head.weight, head, weight)
    if offset is not None:
        bias = offset * jax.random.normal(k_offset, (labels,))
        head = eqx.tree_at(lambda head: head.bias, head, bias)
    return Canonical(head, "labels")


def mixed(
    seed: int,
    *,
    labels: int,
    m: int = 4,
    d: int = 8,
    layers: int = 2,
    strength: float = 2.0,
    flatness: float = 1.0,
) -> Taught:
    """Normal latents behind a leaky network; labels say something of the first m only.

    f* undoes the network, exactly as a network of the same kind can: students can be right.

    Args:
        seed: of the network and of g*.
        labels: K; at most m of them are not diverse.
        m: M, dimensions of f* and g*.
        d: latents and columns of an observation.
        layers: of the network.
        strength: standard deviation of a logit.
        flatness: condition number of the differences of g*: how near the labels are to lying in
            a hyperplane.
    """
    rng = np.random.default_rng([seed, labels, m])
    rows = rng.normal(size=(labels, m))
    rows -= rows.mean(0)
    left, _, right = np.linalg.svd(rows, full_matrices=False)
    sizes = np.geomspace(1.0, 1.0 / flatness, m)[: min(m, labels - 1)]
    rank = len(sizes)
    rows = (left[:, :rank] * sizes) @ right[:rank]
    rows *= strength / np.sqrt((rows**2).sum(1).mean())
    inputs = World(Noisy(Unbounded(d), Normal(1.0)), Unpaired(), LeakyMlp(seed, d, layers))
    head = FreeHead(jax.random.key(seed), labels, m)
    head = eqx.tree_at(lambda head: head.weight, head, jnp.asarray(rows, float))
    return Taught(inputs, Leading(m), head)


@lru_cache(maxsize=64)
def sectors(
    seed: int, *, labels: int = 18, steps: int = 1000, rate: float = 0.003, m: int = 2
) -> Taught:
    """A teacher fitted to the sectors of a plane, then asked for labels of its own.

    The longer it learns, the surer it is of them, and the harder for students to tell apart what
    is all but certain.

    Args:
        seed: of the teacher's start and draws.
        labels: sectors.
        steps: of the teacher.
        rate: its peak learning rate.
        m: M.
    """
    inputs = Angles(labels)
    k_start, k_head, k_train = jax.random.split(jax.random.key(seed), 3)
    start = Mlp(k_start, 2 + inputs.nuisance, m, widths=(64, 64))
    fitted = fit(
        stacked([inputs]), stacked([start]), stacked([classifier(k_head, 0, labels=labels, m=m)]),
        Recipe(batch=512, steps=steps, rate=rate, vector_rate=rate / 3),
        keys=jnp.stack([k_train]),
        breaking=frozenset() if labels > m else frozenset({DIVERSE_LABELS}),
    )  # fmt: skip
    return Taught(inputs, one_of(fitted.encoder, 0), one_of(fitted.objective, 0).g)
