"""Two models that expose both functions of their softmax: are the two maps between them tied?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._core import BadInput
from ._tie_gap import likelihood_gap
from ._tie_maps import map_from_heads
from ._tie_measure import measure, r2_of_labels
from ._tie_model import Model, read_model, refuse_unlike
from ._tie_result import Tie

__all__ = ["Tie", "map_from_heads", "tie"]


def tie(
    f_a: Any,
    f_b: Any,
    heads: Sequence[Any],
    *,
    biases: bool = False,
    bias_a: Any = None,
    bias_b: Any = None,
    folds: int = 5,
    seed: int = 0,
) -> Tie:
    """Check what equal predictions require of two models p(y|x) ∝ exp(f(x)·g(y) + β(y)).

    Centred over labels, equal logits read G_b f_b + β_b = G_a f_a + β_a. Where the rows of G_b span
    all M dimensions (the diversity condition; K ≥ M + 1 labels), this is f_b = A f_a + c with
    A = pinv(G_b) G_a and c = pinv(G_b) (β_a - β_b), and g_b = A^{-T} g_a + constant. So the maps
    fitted separately, A_f between the f and A_g between the g (with an intercept: adding one vector
    to every g(y) changes no prediction), satisfy A_fᵀ A_g = I. Without biases A_f goes through the
    origin; with biases f too is determined up to an offset only.

    Where the condition fails, only the directions that reach the logits are determined. Everything
    is therefore measured on the whole codes and on these directions.

    Args:
        f_a: codes of rows in model a (n, M).
        f_b: codes of the same rows in model b (n, M').
        heads: codes of the labels, `(g_a, g_b)`: (K, M) and (K, M'), of the same labels in order.
        biases: whether the models add a bias to their logits; implied where biases are given.
        bias_a: biases of model a (K,); without them the divergence of predictions is unknown.
        bias_b: biases of model b (K,); zero where only those of a are given.
        folds: rows (and labels, for g) are scored when their fold was left out of the fit.
        seed: of the folds and the shuffles.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> f, g, matrix = (rng.normal(size=s) for s in [(200, 3), (8, 3), (3, 3)])
        >>> found = tie(f, f @ matrix.T, (g, g @ np.linalg.inv(matrix) + 1))
        >>> found.tie < 1e-8, found.diverse, np.allclose(found.map_from_heads, matrix)
        (True, True, True)

    References:
        roeder2021
    """
    a, b = _read(f_a, f_b, heads, biases=biases, bias_a=bias_a, bias_b=bias_b)
    refuse_unlike(a, b, folds)
    whole = measure(a, b, folds, seed)
    rank = min(a.shown.shape[1], b.shown.shape[1])
    full = a.shown.shape[1] == a.dimensions and b.shown.shape[1] == b.dimensions
    part = whole if full else measure(a.reduced(), b.reduced(), folds, seed)
    gap = None if a.affine and a.bias is None else likelihood_gap(a, b, seed)
    wide = max(a.dimensions, b.dimensions)
    return Tie(
        tie=max(whole.ties),
        tie_ab=whole.ties[0],
        tie_ba=whole.ties[1],
        tie_chance=min(whole.chance),
        tie_chance_labels=whole.chance[0],
        tie_chance_rows=whole.chance[1],
        tie_floor=float(np.sqrt(1 - rank / wide)),
        tie_subspace=max(part.ties),
        tie_subspace_chance=min(part.chance),
        tie_logits=whole.in_logits,
        rank=rank,
        rank_a=a.rank,
        rank_b=b.rank,
        condition_a=a.condition,
        condition_b=b.condition,
        classes=len(a.g),
        dimensions=a.dimensions,
        dimensions_b=b.dimensions,
        diverse=a.rank == a.dimensions and b.rank == b.dimensions,
        r2_labels=r2_of_labels(a, b, folds, seed),
        r2_from_heads=whole.r2_from_heads,
        r2_from_data=whole.r2_from_data,
        r2_from_heads_subspace=part.r2_from_heads,
        r2_from_data_subspace=part.r2_from_data,
        distance=whole.distance,
        distance_subspace=part.distance,
        kl=gap.ab if gap else None,
        kl_back=gap.ba if gap else None,
        kl_chance=gap.chance if gap else None,
        kl_rows=gap.rows if gap else 0,
        biases=a.affine,
        rows=len(a.f),
        folds=folds,
        seed=seed,
        map_from_heads=whole.heads[0].matrix,
        map_from_data=whole.data[0].matrix,
    )


def _read(
    f_a: Any, f_b: Any, heads: Sequence[Any], *, biases: bool, bias_a: Any, bias_b: Any
) -> Any:
    if len(heads) != 2:
        raise BadInput(f"heads holds {len(heads)} arrays; two are needed, (g_a, g_b)")
    affine = biases or bias_a is not None or bias_b is not None
    a = read_model(f_a, heads[0], bias_a, affine=affine, name="a")
    b = read_model(f_b, heads[1], bias_b, affine=affine, name="b")
    if (a.bias is None) != (b.bias is None):
        return _zero_if_none(a), _zero_if_none(b)
    return a, b


def _zero_if_none(model: Model) -> Model:
    return replace(model, bias=np.zeros(len(model.g))) if model.bias is None else model
