"""Conditional laws against their densities, or against the plainest way to draw from them."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from coset._assumptions import FEW_CHANGES, STYLE_CHANGES
from coset._core import BadInput
from coset.worlds import (
    Additive,
    Anisotropic,
    Blockwise,
    Box,
    FewChanges,
    GeneralisedNormal,
    Laplace,
    Normal,
    Projected,
    Resampled,
    StyleChange,
    Truncated,
    Unpaired,
    VonMisesFisher,
)

N = 50_000


def direction(*values):
    z = np.array(values, dtype=float)
    return z / np.linalg.norm(z)


def as_latent(z):
    return jnp.asarray(z, jnp.float32)


def two_sample(follows, ours, theirs):
    """Every coordinate, and two directions across them."""
    d = ours.shape[1]
    axes = np.vstack([np.eye(d), np.ones(d), np.linspace(-1, 1, d)])
    for axis in axes:
        follows(ours @ axis, theirs @ axis)


def plainly_anisotropic(rng, z, precision, n):
    """Add normal noise, keep what stays near the sphere, project."""
    kept = np.zeros((0, len(z)))
    while len(kept) < n:
        w = z + rng.normal(size=(4 * n, len(z))) / np.sqrt(precision)
        kept = np.vstack([kept, w[np.abs(np.linalg.norm(w, axis=1) - 1) < 0.1]])
    return kept[:n] / np.linalg.norm(kept[:n], axis=1, keepdims=True)


@pytest.mark.parametrize("precision", [[1.0, 4.0, 40.0], np.linspace(5, 25, 10), [300.0] * 4])
def test_anisotropic_positives_are_those_of_plain_rejection(precision, rng, draws, follows):
    z = direction(*range(1, len(precision) + 1))
    ours = draws(Anisotropic(precision), N, as_latent(z))
    two_sample(follows, ours, plainly_anisotropic(rng, z, np.asarray(precision), N))


@pytest.mark.parametrize("precision", [[5.0, 25.0], [0.5, 2.0], [400.0, 100.0]])
def test_anisotropic_positives_on_a_circle_follow_the_density(precision, draws, follows, cdf_of):
    """p(angle) ∝ ∫ r exp(-½ (r u - z)ᵀ Λ (r u - z)) dr over the shell."""
    z = direction(2, 1)
    ours = draws(Anisotropic(precision), N, as_latent(z))

    def log_density(angle):
        u = np.stack([np.cos(angle), np.sin(angle)])
        r = np.linspace(0.9, 1.1, 201)[:, None]
        away = [(r * u[k] - z[k]) ** 2 * precision[k] for k in range(2)]
        return np.log(np.trapezoid(r * np.exp(-sum(away) / 2), r, axis=0) + 1e-300)

    law = cdf_of(log_density, -np.pi, np.pi, points=5001)
    follows(np.arctan2(ours[:, 1], ours[:, 0]), law)


@pytest.mark.parametrize(
    ("noise", "reference"),
    [
        (Normal(0.5), stats.norm(scale=0.5)),
        (Laplace(0.5), stats.laplace(scale=0.5)),
        (GeneralisedNormal(0.5, 3.0), stats.gennorm(3, scale=0.5)),
    ],
)
def test_projected_positives(noise, reference, rng, draws, follows):
    z = direction(3, 2, 1)
    moved = z + reference.rvs(size=(N, 3), random_state=rng)
    theirs = moved / np.linalg.norm(moved, axis=1, keepdims=True)
    two_sample(follows, draws(Projected(noise), N, as_latent(z)), theirs)


def test_truncated_positives_in_a_box_of_their_own(draws, follows):
    z = np.array([-1.0, 0.2, 2.9])
    ours = draws(Truncated(Normal(0.5), -1.0, [1.0, 2.0, 3.0]), N, as_latent(z))
    for k, high in enumerate((1.0, 2.0, 3.0)):
        low, high = (-1 - z[k]) / 0.5, (high - z[k]) / 0.5
        follows(ours[:, k], stats.truncnorm(low, high, loc=z[k], scale=0.5).cdf)


def test_additive_positives(draws, follows):
    z = np.array([-1.0, 5.0])
    ours = draws(Additive(Laplace(2.0)), N, as_latent(z))
    for k in range(2):
        follows(ours[:, k], stats.laplace(loc=z[k], scale=2).cdf)


COVARIANCE = np.array([[2.0, 1.2, -0.5], [1.2, 1.5, 0.0], [-0.5, 0.0, 1.0]])


@pytest.mark.parametrize("probability", [0.0, 0.3, 0.75, 1.0])
def test_style_changes_as_often_and_as_far_as_said(probability, draws, follows, likely):
    z = np.arange(5.0)
    pairing = StyleChange(2, COVARIANCE, probability)
    moved = draws(pairing, N, as_latent(z)) - z
    assert (moved[:, :2] == 0).all()
    moved = moved[:, 2:]
    changed = moved != 0
    assert (STYLE_CHANGES in pairing.satisfies) == (probability > 0)
    if probability in (0.0, 1.0):
        assert (changed == (probability == 1)).all()
    else:
        # how often, alone and together: 2^3 patterns of independent changes
        patterns = np.bincount(changed @ np.array([1, 2, 4]), minlength=8)
        count = np.array([bin(k).count("1") for k in range(8)])
        expected = N * probability**count * (1 - probability) ** (3 - count)
        likely(stats.chisquare(patterns, expected).pvalue)
    for k in range(3):
        if changed[:, k].any():
            follows(moved[changed[:, k], k], stats.norm(scale=COVARIANCE[k, k] ** 0.5).cdf)
    both = moved[changed.all(axis=1)]
    if len(both):
        whitened = np.linalg.solve(np.linalg.cholesky(COVARIANCE), both.T)
        for mix in np.array([[1, 1, 0], [1, -1, 1], [0, 1, -1.0], [1, 0, 1]]):
            follows(mix @ whitened / np.linalg.norm(mix), stats.norm.cdf)


def test_resampled_latents_forget_what_they_were(draws, follows):
    z = np.array([10.0, 20.0, 30.0])
    ours = draws(Resampled((0, 2), Box(2, [0.0, 5.0], [1.0, 7.0])), N, as_latent(z))
    assert (ours[:, 1] == 20).all()
    follows(ours[:, 0], stats.uniform(0, 1).cdf)
    follows(ours[:, 2], stats.uniform(5, 2).cdf)
    ours = draws(Resampled((1,), Normal(3.0)), N, as_latent(z))
    follows(ours[:, 1], stats.norm(scale=3).cdf)


@pytest.mark.parametrize("changes", [1, 2, 3])
def test_as_many_latents_change_as_said_and_each_as_often(changes, draws, follows, likely):
    z = np.array([10.0, 20.0, 30.0])
    pairing = FewChanges(3, changes, Normal(2.0))
    ours = draws(pairing, N, as_latent(z))
    changed = ours != z
    assert (changed.sum(axis=1) == changes).all()
    assert (FEW_CHANGES in pairing.satisfies) == (changes < 3)
    if changes < 3:
        likely(stats.chisquare(np.bincount((changed == (changes == 1)).argmax(axis=1))).pvalue)
    for k in range(3):
        follows(ours[changed[:, k], k], stats.norm(scale=2).cdf)
    boxed = draws(FewChanges(3, changes, Box(3, 5.0, 7.0)), N, as_latent(z))
    follows(boxed[boxed[:, 1] != 20, 1], stats.uniform(5, 2).cdf)


def test_blocks_move_on_their_own(draws, follows, likely):
    z = np.array([1.0, 0.0, 0.0, 1.0, 0.5])
    pairing = Blockwise(
        [VonMisesFisher(4.0, 2), VonMisesFisher(400.0, 2), Truncated(Laplace(0.2))], [2, 2, 1]
    )
    ours = draws(pairing, N, as_latent(z))
    angles = np.arctan2(ours[:, 1], ours[:, 0]), np.arctan2(-ours[:, 2], ours[:, 3])
    for angle, kappa in zip(angles, (4.0, 400.0), strict=True):
        follows(angle, stats.vonmises(kappa).cdf)
    for a, b in ((angles[0], angles[1]), (angles[0], ours[:, 4]), (angles[1], ours[:, 4])):
        likely(stats.spearmanr(a, b).pvalue)


def test_refusals():
    with pytest.raises(BadInput, match="kappa=-1"):
        VonMisesFisher(-1.0, 3)
    with pytest.raises(BadInput, match="precision"):
        Anisotropic([1.0, 0.0])
    with pytest.raises(BadInput, match="probability=2"):
        StyleChange(2, np.eye(2), 2.0)
    with pytest.raises(BadInput, match="positive definite"):
        StyleChange(2, np.zeros((2, 2)), 1.0)
    with pytest.raises(BadInput, match="as many"):
        Resampled((0,), Box(2))
    with pytest.raises(BadInput, match="changes=0 of d=3"):
        FewChanges(3, 0, Normal(1.0))
    with pytest.raises(BadInput, match="2 coordinates for d=3"):
        FewChanges(3, 1, Box(2))
    with pytest.raises(BadInput, match="one size each"):
        Blockwise([Unpaired()], [1, 1])
