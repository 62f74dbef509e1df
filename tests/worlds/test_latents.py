"""Marginal laws against their densities."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats
from scipy.special import xlogy

from coset._assumptions import DIVERSE_LABELS, MODULATED, SPANNING_CENTRES, VMF_CLUSTERS
from coset._core import BadInput
from coset.worlds import (
    Box,
    Clusters,
    ContentStyle,
    Identity,
    Laplace,
    Noisy,
    Normal,
    Product,
    Projected,
    Segments,
    Shuffled,
    Sphere,
    Torus,
    Unbounded,
    Uniform,
    Unpaired,
    VonMisesFisher,
    World,
    box,
)

N = 50_000


@pytest.mark.parametrize("d", [2, 3, 10, 50])
def test_uniform_on_a_sphere(d, draws, uniform_directions):
    z, _ = draws(Uniform(Sphere(d)), N)
    uniform_directions(z)


def test_uniform_elsewhere(draws, follows, likely):
    z, _ = draws(Uniform(Product([Box(2, [0.0, -3.0], [1.0, 4.0]), Torus(2), Sphere(3)])), N)
    follows(z[:, 0], stats.uniform(0, 1).cdf)
    follows(z[:, 1], stats.uniform(-3, 7).cdf)
    angles = np.arctan2(z[:, 3], z[:, 2]), np.arctan2(z[:, 5], z[:, 4])
    for angle in angles:
        follows(angle, stats.uniform(-np.pi, 2 * np.pi).cdf)
    follows(z[:, 8], stats.uniform(-1, 2).cdf)
    for a, b in ((z[:, 0], z[:, 1]), angles, (angles[1], z[:, 8])):
        likely(stats.spearmanr(a, b).pvalue)


def test_volumes():
    assert Sphere(2).log_volume() == pytest.approx(np.log(2 * np.pi))
    assert Torus(3).log_volume() == pytest.approx(3 * np.log(2 * np.pi))
    assert Product([Box(2, 0.0, 3.0), Sphere(3)]).log_volume() == pytest.approx(
        np.log(9 * 4 * np.pi)
    )


def test_noise_around_a_centre(rng, draws, follows):
    z, _ = draws(Noisy(Sphere(3), Laplace(0.7)), N)
    moved = np.eye(3)[0] + rng.laplace(scale=0.7, size=(N, 3))
    moved /= np.linalg.norm(moved, axis=1, keepdims=True)
    for k in range(3):
        follows(z[:, k], moved[:, k])
    z, _ = draws(Noisy(Box(2, -1.0, 1.0), Normal(0.8), centre=[0.0, 0.9]), N)
    for k, centre in enumerate((0.0, 0.9)):
        ends = (-1 - centre) / 0.8, (1 - centre) / 0.8
        follows(z[:, k], stats.truncnorm(*ends, loc=centre, scale=0.8).cdf)
    z, _ = draws(Noisy(Unbounded(2), Normal(2.0), centre=[1.0, 5.0]), N)
    for k, centre in enumerate((1.0, 5.0)):
        follows(z[:, k], stats.norm(centre, 2).cdf)
    z, _ = draws(Noisy(Torus(2), Normal(0.5)), N)
    np.testing.assert_allclose(z[:, 0] ** 2 + z[:, 1] ** 2, 1, atol=1e-5)


@pytest.mark.parametrize("instances", [None, 23])
def test_labels_are_even_and_latents_gather_around_their_centre(
    instances, rng, draws, follows, likely, cdf_of
):
    centres = rng.normal(size=(7, 4))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    clusters = Clusters(centres, VonMisesFisher(20.0, 4), instances)
    z, label = draws(clusters, N)
    counts = np.bincount(label.astype(int), minlength=instances or 7)
    assert len(counts) == (instances or 7)
    likely(stats.chisquare(counts).pvalue)
    law = cdf_of(lambda t: 20 * np.cos(t) + xlogy(2, np.sin(t)), 0, np.pi)
    own = (z * centres[label.astype(int) % 7]).sum(axis=1)
    follows(np.arccos(np.clip(own, -1, 1)), law)
    follows(np.arccos(np.clip(own[label == 3], -1, 1)), law)


def test_what_centres_promise():
    law = VonMisesFisher(5.0, 3)
    enough = Clusters(np.vstack([np.eye(3), -np.eye(3)]), law).satisfies
    assert {SPANNING_CENTRES, DIVERSE_LABELS, VMF_CLUSTERS} <= enough
    few = Clusters(np.eye(3), law).satisfies
    assert not {SPANNING_CENTRES, DIVERSE_LABELS} & few
    assert VMF_CLUSTERS not in Clusters(np.eye(3), Projected(Normal(1.0))).satisfies


def test_content_and_style_have_their_own_covariances(rng, draws, follows):
    root_c, root_s = rng.normal(size=(2, 2)), rng.normal(size=(3, 3))
    of_content, of_style = root_c @ root_c.T, root_s @ root_s.T
    offset, effect = rng.normal(size=3), rng.normal(size=(3, 2))
    latents = ContentStyle(2, 3, of_content, of_style, (offset, effect))
    z, _ = draws(latents, N)
    content, style = z[:, :2], z[:, 2:]
    residual = style - offset - content @ effect.T
    white = np.hstack(
        [
            np.linalg.solve(np.linalg.cholesky(of_content), content.T).T,
            np.linalg.solve(np.linalg.cholesky(of_style), residual.T).T,
        ]
    )
    for axis in np.vstack([np.eye(5), np.ones(5), rng.normal(size=(6, 5))]):
        follows(white @ axis / np.linalg.norm(axis), stats.norm.cdf)


def test_shuffled_labels_say_nothing_of_latents():
    """Sizes of 4,096 rows differ between labels of their own, not between shuffled ones."""
    latents = Segments([[0.1, 0.2, 0.3], [2.0, 2.5, 3.0]], Normal(1.0))
    world = World(latents, Unpaired(), Identity())
    plain, mixed = (one.sample(jax.random.key(0), 4096) for one in (world, Shuffled(world)))
    for drawn, apart in ((plain, True), (mixed, False)):
        label = np.asarray(drawn.batch.auxiliary)
        sizes = np.abs(np.asarray(drawn.latent)).mean(axis=1)
        p_value = stats.ks_2samp(sizes[label == 0], sizes[label == 1]).pvalue
        assert (p_value < 1e-6) == apart
        assert abs(label.mean() - 0.5) < 0.05
    assert MODULATED not in Shuffled(world).satisfies
    with pytest.raises(BadInput, match="without labels"):
        Shuffled(box(0, d=3)).sample(jax.random.key(0), 4)


def test_refusals():
    with pytest.raises(BadInput, match="unbounded"):
        Uniform(Unbounded(3))
    with pytest.raises(BadInput, match="unbounded"):
        Unbounded(3).uniform(jax.random.key(0))
    with pytest.raises(BadInput, match="low below high"):
        Box(2, 1.0, 0.0)
    with pytest.raises(BadInput, match="d=1"):
        Sphere(1)
    with pytest.raises(BadInput, match="shape"):
        Noisy(Sphere(3), Normal(1.0), centre=jnp.zeros(2))
    with pytest.raises(BadInput, match="at least as many"):
        Clusters(np.eye(3), VonMisesFisher(1.0, 3), instances=2)
    with pytest.raises(BadInput, match="draws no positive"):
        Clusters(np.eye(3), Unpaired()).sample(jax.random.key(0))
    with pytest.raises(BadInput, match="no spaces"):
        Product([])
