"""The training loop: one program, its numbers, what a killed run leaves, what is reported."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from coset import _fit
from coset._assumptions import INJECTIVE, PAIRED, UNIFORM, VMF
from coset._core import BadInput
from coset._fit import fit
from coset._lab import one_of, refuse_unmet, stacked
from coset._recipe import Recipe
from coset.encoders import Mlp
from coset.objectives import CrossEntropy, FreeHead, InfoNCE
from coset.worlds import Folded, LeakyMlp, Noisy, Normal, Sphere, clusters, sphere

HERE = str(Path(__file__).parent)
sys.path.insert(0, HERE)
import tiny_lab as tiny  # noqa: E402

SEEDS = (0, 1)
SHORT = replace(tiny.SMALL, steps=100)
FINE = 5
"""Steps in a chunk where checkpoints are tested: 40 chunks, fewer points on the curve."""


def train(seeds=SEEDS, recipe=tiny.SMALL, *, kappa=10.0, temperature=0.1, shift=0, **options):
    world, encoder, objective, keys = tiny.parts(
        seeds, kappa=kappa, temperature=temperature, shift=shift
    )
    return fit(world, encoder, objective, recipe, keys=keys, **options)


def same(one, other):
    pairs = zip(tiny.weights(one), tiny.weights(other), strict=True)
    return all(np.array_equal(a, b) for a, b in pairs)


# -- one program --------------------------------------------------------------------------------


def test_chunks_seeds_worlds_and_equal_recipes_are_traced_once():
    recipe = replace(tiny.SMALL, rate=0.0201)  # an optimiser that no other test has compiled
    before = eqx.debug.get_num_traces(_fit._advance)
    done = []
    train(recipe=recipe, progress=lambda *now: done.append(now))
    assert done == [(50, 200), (100, 200), (150, 200), (200, 200)]
    assert eqx.debug.get_num_traces(_fit._advance) == before + 1
    train(recipe=Recipe(**vars(replace(recipe))), kappa=3.0, temperature=0.7, shift=5)
    assert eqx.debug.get_num_traces(_fit._advance) == before + 1


@pytest.fixture(scope="module")
def three():
    return train((0, 1, 2), SHORT)


def test_seeds_together_are_as_each_alone(three):
    # the same sums in another order: 6e-6 after 100 steps at most; other keys are off by 1e-1
    for seed in range(3):
        alone = train((seed,), SHORT)
        assert alone.curve[-1].objective[0] == pytest.approx(
            three.curve[-1].objective[seed], abs=1e-4
        )
        for one, all_ in zip(tiny.weights(alone), tiny.weights(three), strict=True):
            np.testing.assert_allclose(one[0], all_[seed], atol=1e-4)


DEVICES = """
import sys
sys.path.insert(0, sys.argv[1])
import jax, numpy as np, tiny_lab as tiny
from dataclasses import replace
from coset import _fit
assert len(jax.devices()) == 2
assert _fit._over_devices(33) is None
world, encoder, objective, keys = tiny.parts((0, 1, 2))
recipe = replace(tiny.SMALL, steps=100)
fitted = _fit.fit(world, encoder, objective, recipe, keys=keys, watch=tiny.r2_of_all)
np.savez(sys.argv[2], *tiny.weights(fitted), last=fitted.curve[-1].objective)
"""


def test_two_devices_give_the_numbers_of_one(three, tmp_path):
    flags = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=2"}
    out = tmp_path / "two.npz"
    subprocess.run(
        [sys.executable, "-W", "error", "-c", DEVICES, HERE, str(out)], env=flags, check=True
    )
    with np.load(out) as two:
        np.testing.assert_allclose(two["last"], three.curve[-1].objective, atol=1e-4)
        for k, one in enumerate(tiny.weights(three)):
            np.testing.assert_allclose(two[f"arr_{k}"], one, atol=1e-4)


# -- worlds that follow one another, and the keyboard -------------------------------------------


def test_a_feed_gives_the_world_of_each_chunk_and_is_traced_once():
    world, encoder, objective, keys = tiny.parts(SEEDS)
    other = tiny.parts(SEEDS, shift=3)[0]
    asked = []

    def feed(step):
        asked.append(step)
        return other if step else world

    plain = fit(world, encoder, objective, SHORT, keys=keys)
    before = eqx.debug.get_num_traces(_fit._advance)
    fed = fit(world, encoder, objective, SHORT, keys=keys, feed=feed)
    assert eqx.debug.get_num_traces(_fit._advance) == before
    assert asked == [0, 50]
    assert fed.curve[0].objective == plain.curve[0].objective
    assert fed.curve[1].objective != plain.curve[1].objective
    assert same(plain, fit(world, encoder, objective, SHORT, keys=keys, feed=lambda step: world))


def test_the_keyboard_ends_training_where_that_is_allowed():
    def progress(done, total):
        if done == 50:
            raise KeyboardInterrupt

    stopped = train(progress=progress, interruptible=True)
    assert stopped.interrupted
    assert [point.step for point in stopped.curve] == [50]
    assert stopped.curve[0].objective == train(recipe=tiny.SMALL).curve[0].objective
    assert not train(recipe=tiny.SMALL, interruptible=True).interrupted
    with pytest.raises(KeyboardInterrupt):
        train(progress=progress)


# -- checkpoints --------------------------------------------------------------------------------


class Stopped(Exception):
    """In place of a kill."""


@pytest.fixture
def fine(monkeypatch):
    """Short chunks, a checkpoint after each."""
    monkeypatch.setattr(_fit, "CHUNK", FINE)
    monkeypatch.setattr(_fit, "SAVE_EVERY", 0.0)
    monkeypatch.setattr(_fit, "code_fingerprint", lambda: "code")


@pytest.fixture(scope="module")
def unbroken():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_fit, "CHUNK", FINE)
        return train(watch=tiny.r2_of_all)


def stop_at(step):
    def progress(done, total):
        if done == step:
            raise Stopped

    return progress


def resumed(folder, unbroken, first):
    """Train on in a folder: the first step that is new, and the numbers of the unbroken run."""
    done = []
    found = train(folder=folder, watch=tiny.r2_of_all, progress=lambda now, _: done.append(now))
    assert done[:1] == first
    assert same(found, unbroken)
    assert tiny.told(found) == tiny.told(unbroken)
    assert found.diverged == unbroken.diverged


@pytest.mark.parametrize("step", [10, 100, 165, 200])
def test_a_stopped_run_resumes_with_the_same_bits(step, fine, unbroken, tmp_path):
    with pytest.raises(Stopped):
        train(folder=tmp_path, watch=tiny.r2_of_all, progress=stop_at(step))
    resumed(tmp_path, unbroken, [step])  # the last one that was kept is a chunk before


@pytest.mark.parametrize("point", [1, 12, -1])
def test_a_run_stopped_between_checkpoint_and_point(point, fine, unbroken, tmp_path):
    steps = [point.step for point in unbroken.curve]
    at = steps[point]
    seen = itertools.count()

    def watch(latents, found):
        if steps[next(seen)] == at:
            raise Stopped
        return tiny.r2_of_all(latents, found)

    with pytest.raises(Stopped):
        train(folder=tmp_path, watch=watch)
    resumed(tmp_path, unbroken, [at + FINE] if at < 200 else [])
    resumed(tmp_path, unbroken, [])


SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
import tiny_lab as tiny
from coset import _fit
_fit.CHUNK, _fit.SAVE_EVERY, _fit.code_fingerprint = int(sys.argv[3]), 0.0, lambda: "code"
world, encoder, objective, keys = tiny.parts((0, 1))
_fit.fit(
    world, encoder, objective, tiny.SMALL, keys=keys, watch=tiny.r2_of_all,
    folder=Path(sys.argv[2]), progress=lambda done, total: print(done, flush=True),
)
"""


