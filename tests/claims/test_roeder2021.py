"""Twins and what is said of them: laws where the answer is known, then the claims as data."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coset._assumptions import DIVERSE_LABELS
from coset._core import BadInput
from coset._fingerprint import fingerprint
from coset._lab import Batch, stacked
from coset._recipe import Recipe
from coset.claims._resemblance import NAMES, Twin, held_out_cca, resemblance, through, two_way
from coset.claims._teacher import Angles, classifier, mixed
from coset.claims._twins import BothEncoders, BothObjectives, Twins
from coset.claims.roeder2021 import CLAIMS, cpc, gathered, half_shared, mlp, n_pair, stretched

SCALES = ("smoke", "small", "paper")


@pytest.fixture
def model(rng):
    """Codes of rows and labels of one model."""
    return Twin(rng.normal(size=(2000, 3)) + 0.5, rng.normal(size=(18, 3)))


def moved(twin, rng, *, shift=0.0, offset=None):
    """Another model of the same predictions: A f + c, A^{-T} g + shift, biases that undo c."""
    matrix = rng.normal(size=(3, 3)) + 2 * np.eye(3)
    g = twin.g @ np.linalg.inv(matrix)
    c = np.zeros(3) if offset is None else np.full(3, offset)
    biases = None if offset is None else -g @ c
    return Twin(twin.f @ matrix.T + c, g + shift, biases)


def test_equal_predictions_are_seen_as_such(model, rng):
    found = resemblance(model, moved(model, rng, shift=3.0), model.f)
    for name in ("mean_cca", "least_cca", "r2_linear", "r2_affine", "r2_from_heads", "r2_latent"):
        assert found[name] == pytest.approx(1.0, abs=1e-8)
    assert max(found[name] for name in ("tie", "heads_vs_data", "kl", "kl_share")) < 1e-8
    assert found["r2_g_affine"] == pytest.approx(1.0, abs=1e-8)
    assert found["r2_g_linear"] < 0.9
    assert found["r2_orthogonal"] < 0.9


def test_biases_leave_the_offset_of_f_open(model, rng):
    biased = Twin(model.f, model.g, np.zeros(18))
    found = resemblance(biased, moved(model, rng, offset=3.0), model.f)
    assert found["r2_affine"] == pytest.approx(1.0, abs=1e-8)
    assert found["r2_from_heads"] == pytest.approx(1.0, abs=1e-8)
    assert found["kl"] < 1e-8
    assert found["r2_linear"] < 0.9


def test_what_the_labels_do_not_span_stays_open(rng):
    """Three labels, three dimensions: one direction of f reaches no logit."""
    f, g = rng.normal(size=(4000, 3)), rng.normal(size=(3, 3))
    basis = np.linalg.svd(g - g.mean(0))[2]
    other = f @ basis.T
    other[:, 2] = rng.normal(size=4000)
    found = resemblance(Twin(f, g), Twin(other @ basis, g), f)
    assert found["kl"] < 1e-8
    assert found["tie_subspace"] < 1e-8
    assert found["tie"] > 0.5
    assert found["rank"] == 2
    # a correlation of unrelated columns over 2,000 rows has deviation 0.022: 0.1 is 4.5 of them
    assert found["least_cca"] < 0.1
    assert np.isnan(found["r2_g_affine"])


def test_codes_that_are_not_numbers_have_no_scores(model):
    lost = Twin(np.full_like(model.f, np.nan), model.g)
    assert set(resemblance(model, lost, model.f)) == set(NAMES)
    assert np.isnan(list(resemblance(model, lost, model.f).values())).all()


def test_held_out_correlations_of_unrelated_rows_are_chance(rng):
    """In sample they are 0.3 here; held out their mean has deviation below 0.04."""
    a, b = rng.normal(size=(400, 10)), rng.normal(size=(400, 10))
    assert abs(held_out_cca(a, b)[0]) < 0.2  # five deviations: below 1e-6


def test_a_direction_that_is_missing_counts_as_unrelated(rng):
    a = rng.normal(size=(400, 3))
    flat = a.copy()
    flat[:, 2] = flat[:, 0] + flat[:, 1]
    mean, least = held_out_cca(a, flat)
    assert mean == pytest.approx(2 / 3, abs=1e-6)
    assert least == 0.0


def test_two_way_is_the_lesser_of_both_ways(rng):
    a = rng.normal(size=(1000, 3))
    assert two_way("affine", a, a[:, :2]) < 0.8
    assert two_way("orthogonal", a, 2 * a) < two_way("linear", a, 2 * a)
    assert np.allclose(through("linear", a, 2 * a)(a), 2 * a)
    with pytest.raises(BadInput, match="second moments"):
        two_way("nonlinear", a, a)


def test_sectors_are_those_of_the_angle():
    drawn = Angles(18).sample(jax.random.key(0), 1000)
    angle = np.arctan2(drawn.batch.x[:, 1], drawn.batch.x[:, 0]) % (2 * np.pi)
    found = np.floor(angle / (2 * np.pi / 18)).astype(int)
    # a float32 angle next to an edge may fall on either side: 1e-6 of all rows
    assert (found == np.asarray(drawn.batch.auxiliary)).mean() > 0.99


def test_labels_follow_the_teacher():
    world = mixed(0, labels=5)
    drawn = world.sample(jax.random.key(0), 20_000)
    p = np.asarray(jax.nn.softmax(jax.vmap(world.head)(drawn.latent)))
    counts = np.bincount(drawn.batch.auxiliary, minlength=5)
    spread = np.sqrt((p * (1 - p)).sum(0))
    assert (np.abs(counts - p.sum(0)) < 5 * spread).all()  # each fails once in 1.7e6
    said = np.log(p[np.arange(len(p)), drawn.batch.auxiliary])
    expected = (p * np.log(p)).sum(1)
    apart = (said - expected).sum() / np.sqrt(((p * np.log(p) ** 2).sum(1) - expected**2).sum())
    assert abs(apart) < 5  # fails once in 1.7e6


@pytest.mark.parametrize(("labels", "rank"), [(2, 1), (4, 3), (5, 4), (18, 4)])
def test_labels_are_diverse_from_one_more_than_dimensions_on(labels, rank):
    world = mixed(0, labels=labels, flatness=10.0)
    rows = np.asarray(world.head.rows, dtype=float)
    sizes = np.linalg.svd(rows - rows.mean(0), compute_uv=False)
    assert (sizes > 1e-5 * sizes[0]).sum() == rank
    assert (DIVERSE_LABELS in world.satisfies) == (rank == 4)
    if rank == 4:
        assert sizes[0] / sizes[3] == pytest.approx(10, rel=1e-3)


def test_fewer_labels_are_refused_unless_that_is_the_control():
    cell = Twins(
        partial(mixed, labels=3), partial(mlp, d_out=4), partial(classifier, labels=3, m=4),
        Recipe(batch=16, steps=50),
    )  # fmt: skip
    with pytest.raises(BadInput, match="more labels than dimensions"):
        cell.run([0])


def test_twins_share_no_slope():
    """The slope of each twin is half of its own on its own half of the batch."""
    keys = jax.random.split(jax.random.key(0), 4)
    encoder = BothEncoders(*(mlp(k, 8, d_out=4) for k in keys[:2]))
    objective = BothObjectives(*(classifier(k, 8, labels=5, m=4) for k in keys[2:]))
    batch = mixed(0, labels=5).sample(jax.random.key(1), 64).batch

    @eqx.filter_grad
    def both(learner):
        return learner[1](learner[0], batch, key=keys[0])

    @eqx.filter_grad
    def alone(learner):
        half = Batch(x=batch.x[:32], auxiliary=batch.auxiliary[:32])
        return learner[1](learner[0], half, key=keys[0]) / 2

    together = both((encoder, objective))
    single = alone((encoder.a, objective.a))
    ours = jax.tree.leaves((together[0].a, together[1].a))
    for found, expected in zip(ours, jax.tree.leaves(single), strict=True):
        assert jnp.allclose(found, expected, atol=1e-6)


def test_a_short_run_has_scores_curves_and_pictures():
    cell = Twins(
        partial(mixed, labels=5), partial(mlp, d_out=4), partial(classifier, labels=5, m=4),
        Recipe(batch=64, steps=100),
    )  # fmt: skip
    run = cell.run([0, 1])
    assert run.diverged == (False, False)
    assert {"mean_cca", "tie", "kl_share", "objective", "r2_latent"} <= set(run.scores)
    assert "r2_g_affine" not in run.scores  # five labels are too few to hold some out
    assert all(len(score.trained) == len(score.untrained) == 2 for score in run.scores.values())
    assert run.curves[0].name == "mean_cca"
    assert run.curves[0].at[-1] == 100
    assert [picture.kind for picture in run.pictures] == ["scatter", "scatter"]
    assert run.scores["mean_cca"].trained[0] > run.scores["mean_cca"].untrained[0]
    assert cell.run([0, 1]).scores == run.scores


@pytest.mark.parametrize("objective", [n_pair, partial(cpc, d_out=4)])
def test_members_of_pairs_run(objective):
    cell = Twins(half_shared, partial(stretched, d_out=4), objective, Recipe(batch=32, steps=50))
    run = cell.run([0])
    assert np.isfinite(run.scores["r2_orthogonal"].trained).all()
    assert np.isfinite(run.scores["r2_g_affine"].trained).all()


def test_stretched_codes_keep_their_units():
    encoder = stretched(jax.random.key(0), 8, d_out=3)
    slope = eqx.filter_grad(lambda encoder: encoder(jnp.ones(8)).sum())(encoder)
    assert jnp.all(slope.sizes == 0)
    assert jnp.all(encoder.sizes > 0)


def test_clusters_are_diverse_where_there_are_enough():
    worlds = {k: stacked([gathered(seed, labels=k) for seed in (0, 1)]) for k in (8, 9)}
    assert DIVERSE_LABELS not in worlds[8].satisfies
    assert DIVERSE_LABELS in worlds[9].satisfies


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.name)
def test_claims_are_whole(claim, scale):
    cases = claim.cases(scale)
    assert {case.role for case in cases} == {"holds", "breaks"}
    assert all(case.breaks for case in cases if case.role == "breaks")
    assert {case.metric for case in cases} <= {*NAMES, "objective"}
    assert len({case.name + case.metric for case in cases}) == len(cases)
    assert all(fingerprint(case.cell) for case in cases)
    entries = (Path(__file__).parents[2] / "references.bib").read_text()
    assert f"{{{claim.paper}," in entries
