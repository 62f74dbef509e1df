"""Two models measured against each other: both maps, their tie, and what chance gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._core import Floats
from ..metrics._second import SecondOrder
from ._tie_maps import Both, Codes, Heads, with_offset
from ._tie_model import Model

SHUFFLES = 10
SHUFFLED_ROWS = 20_000


@dataclass(frozen=True, eq=False)
class Measured:
    """Both maps between two models, and how they fit each other and the codes."""

    heads: Both
    data: Both
    ties: tuple[float, float]
    chance: tuple[float, float]
    """The ties when the labels of b are shuffled, and when its rows are."""
    in_logits: float
    r2_from_heads: float
    r2_from_data: float

    @property
    def distance(self) -> float:
        """‖A_heads - A_data‖_F / ‖A_data‖_F."""
        fitted = self.data[0].matrix
        return float(np.linalg.norm(self.heads[0].matrix - fitted) / np.linalg.norm(fitted))


def measure(a: Model, b: Model, folds: int, seed: int) -> Measured:
    """Fit, read off, and compare."""
    codes, heads = Codes(a.f, b.f, affine=a.affine, folds=folds, seed=seed), Heads(a, b)
    data, said = codes.fit(), heads.rows()
    if not heads.knows_offset:
        said = with_offset(said[0], codes.whole), with_offset(said[1], codes.whole.swapped())
    labels = heads.labels()
    sides = (a, codes.whole), (b, codes.whole.swapped())
    products = [m.matrix.T @ of_g for m, of_g in zip(data, labels, strict=True)]
    return Measured(
        heads=said,
        data=data,
        ties=_ties(data, labels),
        chance=_chance(a, b, data, seed),
        in_logits=max(_in_logits(x, *side) for x, side in zip(products, sides, strict=True)),
        r2_from_heads=codes.r2_of(said, free_offset=not heads.knows_offset),
        r2_from_data=codes.r2_of_fit(),
    )


def _ties(rows: Both, labels: tuple[Floats, Floats]) -> tuple[float, float]:
    """‖A_fᵀ A_g - I‖_F / √M, each way."""
    products = [m.matrix.T @ of_g for m, of_g in zip(rows, labels, strict=True)]
    ab, ba = (float(np.linalg.norm(x - np.eye(len(x))) / np.sqrt(len(x))) for x in products)
    return ab, ba


def _in_logits(product: Floats, model: Model, moments: SecondOrder) -> float:
    """‖F (A_fᵀ A_g - I) Gᵀ‖ / ‖F Gᵀ‖, from the second moments of f."""
    gram = moments.aa
    if not model.affine:
        gram = gram + moments.n * np.outer(moments.mean_a, moments.mean_a)
    wrong = model.centred @ (product - np.eye(len(product))).T
    sizes = [np.einsum("ij,jk,ik->", x, gram, x, optimize=True) for x in (wrong, model.centred)]
    return float(np.sqrt(max(sizes[0], 0.0) / sizes[1]))


def _chance(a: Model, b: Model, data: Both, seed: int) -> tuple[float, float]:
    """Median tie when the labels of b are shuffled, and when its rows are."""
    rng = np.random.default_rng(seed)
    heads, labels = Heads(a, b), Heads(a, b).labels()
    by_labels = [max(_ties(data, heads.labels(_shuffle(rng, len(a.g))))) for _ in range(SHUFFLES)]
    by_rows = []
    for _ in range(SHUFFLES):
        rows = rng.permutation(len(a.f))[:SHUFFLED_ROWS]
        other = rows[_shuffle(rng, len(rows))]
        codes = Codes(a.f[rows], b.f[other], affine=a.affine, folds=0, seed=seed)
        by_rows.append(max(_ties(codes.fit(), labels)))
    return float(np.median(by_labels)), float(np.median(by_rows))


def _shuffle(rng: np.random.Generator, n: int) -> Any:
    """A permutation that is not the identity."""
    while (order := rng.permutation(n)).tolist() == list(range(n)):
        pass
    return order


def r2_of_labels(a: Model, b: Model, folds: int, seed: int) -> float | None:
    """Two-way R² between centred g, held out over labels; None where they are too few."""
    labels = len(a.g)
    if labels - -(-labels // folds) < max(a.dimensions, b.dimensions) + 2 or labels < 2 * folds:
        return None
    return Codes(a.g, b.g, affine=True, folds=folds, seed=seed).r2_of_fit()
