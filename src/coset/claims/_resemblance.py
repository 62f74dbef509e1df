"""How alike two models of the canonical form are, on rows that neither was trained on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._core import BadInput, Floats
from ..audit import tie
from ..groups import AffineMap, MomentGroup, group
from ..metrics import cca
from ..metrics._route import second_moments

WHOLE = 1e-5
"""Singular values below this share of the largest are rounding: codes are in float32."""


@dataclass(frozen=True, eq=False)
class Twin:
    """One model: codes of rows (n, M), codes of labels (K, M), offsets of labels (K,) or None."""

    f: Floats
    g: Floats
    offsets: Floats | None = None


def resemblance(a: Twin, b: Twin, latent: Floats) -> dict[str, float]:
    """Scores by name; those that do not apply are NaN. R² below -1 is given as -1.

    | name | of | what |
    |---|---|---|
    | `mean_cca`, `least_cca` | f | held-out canonical correlations, their mean and the least |
    | `mean_cca_in_sample` | f | as published |
    | `r2_linear`, `r2_affine`, `r2_orthogonal` | f | two-way, held out |
    | `r2_g_linear`, `r2_g_affine`, | g | the same over labels |
    | `tie`, `tie_subspace`, `heads_vs_data`, | f and g | see `coset.audit.tie` |
    | `r2_from_heads`, `r2_subspace`, `rank`, `condition`, `kl` | | |
    | `kl_share` | f and g | of the divergence from the other's prediction of another row |
    | `r2_latent` | f of a, latents | two-way, held out, linear |

    Args:
        a: one model.
        b: the other, on the same rows and labels.
        latent: (n, d) of these rows.
    """
    if not all(np.isfinite(x).all() for x in (a.f, a.g, b.f, b.g)):
        return dict.fromkeys(NAMES, float("nan"))
    mean, least = held_out_cca(a.f, b.f)
    found = dict.fromkeys(NAMES, float("nan"))
    found |= {
        "mean_cca": mean,
        "least_cca": least,
        "mean_cca_in_sample": float(cca(a.f, b.f)),
        **{f"r2_{name}": two_way(name, a.f, b.f) for name in ("linear", "affine", "orthogonal")},
        **_tied(a, b),
    }
    if len(a.g) >= 2 * (a.g.shape[1] + 2):
        found |= {f"r2_g_{name}": two_way(name, a.g, b.g) for name in ("linear", "affine")}
    if latent.shape[1] == a.f.shape[1]:
        found["r2_latent"] = two_way("linear", a.f, latent)
    return {name: max(x, -1.0) if name.startswith("r2") else x for name, x in found.items()}


NAMES = (
    "mean_cca", "least_cca", "mean_cca_in_sample", "r2_linear", "r2_affine", "r2_orthogonal",
    "r2_g_linear", "r2_g_affine", "tie", "tie_subspace", "heads_vs_data", "r2_from_heads",
    "r2_subspace", "rank", "condition", "kl", "kl_share", "r2_latent",
)  # fmt: skip


def held_out_cca(a: Floats, b: Floats) -> tuple[float, float]:
    """Mean and least canonical correlation: directions of one half of the rows, scored on the
    other, and the other way round.

    Example:
        >>> rows = np.random.default_rng(0).normal(size=(200, 3))
        >>> np.round(held_out_cca(rows, rows @ [[1, 2, 0], [0, 1, 1], [3, 0, 1]]), 6).tolist()
        [1.0, 1.0]
    """
    half = len(a) // 2
    parts = slice(None, half), slice(half, None)
    found = np.array([_scored(a, b, fit, test) for fit, test in (parts, parts[::-1])])
    return float(found.mean()), float(found.min(axis=1).mean())


def _scored(a: Floats, b: Floats, fit: slice, test: slice) -> Floats:
    """Correlation on the test rows of every pair of directions; codes that vary in fewer
    directions than they have columns count 0 for the others.
    """
    white = [_whitening(x[fit]) for x in (a, b)]
    inner = [(x[fit] - x[fit].mean(0)) @ w for x, w in zip((a, b), white, strict=True)]
    left, _, right = np.linalg.svd(inner[0].T @ inner[1], full_matrices=False)
    u, v = a[test] @ white[0] @ left, b[test] @ white[1] @ right.T
    u, v = u - u.mean(0), v - v.mean(0)
    sizes = np.linalg.norm(u, axis=0) * np.linalg.norm(v, axis=0)
    found = np.zeros(min(a.shape[1], b.shape[1]))
    found[: len(sizes)] = np.einsum("ij,ij->j", u, v) / np.where(sizes > 0, sizes, 1)
    return found


def _whitening(x: Floats) -> Floats:
    _, sizes, right = np.linalg.svd(x - x.mean(0), full_matrices=False)
    kept = sizes > WHOLE * sizes[0]
    return np.asarray(right[kept].T / sizes[kept])


def through(name: str, a: Floats, b: Floats) -> AffineMap:
    """The best map of a group from a to b, fitted on all rows."""
    return _both(name, a, b)[0]


def two_way(name: str, a: Floats, b: Floats) -> float:
    """R² of the best map of a group, fitted on one half and scored on the other; the lesser of
    both directions.

    Example:
        >>> rows = np.random.default_rng(0).normal(size=(200, 2))
        >>> turned = rows @ [[0.6, 0.8], [-0.8, 0.6]] + 1
        >>> round(two_way("affine", rows, turned), 6), two_way("linear", rows, turned) < 0.5
        (1.0, True)
    """
    half = len(a) // 2
    errors, total = np.zeros(2), np.array([_spread(b), _spread(a)])
    for fit, test in ((slice(None, half), slice(half, None)), (slice(half, None), slice(half))):
        there, back = _both(name, a[fit], b[fit])
        errors += [((there(a[test]) - b[test]) ** 2).sum(), ((back(b[test]) - a[test]) ** 2).sum()]
    return float(1 - (errors / total).max())


def _both(name: str, a: Floats, b: Floats) -> tuple[AffineMap, AffineMap]:
    chosen = group(name)
    if not isinstance(chosen, MomentGroup):
        raise BadInput(f"{name} is not fitted from second moments; give linear, affine, orthogonal")
    return chosen.fit_both(second_moments(a, b))


def _spread(x: Floats) -> float:
    return float(((x - x.mean(0)) ** 2).sum())


def _tied(a: Twin, b: Twin) -> dict[str, float]:
    found = tie(
        a.f, b.f, (a.g, b.g), biases=a.offsets is not None, bias_a=a.offsets, bias_b=b.offsets
    )
    return {
        "tie": found.tie,
        "tie_subspace": found.tie_subspace,
        "heads_vs_data": found.distance,
        "r2_from_heads": found.r2_from_heads,
        "r2_subspace": found.r2_from_data_subspace,
        "rank": float(found.rank),
        "condition": found.condition,
        "kl": _or_nan(found.kl),
        "kl_share": _or_nan(found.kl) / _or_nan(found.kl_chance),
    }


def _or_nan(value: float | None) -> float:
    return float("nan") if value is None else value