@pytest.mark.skipif(os.name == "nt", reason="kills a process")
def test_a_killed_process_resumes_with_the_same_bits(fine, unbroken, tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, HERE, str(tmp_path), str(FINE)],
        stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) >= 100:
                process.kill()
                break
    assert process.returncode != 0
    done = []
    found = train(folder=tmp_path, watch=tiny.r2_of_all, progress=lambda now, _: done.append(now))
    assert done == [] or done[0] >= 100  # a kill comes late on a busy machine
    assert same(found, unbroken)
    assert tiny.told(found) == tiny.told(unbroken)


@pytest.fixture
def left(fine, tmp_path):
    """A folder with the checkpoint of a run that was stopped half-way."""
    with pytest.raises(Stopped):
        train(folder=tmp_path, progress=stop_at(100))
    return tmp_path


@pytest.mark.parametrize(
    "other",
    [
        {"kappa": 3.0},
        {"temperature": 0.5},
        {"shift": 4},
        {"recipe": replace(tiny.SMALL, rate=0.01)},
        {"seeds": (0, 1, 2)},
    ],
    ids=lambda other: next(iter(other)),
)
def test_the_checkpoint_of_something_else_is_left_alone(other, left):
    first = []

    def progress(done, total):
        first.append(done)
        raise Stopped

    with pytest.raises(Stopped):
        train(folder=left, progress=progress, **other)
    assert first == [FINE]


def test_the_checkpoint_of_other_code_is_left_alone(left, monkeypatch):
    monkeypatch.setattr(_fit, "code_fingerprint", lambda: "other code")
    with pytest.raises(Stopped):
        train(folder=left, progress=stop_at(FINE))


