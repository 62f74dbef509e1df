"""Values and slopes where theory gives them."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import t as student

from coset._lab import AbstractEncoder, Batch
from coset.encoders import Raw
from coset.objectives import (
    AlignMaxEnt,
    Canonical,
    Cosine,
    CrossEntropy,
    Dot,
    FreeHead,
    InfoNCE,
    KernelEntropy,
    LAlpha,
    NearestEntropy,
)

KEY = jax.random.key(0)


def uniform_sphere(rng, n, d):
    z = rng.normal(size=(n, d))
    return z / np.linalg.norm(z, axis=1, keepdims=True)


def heights(d, power):
    """Unnormalised density of the cosine t of a von Mises-Fisher law, log of the tilt `power` t."""
    return lambda t: np.exp(power * (t - 1)) * (1 - t * t) ** ((d - 3) / 2)


def vmf(rng, centres, kappa):
    """One draw around each centre: the cosine by rejection from a flat law, the rest evenly."""
    n, d = centres.shape
    density = heights(d, kappa)
    top = max(density(np.linspace(-1, 1, 10_001)[1:-1])) * 1.001
    cosines = np.full(n, np.nan)
    while (left := np.isnan(cosines)).any():
        proposed = rng.uniform(-1, 1, size=left.sum())
        kept = rng.uniform(0, top, size=left.sum()) < density(proposed)
        cosines[left] = np.where(kept, proposed, np.nan)
    across = rng.normal(size=(n, d))
    across -= (across * centres).sum(1, keepdims=True) * centres
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    return cosines[:, None] * centres + np.sqrt(1 - cosines[:, None] ** 2) * across


def expectation(d, kappa, of):
    density = heights(d, kappa)
    return quad(lambda t: of(t) * density(t), -1, 1)[0] / quad(density, -1, 1)[0]


class Linear(AbstractEncoder):
    """code = matrix @ x."""

    matrix: jax.Array

    def __call__(self, x):
        return self.matrix @ x


def rows(*arrays):
    return [jnp.asarray(array, jnp.float32) for array in arrays]


@pytest.mark.parametrize(("d", "kappa"), [(3, 2.0), (5, 4.0)])
def test_ideal_encoder_reaches_the_integrated_expectation(d, kappa):
    rng = np.random.default_rng(0)
    n = 4000
    z, w = uniform_sphere(rng, n, d), uniform_sphere(rng, n, d)
    batch = Batch(*rows(z, vmf(rng, z, kappa), w))
    objective = InfoNCE(
        Cosine(), 1 / kappa, negatives="fresh", positive_in_denominator=False, mean=True
    )
    cosine = expectation(d, kappa, lambda t: t)
    spread = np.sqrt(expectation(d, kappa, lambda t: t * t) - cosine**2)
    first = expectation(d, 0, lambda t: np.exp(kappa * t))
    second = expectation(d, 0, lambda t: np.exp(2 * kappa * t))
    finite = (second / first**2 - 1) / (2 * n)  # log of a mean of n terms falls short by this
    expected = -kappa * cosine + np.log(first) - finite
    # The mean cosine has standard error spread / sqrt(n); anchors and negatives are uniform, so
    # the logarithm adds O(1/n). At 5 errors + 1e-3 it fails for about 1 seed in 10^6.
    found = float(objective(Raw(), batch, key=KEY))
    assert abs(found - expected) < 5 * kappa * spread / np.sqrt(n) + 1e-3


def slopes(objective, radius, kappa, *, d=4, n=64, repeats=256, seed=1):
    """Slopes at code = radius · rotation · latent, one row for each draw of a batch."""
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(d, d)))[0]
    z = uniform_sphere(rng, n * repeats, d)
    near, far = vmf(rng, z, kappa), uniform_sphere(rng, n * repeats, d)
    x, positive, negative = (
        each.reshape(repeats, n, d) for each in rows(z, near, far)
    )  # fmt: skip
    learner = (Linear(jnp.asarray(radius * turn, jnp.float32)), objective)

    @eqx.filter_jit
    def one(x, positive, negative):
        batch = Batch(x, positive, negative)
        value = eqx.filter_grad(lambda pair: pair[1](pair[0], batch, key=KEY))
        slope = value(learner)
        return jnp.concatenate([slope[0].matrix.ravel(), slope[1].log_temperature[None]])

    return np.asarray(jax.vmap(one)(x, positive, negative), float)


def surprise_of(slope):
    """The largest |t| of the columns' means."""
    error = slope.std(axis=0, ddof=1) / np.sqrt(len(slope))
    return np.max(np.abs(slope.mean(axis=0) / error))


