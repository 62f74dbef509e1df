"""Similarities, sums in the logarithm, heads and refusals."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import logsumexp

from coset._assumptions import INDEPENDENT_NEGATIVES, INJECTIVE, PAIRED, UNIFORM, l_alpha
from coset._core import BadInput
from coset._lab import Batch
from coset.encoders import Raw
from coset.objectives import (
    CONTENT,
    AlignMaxEnt,
    Anisotropic,
    Canonical,
    Cosine,
    CrossEntropy,
    Dot,
    Ensemble,
    FreeHead,
    InfoNCE,
    KernelEntropy,
    LAlpha,
    NearestEntropy,
    Quadratic,
    UnitHead,
    _log_sum,
)

KEY = jax.random.key(0)
SIMILARITIES = [
    Dot(), Cosine(), *map(LAlpha, (0.5, 1, 1.5, 2, 3)), Anisotropic(3, precision=2.0), Quadratic(3),
]  # fmt: skip
NAMED = [type(s).__name__ + str(getattr(s, "alpha", "")) for s in SIMILARITIES]


@pytest.fixture
def codes(rng):
    return [jnp.asarray(rng.normal(size=(n, 3)), jnp.float32) for n in (9, 7)]


@pytest.mark.parametrize("similarity", SIMILARITIES, ids=NAMED)
def test_pairwise_holds_every_pair(similarity, codes):
    u, v = codes
    both = similarity.pairwise(u, v)
    assert both.shape == (9, 7)
    for j in range(7):
        one = similarity.pair(u, jnp.broadcast_to(v[j], u.shape))
        np.testing.assert_allclose(both[:, j], one, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("similarity", SIMILARITIES, ids=NAMED)
def test_slopes_are_finite_where_codes_coincide(similarity, codes):
    u = codes[0].at[1].set(codes[0][0])
    slope = jax.grad(lambda u: jnp.sum(similarity.pairwise(u, u) + similarity.pair(u, u)))(u)
    assert np.isfinite(slope).all()


@pytest.mark.parametrize("similarity", [LAlpha(2), Anisotropic(3)])
def test_far_from_the_origin_distances_stay_right(similarity, codes):
    u, v = codes
    far = similarity.pairwise(u + 1000.0, v + 1000.0)
    np.testing.assert_allclose(far, similarity.pairwise(u, v), atol=2e-3)


def test_precision_starts_where_it_is_told():
    np.testing.assert_allclose(Anisotropic(4).precision, np.log(2), rtol=1e-6)
    given = np.array([5.0, 10.0, 20.0, 40.0])
    np.testing.assert_allclose(Anisotropic(4, precision=given).precision, given, rtol=1e-5)


def test_codes_are_read_in_the_axes_of_the_metric():
    """There the metric is diagonal, and the value is that of diagonal precisions."""
    metric = Quadratic(3)
    root = jax.random.normal(KEY, (3, 3))
    metric = eqx.tree_at(lambda one: one.root, metric, root)
    keys = jax.random.split(KEY)
    batch = Batch(x=jax.random.normal(keys[0], (8, 3)), positive=jax.random.normal(keys[1], (8, 3)))
    full = InfoNCE(metric)
    turned = Ensemble([InfoNCE(), full]).readout(Raw())
    diagonal = InfoNCE(Anisotropic(3, precision=metric.precision))
    np.testing.assert_allclose(
        full(Raw(), batch, key=KEY), diagonal(turned, batch, key=KEY), rtol=1e-4
    )
    assert InfoNCE().readout(Raw()) == Raw()


@pytest.mark.parametrize("m", [40, 64])
@pytest.mark.parametrize("filled", ["nothing", "empty", "numbers"])
@pytest.mark.parametrize("similarity", [Dot(), LAlpha(1)], ids=["product", "differences"])
def test_blocks_of_rows_sum_as_the_whole(similarity, m, filled, monkeypatch):
    """Sizes that divide into blocks and sizes that leave a rest."""
    rng = np.random.default_rng(0)
    u, v = (jnp.asarray(rng.normal(size=(n, 5)), jnp.float32) for n in (40, m))
    own = {"nothing": None, "empty": -jnp.inf, "numbers": jnp.arange(40.0) / 10}[filled]

    def value(pair):
        return jnp.sum(jnp.sin(_log_sum.log_sum(similarity, *pair, 1.3, own)))

    whole = jax.value_and_grad(value)((u, v))
    logits = 1.3 * np.asarray(similarity.pairwise(u, v), float)
    if own is not None:
        logits[np.arange(40), np.arange(40)] = own
    np.testing.assert_allclose(whole[0], np.sin(logsumexp(logits, axis=1)).sum(), atol=1e-4)
    monkeypatch.setattr(_log_sum, "WHOLE", 100)
    monkeypatch.setattr(_log_sum, "BLOCK", 7 * m)
    for a, b in zip(jax.tree.leaves(whole), jax.tree.leaves(jax.value_and_grad(value)((u, v)))):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("negatives", ["views", "positives", "both", "fresh"])
@pytest.mark.parametrize("hardness", [0.0, 5.0])
@pytest.mark.parametrize("temperature", [1e-3, 1e3])
def test_extreme_temperatures_stay_finite(negatives, hardness, temperature, codes):
    batch = Batch(codes[0], -codes[0], codes[1])
    objective = InfoNCE(
        Cosine(), temperature, negatives=negatives, hardness=hardness, learned_temperature=True
    )
    value, slope = eqx.filter_value_and_grad(
        lambda pair: pair[0](Raw(), eqx.tree_at(lambda b: b.x, batch, pair[1]), key=KEY)
    )((objective, batch.x))
    assert np.isfinite(value)
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(slope))


def test_alignment_and_uniformity_make_the_value(codes):
    batch = Batch(codes[0], codes[0] + 0.1)
    objective = InfoNCE(Dot(), 0.5)
    parts = objective.alignment_and_uniformity(Raw(), batch)
    assert float(sum(parts)) == pytest.approx(float(objective(Raw(), batch, key=KEY)), abs=1e-6)
    assert float(parts[0]) == pytest.approx(-2 * float(Dot().pair(*batch_codes(batch)).mean()))


def batch_codes(batch):
    return batch.x, batch.positive


def test_the_theorem_follows_the_similarity():
    assert l_alpha(3) in InfoNCE(LAlpha(3)).needs
    assert l_alpha(1) not in InfoNCE(LAlpha(3)).needs
    assert InfoNCE(LAlpha(2), theory=CONTENT).needs == CONTENT == AlignMaxEnt().needs
    fresh = InfoNCE(LAlpha(2), theory=CONTENT, negatives="fresh")
    assert fresh.needs == CONTENT | {INDEPENDENT_NEGATIVES}
    assert Ensemble([InfoNCE(), InfoNCE(LAlpha(1))]).needs >= {PAIRED, UNIFORM, INJECTIVE}
    assert Canonical.n_pair().needs == {PAIRED}


def test_rows_of_a_unit_head_stay_on_the_sphere():
    def value(head):
        return jnp.sum(jnp.sin(jax.vmap(head)(jnp.ones((2, 3)))))

    head = UnitHead(KEY, 5, 3)
    slope = jax.grad(value)(head).weight
    # To first order a step along the slope changes no length.
    np.testing.assert_allclose(jnp.sum(slope * head.weight, axis=1), 0, atol=1e-6)


def test_both_functions_can_be_read_out(codes):
    u, _ = codes
    table = Canonical.classification(KEY, 4, 3, bias=True)
    np.testing.assert_array_equal(table.g_of(jnp.array([2, 0])), table.g.rows[jnp.array([2, 0])])
    np.testing.assert_array_equal(table.f_of(Raw(), u), u)
    np.testing.assert_array_equal(Canonical.n_pair().g_of(u, Raw()), u)
    np.testing.assert_array_equal(Canonical.cpc(Raw()).g_of(u), u)
    with pytest.raises(BadInput, match=r"g is the encoder itself here: give it"):
        Canonical.n_pair().g_of(u)


def call(objective, **batch):
    columns = {"x": jnp.ones((3, 2)), **batch}
    return objective(Raw(), Batch(**columns), key=KEY)


ONE = jnp.ones((1, 2))
THREE = jnp.ones((3, 2))
REFUSED = {
    "temperature": (lambda: InfoNCE(temperature=0.0), "temperature=0.0; it divides"),
    "hardness": (lambda: InfoNCE(hardness=-1), "hardness=-1; give 0"),
    "negatives": (lambda: InfoNCE(negatives="hard"), "choose from views, positives, both, fresh"),
    "alpha": (lambda: LAlpha(0), "alpha=0; the power"),
    "bandwidth": (lambda: KernelEntropy(0.0), "bandwidth=0.0; a kernel"),
    "neighbours": (lambda: NearestEntropy(0), "neighbours=0; an entropy"),
    "candidates": (lambda: Canonical(None, "all"), "choose labels or batch"),
    "table": (lambda: Canonical(None, "labels"), "labels need a table"),
    "no members": (lambda: Ensemble([]), "an ensemble of 0 objectives"),
    "weights": (lambda: Ensemble([InfoNCE()], [1, 2]), "got weights of shape (2,)"),
    "one row": (lambda: call(InfoNCE(), x=ONE, positive=ONE), "1 row in a batch has no neg"),
    "lengths": (lambda: call(InfoNCE(), positive=ONE), "3 observations and 1 positives"),
    "columns": (
        lambda: call(Ensemble([InfoNCE()], columns=[(1, 4)]), positive=THREE),
        "see columns 1 to 3 of a code that has 2",
    ),
    "few rows": (
        lambda: call(AlignMaxEnt(NearestEntropy(3)), positive=THREE),
        "3 rows have no 3 neighbours",
    ),
    "one kernel": (
        lambda: call(AlignMaxEnt(KernelEntropy(1.0)), x=ONE, positive=ONE),
        "1 row has no neighbour",
    ),
    "label types": (
        lambda: call(CrossEntropy(FreeHead(KEY, 3, 2)), auxiliary=jnp.zeros(3)),
        "give one integer for each row",
    ),
    "label shape": (
        lambda: call(CrossEntropy(FreeHead(KEY, 3, 2)), auxiliary=jnp.zeros((3, 1), int)),
        "labels of shape (3, 1)",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refuses_in_one_sentence(case):
    make, says = REFUSED[case]
    with pytest.raises(BadInput) as refusal:
        make()
    assert says in str(refusal.value)


def test_a_label_without_a_logit_is_no_number():
    value = call(CrossEntropy(FreeHead(KEY, 3, 2)), auxiliary=jnp.array([0, 1, 3]))
    assert np.isnan(value)