@pytest.mark.parametrize("content", [b"", b"no tensors"])
def test_what_is_no_checkpoint_is_left_alone(content, fine, tmp_path):
    (tmp_path / "checkpoint.safetensors").write_bytes(content)
    with pytest.raises(Stopped):
        train(folder=tmp_path, progress=stop_at(FINE))


def test_parts_without_lasting_names_are_told_apart_by_their_arrays(fine, tmp_path):
    class Local(Mlp):
        pass

    def run(seed, progress):
        world, _, objective, keys = tiny.parts((seed,))
        encoder = stacked([Local(jax.random.key(seed), tiny.D, tiny.D, widths=(4,))])
        recipe = Recipe(batch=8, steps=10, kind="sgd", rate=0.01)
        fit(world, encoder, objective, recipe, keys=keys, folder=tmp_path, progress=progress)

    with pytest.raises(Stopped):
        run(0, stop_at(10))
    with pytest.raises(Stopped):
        run(0, stop_at(10))  # resumed after the first chunk
    with pytest.raises(Stopped):
        run(1, stop_at(FINE))


# -- when it ends -------------------------------------------------------------------------------


def test_points_are_evenly_spaced_in_the_logarithm():
    stops = list(_fit._stops(0, 4000, 50))
    assert (stops[0], stops[-1]) == (50, 4000)
    assert all(stop % 50 == 0 for stop in stops)
    ratios = np.diff(np.log(stops))
    assert (ratios[8:] < 1.35 * np.log(4000 / 50) / 23 + 50 / np.array(stops[8:-1])).all()
    assert len(stops) <= _fit.POINTS
    assert list(_fit._stops(4000, 4000, 50)) == []
    assert list(_fit._stops(0, 50, 50)) == [50]


def scores(*values):
    """A watch that finds these, one after another, the same for both seeds unless given."""
    found = iter(values)

    def watch(latents, codes):
        value = next(found)
        return value if isinstance(value, tuple) else (value, value)

    return watch


@pytest.mark.parametrize(
    ("watch", "options", "steps"),
    [
        (scores(0.1, 0.95, 0.96, 1.0), {"until": 0.9}, 100),
        (scores((0.1, 0.9), (0.9, 0.8), (0.9, 0.9), 1.0), {"until": 0.9}, 150),
        (scores(*[(1.0, np.nan)] * 4), {"until": 0.9}, 200),
        (scores(*[(np.nan, 1.0)] * 4), {"until": 0.9}, 200),
        (scores(0.5, 0.5005, 0.6, 0.7), {"patience": 1}, 100),
        (scores(0.5, 0.5, 0.5, 0.6), {"patience": 2}, 150),
        (scores(0.5, (0.6, 0.5), (0.7, 0.5), (0.8, 0.5)), {"patience": 1}, 200),
        (scores(0.5, (0.6, np.nan), (0.6, np.nan), 0.9), {"patience": 1}, 150),
        (scores(0.5, 0.5, 0.5, 0.5), {}, 200),
    ],
)
def test_early_stops(watch, options, steps):
    assert train(watch=watch, **options).curve[-1].step == steps


def test_an_early_stop_is_not_resumed(tmp_path):
    first = train(watch=scores(0.1, 0.95), until=0.9, folder=tmp_path)
    again = train(watch=scores(), until=0.9, folder=tmp_path)
    assert same(first, again)
    assert tiny.told(first) == tiny.told(again)
    assert train(watch=scores(0.97, 1.0), until=0.99, folder=tmp_path).curve[-1].step == 200


def test_a_seed_that_diverges_leaves_the_others_alone():
    world, encoder, objective, keys = tiny.parts(SEEDS)
    expected = fit(world, encoder, objective, tiny.SMALL, keys=keys)
    lost = encoder.layers[0].weight.at[1].set(jnp.inf)
    broken = eqx.tree_at(lambda e: e.layers[0].weight, encoder, lost)
    found = fit(world, broken, objective, tiny.SMALL, keys=keys, watch=tiny.r2_of_all)
    assert expected.diverged == (False, False)
    assert found.diverged == (False, True)
    assert found.curve[-1].step == 200
    assert np.isfinite(found.curve[-1].score[0])
    assert np.isnan(found.curve[-1].score[1])
    for one, other in zip(tiny.weights(found), tiny.weights(expected), strict=True):
        np.testing.assert_array_equal(one[0], other[0])


def test_a_huge_rate_is_reported_as_divergence():
    found = train(recipe=Recipe(batch=32, steps=200, kind="sgd", rate=1e30), watch=tiny.r2_of_all)
    assert found.diverged == (True, True)
    assert found.curve[-1].step == 50
    assert np.isnan(found.curve[-1].score).all()