# 17 slopes, 256 draws: |t| passes 6 by chance with probability below 17 * 2 * P(t_255 > 6).
LIMIT = 6.0
assert 17 * 2 * student.sf(LIMIT, 255) < 1e-6


@pytest.mark.parametrize("negatives", ["views", "positives", "both", "fresh"])
def test_no_slope_at_the_scaled_rotation(negatives):
    """Where radius² / τ = κ the model is the world's own law, whatever the number of negatives."""
    kappa, tau = 3.0, 0.5
    objective = InfoNCE(Dot(), tau, negatives=negatives, learned_temperature=True)
    assert surprise_of(slopes(objective, np.sqrt(kappa * tau), kappa)) < LIMIT
    # Control: another radius has a slope. Its |t| is 56 to 63 over seeds 0 to 11.
    assert surprise_of(slopes(objective, 1.3 * np.sqrt(kappa * tau), kappa)) > 2 * LIMIT


def test_an_anchor_among_its_own_negatives_moves_the_optimum():
    kappa, tau = 3.0, 0.5
    objective = InfoNCE(Dot(), tau, exclude_self=False, learned_temperature=True)
    # |t| is 17 to 20 over seeds 0 to 11, with standard deviation 0.7.
    assert surprise_of(slopes(objective, np.sqrt(kappa * tau), kappa)) > 2 * LIMIT


def test_bayes_logits_reach_the_conditional_entropy():
    """A batch that holds the joint law exactly: nothing is random."""
    counts = np.array([[7, 1, 1, 1], [2, 3, 4, 1], [1, 1, 4, 4], [1, 5, 2, 2], [3, 3, 3, 1]])
    x = np.repeat(np.eye(5), 10, axis=0)
    labels = np.concatenate([np.repeat(np.arange(4), row) for row in counts])
    law = counts / 10
    entropy = -np.mean(np.sum(law * np.log(law), axis=1))
    batch = Batch(rows(x)[0], auxiliary=jnp.asarray(labels))
    bayes = eqx.tree_at(
        lambda h: h.weight, FreeHead(KEY, 4, 5), jnp.asarray(np.log(law).T, jnp.float32)
    )
    for objective in (CrossEntropy(bayes), Canonical(bayes, "labels")):
        value, slope = eqx.filter_value_and_grad(lambda o: o(Raw(), batch, key=KEY))(objective)
        assert float(value) == pytest.approx(entropy, abs=1e-6)
        assert max(float(jnp.abs(leaf).max()) for leaf in jax.tree.leaves(slope)) < 1e-7


def test_a_shift_of_the_table_changes_nothing():
    rng = np.random.default_rng(0)
    batch = Batch(rows(rng.normal(size=(20, 3)))[0], auxiliary=jnp.arange(20) % 5)
    free = Canonical.classification(KEY, 5, 3)
    moved = eqx.tree_at(lambda o: o.g.weight, free, free.g.weight + jnp.array([1.0, -2.0, 3.0]))
    values = [float(each(Raw(), batch, key=KEY)) for each in (free, moved)]
    assert values[0] == pytest.approx(values[1], abs=1e-5)


