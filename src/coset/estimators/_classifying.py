"""Codes that a linear head tells labels from: classes, or instances."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import jax
import numpy as np
from jaxtyping import PRNGKeyArray
from numpy.typing import NDArray

from .._lab import AbstractEncoder, AbstractObjective
from ..encoders import Mlp, OnSphere
from ..objectives import CrossEntropy, FreeHead, UnitHead
from ._rows import Given, Rows, labelled, refuse_pairs
from ._trained import AbstractTrained, Shape


@dataclass(eq=False, repr=False, kw_only=True)
class Supervised(AbstractTrained):
    """Codes before the softmax of a classifier.

    It needs a class for each row, as `u` or `y`. Where latents gather on a sphere around a centre
    for each class, and there are more classes than latents, codes are the latents up to a linear
    map.

    Args:
        sphere: codes and the head's rows on spheres, which helps where classes are far apart.

    Example:
        >>> import numpy as np
        >>> u = np.arange(200) % 3
        >>> X = np.eye(3)[u] + np.random.default_rng(0).normal(size=(200, 3)) / 5
        >>> model = Supervised(dim=2, steps=50, batch=64, widths=(16,), random_state=0)
        >>> round(model.fit(X, u=u).score(X, u=u), 1)
        -0.0

    References:
        reizinger2024_cross_entropy
    """

    sphere: bool = False

    learns_from: ClassVar[str] = "labels (u): a class of each row"
    up_to: ClassVar[str] = "linear"
    labels_needed: ClassVar[bool] = True

    def _rows(self, x: Any, given: Given, known: NDArray | None) -> Rows:
        return labelled(x, given, known)

    def _start(self, key: PRNGKeyArray, shape: Shape) -> tuple[AbstractEncoder, AbstractObjective]:
        return _classifier(key, shape, self.widths, sphere=self.sphere)


@dataclass(eq=False, repr=False, kw_only=True)
class Diet(AbstractTrained):
    """Codes that tell every instance from all others: each is a class of its own.

    It needs nothing but rows. Where several rows are views of one instance, `u` says of which: with
    views that gather around the latent of their instance, codes are the latents up to a linear map.
    The score is that of instances that were seen in fit.

    Args:
        sphere: codes and the head's rows on spheres.

    Example:
        >>> Diet(dim=5, sphere=False)
        Diet(dim=5, sphere=False)

    References:
        balestriero2023, reizinger2024_cross_entropy
    """

    sphere: bool = True

    learns_from: ClassVar[str] = "nothing else; u says which rows are views of one instance"
    up_to: ClassVar[str] = "linear"

    def _rows(self, x: Any, given: Given, known: NDArray | None) -> Rows:
        refuse_pairs(given)
        instances = np.arange(x.rows) if given.u is None else given.u
        return labelled(x, replace(given, u=instances), known)

    def _start(self, key: PRNGKeyArray, shape: Shape) -> tuple[AbstractEncoder, AbstractObjective]:
        return _classifier(key, shape, self.widths, sphere=self.sphere)


def _classifier(
    key: PRNGKeyArray, shape: Shape, widths: tuple[int, ...], *, sphere: bool
) -> tuple[AbstractEncoder, AbstractObjective]:
    k_encoder, k_head = jax.random.split(key)
    place = OnSphere(learned_radius=True) if sphere else None
    encoder = Mlp(k_encoder, shape.columns, shape.codes, widths=widths, head=place)
    head = UnitHead if sphere else FreeHead
    return encoder, CrossEntropy(head(k_head, shape.labels, shape.codes))