def test_divergence_at_the_last_step_is_seen():
    """The objective of that step was finite still; what it left is not."""
    last = optax.stateless(lambda change, _: jax.tree.map(lambda x: x * jnp.nan, change))
    recipe = Recipe(batch=32, steps=1, kind="sgd")
    assert train(recipe=recipe, optimiser=last).diverged == (True, True)


# -- what is trained ----------------------------------------------------------------------------


def test_the_learner_sees_no_latents():
    world, encoder, objective, keys = tiny.parts(SEEDS)
    seen = fit(world, encoder, objective, tiny.SMALL, keys=keys)
    blind = fit(tiny.Unseen(world), encoder, objective, tiny.SMALL, keys=keys)
    assert same(seen, blind)


def test_an_optimiser_takes_the_place_of_the_recipes():
    world, encoder, objective, keys = tiny.parts(SEEDS)
    recipe = replace(tiny.SMALL, steps=1, kind="sgd")
    found = fit(world, encoder, objective, recipe, keys=keys, optimiser=optax.sgd(0.0))
    start = eqx.filter((encoder, objective), eqx.is_array)
    for one, other in zip(tiny.weights(found), jax.tree.leaves(start), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("moved", ["matrices", "rest"])
def test_muon_moves_the_encoders_matrices_and_adam_the_rest(moved):
    labels = clusters(0, d=3, classes=6)
    world = stacked([labels])
    encoder = stacked([tiny.encoder(jax.random.key(0), 3)])
    objective = stacked([CrossEntropy(FreeHead(jax.random.key(1), 6, 3, bias=True))])
    rates = (0.02, 0.0) if moved == "matrices" else (0.0, 0.02)
    recipe = Recipe(batch=32, steps=2, rate=rates[0], vector_rate=rates[1], schedule="constant")
    found = fit(world, encoder, objective, recipe, keys=jax.random.split(jax.random.key(0), 1))
    for before, after in zip(encoder.layers, found.encoder.layers, strict=True):
        assert np.array_equal(before.weight, after.weight) == (moved == "rest")
        assert np.array_equal(before.bias, after.bias) == (moved == "matrices")
    for part in ("weight", "bias"):
        before, after = getattr(objective.head, part), getattr(found.objective.head, part)
        assert np.array_equal(before, after) == (moved == "matrices")


# -- what is refused ----------------------------------------------------------------------------


def folded(seed):
    return sphere(seed, d=3, mixing=Folded(LeakyMlp(seed, 3), 0.0, 3))


def test_a_world_that_breaks_an_assumption_is_refused():
    skewed = sphere(0, d=3, marginal=Noisy(Sphere(3), Normal(0.3)))
    with pytest.raises(BadInput, match=r"InfoNCE needs a world where latents are uniform on"):
        refuse_unmet(skewed, InfoNCE())
    with pytest.raises(BadInput, match=r"name the assumption in `breaking`"):
        refuse_unmet(folded(0), InfoNCE())
    refuse_unmet(skewed, InfoNCE(), frozenset({UNIFORM}))
    refuse_unmet(skewed, InfoNCE(theory=frozenset({PAIRED})))
    with pytest.raises(BadInput, match="different latents look different") as error:
        refuse_unmet(folded(0), InfoNCE(), frozenset({VMF}))
    assert "uniform" not in str(error.value)


def test_a_control_must_break_what_it_says():
    with pytest.raises(BadInput, match="says that it breaks injective-mixing, but the world keeps"):
        refuse_unmet(tiny.world(0), InfoNCE(), frozenset({INJECTIVE}))
    with pytest.raises(BadInput, match="InfoNCE does not ask for it"):
        refuse_unmet(folded(0), InfoNCE(theory=frozenset({PAIRED})), frozenset({INJECTIVE}))


def test_training_refuses_the_same():
    _, encoder, objective, keys = tiny.parts(SEEDS)
    world = stacked([folded(seed) for seed in SEEDS])
    with pytest.raises(BadInput, match="different latents look different"):
        fit(world, encoder, objective, tiny.SMALL, keys=keys)
    recipe = replace(tiny.SMALL, steps=1, kind="sgd")
    found = fit(world, encoder, objective, recipe, keys=keys, breaking=frozenset({INJECTIVE}))
    assert found.curve[-1].step == 1


def test_members_that_differ_in_what_is_no_array_are_refused():
    class Odd(eqx.Module):
        unit: float

    assert stacked([Odd(1.0), Odd(1.0)]).unit == 1.0
    with pytest.raises(BadInput, match=r"no array \(1\.0\)"):
        stacked([Odd(1.0), Odd(2.0)])
    with_array = stacked([Odd(np.zeros(2)), Odd(np.ones(2))])
    assert with_array.unit.shape == (2, 2)
    assert float(one_of(with_array, 1).unit[0]) == 1.0
