"""The canonical form of discriminative models."""

from __future__ import annotations

from typing import Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from .._assumptions import DIVERSE_LABELS, LABELLED, PAIRED
from .._core import Assumption, BadInput
from .._lab import AbstractEncoder, AbstractObjective, Batch, encode
from ._classification import labels_of, surprise
from ._heads import AbstractLabelHead, FreeHead
from ._log_sum import log_sum
from ._needs import need
from ._similarities import Dot

Candidates = Literal["labels", "batch"]


class Canonical(AbstractObjective):
    """-mean log p(y|x, S) of p(y|x, S) = e^{f(x)·g(y)} / Σ_{y' ∈ S} e^{f(x)·g(y')}; f encodes.

    | member | y | S | g |
    |---|---|---|---|
    | `classification` | the label of x | all labels | a table with a row for each label |
    | `n_pair` | the positive of x | the batch's positives | the encoder itself |
    | `cpc` | the positive of x | the batch's positives | an encoder of its own |

    f is determined up to a linear map A, and g up to A^{-T} and a shift: adding one vector to all
    g(y) changes no probability. Offsets of the table loosen f to an affine map.

    Language and images need nothing new here: a language model is a table of tokens with the next
    token as y (`classification`, contexts as x); images come with encoders for x and y (`cpc`).

    Args:
        g: a table of labels, an encoder, or None for f itself.
        candidates: S: "labels" (all of the table) or "batch" (the positives).
        theory: assumptions of the theorem that is meant, in place of the usual.

    Example:
        >>> from coset.encoders import Raw
        >>> model = Canonical.classification(jax.random.key(0), classes=4, d=2)
        >>> model.f_of(Raw(), jnp.ones((3, 2))).shape, model.g_of(jnp.arange(4)).shape
        ((3, 2), (4, 2))

    References:
        roeder2021, sohn2016, oord2018
    """

    g: AbstractLabelHead | AbstractEncoder | None
    candidates: Candidates = eqx.field(static=True)
    theory: frozenset[Assumption] | None = eqx.field(static=True)

    def __init__(
        self,
        g: AbstractLabelHead | AbstractEncoder | None,
        candidates: Candidates,
        *,
        theory: frozenset[Assumption] | None = None,
    ) -> None:
        if candidates not in ("labels", "batch"):
            raise BadInput(f"candidates={candidates!r}; choose labels or batch")
        if (candidates == "labels") != isinstance(g, AbstractLabelHead):
            raise BadInput(
                f"candidates={candidates!r} with g={type(g).__name__}: labels need a table "
                f"(FreeHead), a batch of positives an encoder or None"
            )
        self.g = g
        self.candidates = candidates
        self.theory = theory

    @classmethod
    def classification(
        cls, key: PRNGKeyArray, classes: int, d: int, *, bias: bool = False
    ) -> Canonical:
        """Supervised: g is a row for each label."""
        return cls(FreeHead(key, classes, d, bias=bias), "labels")

    @classmethod
    def n_pair(cls) -> Canonical:
        """N-pair: g is the encoder, its candidates are the positives of the batch."""
        return cls(None, "batch")

    @classmethod
    def cpc(cls, g: AbstractEncoder) -> Canonical:
        """Contrastive prediction of vectors: g is a second encoder, trained with the first."""
        return cls(g, "batch")

    @property
    def needs(self) -> frozenset[Assumption]:
        """Labels in variety, or pairs; or what was named."""
        if self.theory is not None:
            return self.theory
        labelled = frozenset({LABELLED, DIVERSE_LABELS})
        return labelled if self.candidates == "labels" else frozenset({PAIRED})

    def f_of(self, encoder: AbstractEncoder, x: Float[Array, "n ..."]) -> Float[Array, "n k"]:
        """What f says of every row."""
        return encode(encoder, x)

    def g_of(self, y: Array, encoder: AbstractEncoder | None = None) -> Float[Array, "m k"]:
        """What g says of every y: rows of the table by label, or codes of observations.

        Args:
            y: (m,) labels, or (m, ...) observations.
            encoder: needed where g is the encoder itself.
        """
        if isinstance(self.g, AbstractLabelHead):
            return self.g.rows[y]
        chosen = encoder if self.g is None else self.g
        if chosen is None:
            raise BadInput("g is the encoder itself here: give it, as g_of(y, encoder)")
        return encode(chosen, y)

    def __call__(
        self, encoder: AbstractEncoder, batch: Batch, *, key: PRNGKeyArray
    ) -> Float[Array, ""]:
        """The value of one batch."""
        f = self.f_of(encoder, batch.x)
        if isinstance(self.g, AbstractLabelHead):
            return surprise(jax.vmap(self.g)(f), labels_of(batch, "Canonical"))
        g = self.g_of(need(batch, "positive", "Canonical", rows=len(f)), encoder)
        return jnp.mean(log_sum(Dot(), f, g) - Dot().pair(f, g))