def test_tied_maps_change_nothing():
    """f → A f with g → A^{-T} g: what the canonical form leaves open."""
    rng = np.random.default_rng(0)
    mixed = rng.normal(size=(3, 3))
    x, positive, f, g, a = rows(*rng.normal(size=(2, 20, 4)), *rng.normal(size=(2, 3, 4)), mixed)
    batch = Batch(x, positive)
    plain = Canonical.cpc(Linear(g))(Linear(f), batch, key=KEY)
    tied = Canonical.cpc(Linear(jnp.linalg.inv(a).T @ g))(Linear(a @ f), batch, key=KEY)
    assert float(plain) == pytest.approx(float(tied), abs=1e-4)


def test_n_pair_is_infonce_among_positives():
    rng = np.random.default_rng(0)
    batch = Batch(*rows(*rng.normal(size=(2, 20, 4))))
    same = InfoNCE(Dot(), negatives="positives")(Raw(), batch, key=KEY)
    assert float(Canonical.n_pair()(Raw(), batch, key=KEY)) == pytest.approx(float(same), abs=1e-5)


@pytest.mark.parametrize("negatives", ["views", "positives", "both", "fresh"])
@pytest.mark.parametrize("hardness", [0.0, 2.0])
@pytest.mark.parametrize("similarity", [Dot(), LAlpha(1), Cosine()])
def test_collapsed_codes_cost_the_logarithm_of_the_candidates(negatives, hardness, similarity):
    n, fresh = 16, 10
    batch = Batch(jnp.ones((n, 3)), jnp.ones((n, 3)), jnp.ones((fresh, 3)))
    others = {"views": n - 1, "positives": n - 1, "both": 2 * n - 2, "fresh": fresh}[negatives]
    how = {"negatives": negatives, "hardness": hardness}
    value = InfoNCE(similarity, 0.3, **how)(Raw(), batch, key=KEY)
    assert float(value) == pytest.approx(np.log(others + 1), abs=1e-5)
    assert float(InfoNCE(similarity, 0.3, mean=True, **how)(Raw(), batch, key=KEY)) == (
        pytest.approx(0, abs=1e-5)
    )


TOLERANCE = 0.25
"""Over 60 seeds the bias is at most 0.12 and bias plus 6 standard deviations at most 0.24."""
NORMAL = np.log(2 * np.pi * np.e) / 2
LAWS = [("uniform", 1, 0.0), ("uniform", 3, 0.0), ("normal", 1, NORMAL), ("normal", 3, 3 * NORMAL)]


@pytest.mark.parametrize(("law", "k", "entropy"), LAWS)
@pytest.mark.parametrize("neighbours", [1, 4])
def test_entropy_of_known_laws(law, k, entropy, neighbours):
    draw = jax.random.uniform if law == "uniform" else jax.random.normal
    estimate = NearestEntropy(neighbours)(draw(KEY, (2000, k)))
    assert abs(float(estimate) - entropy) < TOLERANCE


def test_kernel_entropy_tends_to_the_cross_entropy_with_the_blurred_law():
    h = 0.5
    blurred = 1 + h * h
    expected = 2 * (np.log(2 * np.pi * blurred) / 2 + 1 / (2 * blurred))
    codes = jax.random.normal(KEY, (4000, 2))
    # Five standard deviations (0.016 over 30 seeds): fails for fewer than 1 seed in 10^6.
    assert abs(float(KernelEntropy(h)(codes)) - expected) < 0.08


def test_uniform_shared_content_is_the_least_there_is():
    x = jax.random.logistic(KEY, (2000, 2))
    value = AlignMaxEnt()(Raw(), Batch(x, x), key=KEY)
    assert abs(float(value)) < TOLERANCE
    squeezed = AlignMaxEnt()(Raw(), Batch(x / 2, x / 2), key=KEY)
    # 0.53 with standard deviation 0.04 over 30 seeds: 8 of them away.
    assert float(squeezed) > 0.2
