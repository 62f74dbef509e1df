"""Causal graphs from the encoder's Jacobian: with the true matching at hand, and without."""

from __future__ import annotations

from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array
from numpy.typing import NDArray
from scipy.stats import mannwhitneyu

from .._core import Floats
from .._lab import AbstractEncoder
from .._run import View
from ..metrics import mcc
from ..solvers import JacobianGraph, jacobian_graph

ROWS = 1024
"""Over which the Jacobian is averaged."""
NOTHING = 1e-6
"""A true Jacobian's entries below this are rounding: no edges."""


@dataclass(frozen=True)
class SupportAccuracy:
    """Agreement of the Jacobian's support with the true one, as published: codes are matched with
    latents, and as many of the smallest entries count as zeros as there truly are.
    """

    name: str = "accuracy_oracle"

    def __call__(self, view: View) -> float:
        """The score of one seed."""
        found = _of_latents(view)
        if found is None:
            return float("nan")
        support = _support(view)
        smallest = np.argsort(found, axis=None, kind="stable")[: int((~support).sum())]
        kept = np.ones(support.size, dtype=bool)
        kept[smallest] = False
        return float((kept.reshape(support.shape) == support).mean())


@dataclass(frozen=True)
class SupportAuroc:
    """Probability that an entry of an edge is larger than one of no edge, codes matched with
    latents; own variables of latents apart.
    """

    name: str = "auroc_oracle"

    def __call__(self, view: View) -> float:
        """The score of one seed."""
        found = _of_latents(view)
        if found is None:
            return float("nan")
        own = np.zeros(found.shape, dtype=bool)
        own[np.arange(len(own)), np.asarray(view.world.mixing.variables)] = True
        support = _support(view)
        with_edge, without = found[support & ~own], found[~support & ~own]
        better = mannwhitneyu(with_edge, without).statistic
        return float(better / (len(with_edge) * len(without)))


@dataclass(frozen=True)
class GraphAccuracy:
    """Pairs of variables (i, j) of which the Jacobian alone says rightly whether i causes j: nobody
    tells it the matching of codes, the order of variables, or the number of edges.
    """

    name: str = "accuracy_alone"

    def __call__(self, view: View) -> float:
        """The score of one seed."""
        found = _graph(view)
        if found is None:
            return float("nan")
        right = found.edges == np.asarray(view.world.mixing.edges)
        return float(right[~np.eye(len(right), dtype=bool)].mean())


@dataclass(frozen=True)
class OrderAccuracy:
    """Edges that agree with the order of variables that the Jacobian alone says."""

    name: str = "order_alone"

    def __call__(self, view: View) -> float:
        """The score of one seed."""
        found = _graph(view)
        if found is None:
            return float("nan")
        rank = np.argsort(found.order)
        causes, effects = np.nonzero(np.asarray(view.world.mixing.edges))
        return float((rank[causes] < rank[effects]).mean())


@dataclass(frozen=True)
class AgainstOrder:
    """The share of strengths that the best order of variables does not explain: NaN where there are
    none at all.
    """

    name: str = "against_order"

    def __call__(self, view: View) -> float:
        """The score of one seed."""
        found = _graph(view)
        return found.against if found is not None and found.strengths.any() else float("nan")


def _graph(view: View) -> JacobianGraph | None:
    sizes = _sizes(view)
    if sizes is None:
        return None
    spreads = np.asarray(view.batch.x, dtype=float).std(0) / view.codes.std(0)[:, None]
    return jacobian_graph(sizes * spreads)


def _of_latents(view: View) -> Floats | None:
    """Mean |derivative| of the code of each latent, over the range of that code."""
    sizes = _sizes(view)
    if sizes is None:
        return None
    matching = mcc(view.latent, view.codes).matching
    return (sizes / np.ptp(view.codes, axis=0)[:, None])[matching[:, 1]]


def _sizes(view: View) -> Floats | None:
    """Mean |derivative| of codes by variables; None on a learning curve, which has no encoder."""
    if view.encoder is None:
        return None
    return np.asarray(_mean_derivative(view.encoder, view.batch.x[:ROWS]), dtype=float)


def _support(view: View) -> NDArray[np.bool_]:
    return np.abs(np.asarray(view.world.mixing.unmixing)) > NOTHING


@eqx.filter_jit
def _mean_derivative(encoder: AbstractEncoder, x: Array) -> Array:
    return jnp.abs(jax.vmap(jax.jacfwd(encoder))(x)).mean(0)
