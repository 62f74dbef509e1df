"""One model of the form p(y|x) ∝ exp(f(x)·g(y) + β(y)), and the part of it that its logits show."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import qr

from .._arrays import as_matrix, as_rows
from .._core import BadInput, Floats


@dataclass(frozen=True, eq=False)
class Model:
    """Codes of the rows, codes of the labels, and output biases where they are known.

    Args:
        f: codes of the rows (n, M).
        g: codes of the labels (K, M).
        bias: what is added to the logits (K,), or None where it is not known.
        affine: whether the model has output biases; f is then determined up to an offset too.
        epsilon: precision in which the arrays were given.
    """

    f: Floats
    g: Floats
    bias: Floats | None
    affine: bool
    epsilon: float

    @property
    def dimensions(self) -> int:
        """M, the width of both codes."""
        return int(self.g.shape[1])

    @cached_property
    def centred(self) -> Floats:
        """Label codes less their mean (K, M): adding a vector to every g(y) changes no p(y|x)."""
        return np.asarray(self.g - self.g.mean(axis=0))

    @cached_property
    def _spectrum(self) -> tuple[Floats, Floats, Floats]:
        left, sizes, right = np.linalg.svd(self.centred, full_matrices=False)
        kept = sizes > sizes[0] * self._tolerance
        return left[:, kept], sizes[kept], right[kept].T

    @property
    def _tolerance(self) -> float:
        return 8 * self.dimensions * self.epsilon

    @property
    def rank(self) -> int:
        """Directions that the differences of g span; M is full, K - 1 is the most."""
        return len(self._spectrum[1])

    @property
    def condition(self) -> float:
        """Largest over least singular value of the differences of g, where they are not zero."""
        sizes = self._spectrum[1]
        return float(sizes[0] / sizes[-1])

    def solve(self, per_label: Floats) -> Floats:
        """Least squares over all label differences: pinv(centred g) (K, k) → (M, k)."""
        left, sizes, right = self._spectrum
        return np.asarray(right @ ((left.T @ per_label) / sizes[:, None]))

    @cached_property
    def shown(self) -> Floats:
        """Orthonormal basis (M, q) of the directions of f that reach the logits and vary there."""
        right = self._spectrum[2]
        rows = self.f @ right
        if self.affine:
            rows -= rows.mean(axis=0)
        triangle = qr(rows, mode="r", overwrite_a=True, check_finite=False)[0][: right.shape[1]]
        _, sizes, turn = np.linalg.svd(triangle)
        return np.asarray(right @ turn[sizes > sizes[0] * self._tolerance].T)

    def reduced(self) -> Model:
        """The same logits from codes of q dimensions, in which both f and g span everything."""
        basis = self.shown
        bias = self.bias
        if bias is not None:
            mean = self.f.mean(axis=0)
            bias = bias + self.centred @ (mean - basis @ (basis.T @ mean))
        return Model(self.f @ basis, self.centred @ basis, bias, self.affine, self.epsilon)

    def logits(self, rows: Any = slice(None)) -> Floats:
        """Logits F gᵀ + β of some rows (m, K)."""
        logits: Floats = self.f[rows] @ self.g.T
        return logits if self.bias is None else logits + self.bias


def read_model(f: Any, g: Any, bias: Any, *, affine: bool, name: str) -> Model:
    """A model from what was given, or the reason why it is none."""
    codes, labels = as_matrix(f, f"f_{name}"), as_matrix(g, f"g_{name}")
    if codes.shape[1] != labels.shape[1]:
        turned = labels.shape[0] == codes.shape[1]
        raise BadInput(
            f"f_{name} has {codes.shape[1]} columns and g_{name} is {labels.shape}; "
            f"f(x)·g(y) needs both of one width, g with a row per label"
            + (f": give the transpose of g_{name}" if turned else "")
        )
    if np.ptp(labels, axis=0).max() == 0:
        raise BadInput(f"all rows of g_{name} are equal, so every label is equally likely: no head")
    if np.ptp(codes, axis=0).max() == 0:
        raise BadInput(f"all rows of f_{name} are equal: there is nothing to compare")
    return Model(
        codes, labels, _read_bias(bias, len(labels), name), affine, max(precision(f), precision(g))
    )


def refuse_unlike(a: Model, b: Model, folds: int) -> None:
    """Two models are compared on the same rows and the same labels, and on enough of them."""
    if len(a.g) != len(b.g):
        raise BadInput(
            f"g_a has {len(a.g)} labels and g_b has {len(b.g)}; row k of both must be the same "
            f"label: keep the labels that both models know, in one order"
        )
    if len(a.f) != len(b.f):
        raise BadInput(
            f"f_a has {len(a.f)} rows and f_b has {len(b.f)}; row i of both must be the same thing"
        )
    if not 2 <= folds <= len(a.f) // 2:
        raise BadInput(
            f"folds is {folds} for {len(a.f)} rows; at least 2 folds of at least 2 rows are needed"
        )
    wide = max(a.dimensions, b.dimensions)
    trained = len(a.f) - -(-len(a.f) // folds)
    if trained < wide + 2:
        raise BadInput(
            f"{len(a.f)} rows leave {trained} to fit a map of {wide} dimensions on when one of "
            f"{folds} folds is held out; at least {wide + 2} are needed: give more rows"
        )


def precision(x: Any) -> float:
    """Machine epsilon of the type in which an array was given; below it, rank is noise."""
    return float(np.finfo(as_rows(x).dtype).eps)


def _read_bias(bias: Any, labels: int, name: str) -> Floats | None:
    if bias is None:
        return None
    flat = as_matrix(bias, f"bias_{name}").ravel()
    if len(flat) != labels:
        raise BadInput(
            f"bias_{name} has {len(flat)} values; one for each of {labels} labels is needed"
        )
    return flat
