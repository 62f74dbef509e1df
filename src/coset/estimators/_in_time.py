"""Nonlinear ICA of rows in time: segments, and moments with a past."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray
from numpy.typing import NDArray

from .. import objectives
from .._core import BadInput
from .._lab import AbstractEncoder, AbstractObjective
from ..encoders import Mlp
from ._rows import Given, Rows, labelled, paired, refuse_pairs
from ._trained import AbstractTrained, Shape

REGRESSIONS = ("absolute", "products")
POWERS = 2
"""Statistics of a code: itself and its square."""


@dataclass(eq=False, repr=False, kw_only=True)
class TCL(AbstractTrained):
    """Time-contrastive learning: codes that tell in which segment of time a row was recorded.

    It needs rows in the order of time whose latents are independent sources with variances that
    change from time to time; or segments (conditions, environments) as `u`. Codes are then the
    statistics of the latents, such as their squares, up to an affine map: `LinearICA` of the codes
    takes them apart. The score without u is for the rows of fit alone: others have other segments.

    Args:
        segments: how many equal parts time is cut into, where no u is given.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> spread = np.repeat(rng.uniform(0.2, 2, size=(10, 3)), 40, axis=0)
        >>> X = spread * rng.laplace(size=(400, 3))
        >>> model = TCL(dim=3, segments=10, steps=50, batch=64, widths=(16,), random_state=0)
        >>> model.fit_transform(X).shape
        (400, 3)

    References:
        hyvarinen2016
    """

    segments: int = 40

    learns_from: ClassVar[str] = "time: rows whose variances change over it; or segments (u)"
    up_to: ClassVar[str] = "affine, of statistics of each latent"

    def _rows(self, x: Any, given: Given, known: NDArray | None) -> Rows:
        refuse_pairs(given)
        u = given.u if given.u is not None else _segments(x.rows, self.segments)
        return labelled(x, replace(given, u=u), known)

    def _start(self, key: PRNGKeyArray, shape: Shape) -> tuple[AbstractEncoder, AbstractObjective]:
        k_encoder, k_head = jax.random.split(key)
        head = objectives.FreeHead(k_head, shape.labels, shape.codes, bias=True)
        encoder = Mlp(k_encoder, shape.columns, shape.codes, widths=self.widths)
        return encoder, objectives.CrossEntropy(head, theory=objectives.MODULATION)


@dataclass(eq=False, repr=False, kw_only=True)
class PCL(AbstractTrained):
    """Permutation-contrastive learning: codes that tell what came next from what came at any time.

    It needs rows in the order of time (or pairs of a moment and the next) whose latents are
    independent sources, each with a past of its own that is not normal. Codes are the latents up to
    permutation and a map of each coordinate.

    Args:
        lag: rows from a moment to the next, where no pairs are given.
        regression: of a source on its past: "absolute" fits Laplace innovations, "products" any.

    Example:
        >>> PCL(dim=5, regression="absolute")
        PCL(dim=5, regression='absolute')

    References:
        hyvarinen2017
    """

    lag: int = 1
    regression: str = "products"

    learns_from: ClassVar[str] = "time: rows that depend on the one before; or pairs"
    up_to: ClassVar[str] = "componentwise"

    def _rows(self, x: Any, given: Given, known: NDArray | None) -> Rows:
        return paired(x, given, self.lag)

    def _start(self, key: PRNGKeyArray, shape: Shape) -> tuple[AbstractEncoder, AbstractObjective]:
        if self.regression not in REGRESSIONS:
            raise BadInput(f"regression={self.regression!r}; choose from {', '.join(REGRESSIONS)}")
        k_encoder, k_regression = jax.random.split(key)
        regression = (
            objectives.AbsoluteDifference(shape.codes)
            if self.regression == "absolute"
            else objectives.SumOfProducts(k_regression, shape.codes)
        )
        encoder = Mlp(k_encoder, shape.columns, shape.codes, widths=self.widths)
        return encoder, objectives.PermutationContrast(regression)


@dataclass(eq=False, repr=False, kw_only=True)
class GCL(AbstractTrained):
    """Generalised contrastive learning: codes that tell the label of a row from those of others.

    It needs a label, a segment or an environment for each row, as `u` or `y`. Where latents are
    independent given the label, and labels change their laws in ways that are different enough,
    codes are the latents up to permutation and a map of each coordinate.

    Args:
        powers: statistics of a code, up to this power.

    Example:
        >>> GCL(dim=5, powers=1)
        GCL(dim=5, powers=1)

    References:
        hyvarinen2019
    """

    powers: int = POWERS

    learns_from: ClassVar[str] = "labels, segments or environments (u) that change laws"
    up_to: ClassVar[str] = "componentwise"
    labels_needed: ClassVar[bool] = True

    def _rows(self, x: Any, given: Given, known: NDArray | None) -> Rows:
        return labelled(x, given, known)

    def _start(self, key: PRNGKeyArray, shape: Shape) -> tuple[AbstractEncoder, AbstractObjective]:
        k_encoder, k_table, k_marginal = jax.random.split(key, 3)
        size = self.powers * shape.codes + 1
        encoder = Mlp(k_encoder, shape.columns, shape.codes, widths=self.widths)
        return encoder, objectives.AuxiliaryContrast(
            objectives.Powers(self.powers),
            objectives.LabelTable(k_table, shape.labels, size),
            Scalar(Mlp(k_marginal, shape.codes, 1, widths=self.widths[-1:])),
        )


class Scalar(eqx.Module):
    """The one number that a network gives."""

    network: Mlp

    def __call__(self, code: Float[Array, " k"]) -> Float[Array, ""]:
        """Of one code."""
        return self.network(code)[0]


def _segments(rows: int, count: Any) -> NDArray:
    """The number of the equal part of time that each row is in."""
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 2:
        raise BadInput(f"segments={count!r}; a whole number is needed, at least 2")
    return np.arange(rows) * min(int(count), rows) // rows
