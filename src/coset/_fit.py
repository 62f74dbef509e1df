"""The training loop: a scan over steps, mapped over seeds, compiled once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jaxtyping import Array, PRNGKeyArray

from ._checkpoint import restore, save
from ._core import Assumption, Floats
from ._fingerprint import code_fingerprint, fingerprint
from ._lab import AbstractEncoder, AbstractObjective, AbstractWorld, Draw, encode, refuse_unmet
from ._recipe import Recipe

CHUNK = 50
"""Steps between two looks from outside the compiled graph."""
EVALUATED = 4096
"""Held-out rows per seed."""
POINTS = 24
"""About so many points on a learning curve, evenly spaced in the logarithm of the step."""
SAVE_EVERY = 20.0
"""Seconds between two checkpoints."""

Watch = Callable[[Floats, Floats], Sequence[float]]
"""Held-out latents and codes of all seeds (seeds, n, ...) → the score of each: a curve."""
Feed = Callable[[int], AbstractWorld]
"""The world of the chunk that begins at this step; all have one shape, so that one is traced."""


@dataclass(frozen=True)
class Point:
    """The state of training at one step, for every seed."""

    step: int
    objective: tuple[float, ...]
    """Mean over the steps since the last point."""
    score: tuple[float, ...]
    seconds: float
    """Spent in training alone, compilation and scoring apart."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """What training left: encoders and objectives stacked over seeds, and how they got there."""

    encoder: Any
    objective: Any
    curve: tuple[Point, ...]
    diverged: tuple[bool, ...]
    """Seeds whose objective stopped being finite; their parameters are those of that moment."""
    compile_seconds: float = field(default=0.0, repr=False)
    interrupted: bool = False
    """Stopped by the keyboard before its last step."""

    @property
    def seconds(self) -> float:
        """Spent in training."""
        return self.curve[-1].seconds if self.curve else 0.0


class _State(eqx.Module):
    """What changes from step to step, stacked over seeds; the rest is fixed."""

    learner: tuple[Any, Any]
    optimiser: Any


def fit(
    world: AbstractWorld,
    encoder: AbstractEncoder,
    objective: AbstractObjective,
    recipe: Recipe,
    *,
    keys: PRNGKeyArray,
    watch: Watch | None = None,
    until: float | None = None,
    patience: int | None = None,
    optimiser: optax.GradientTransformation | None = None,
    breaking: frozenset[Assumption] = frozenset(),
    folder: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    feed: Feed | None = None,
    interruptible: bool = False,
) -> Fitted:
    """Minimise an objective on draws of a world, several seeds in one program.

    Args:
        world: stacked over seeds (`stacked`), as are encoder and objective.
        encoder: as initialised.
        objective: with the parameters it owns.
        recipe: batch, steps and optimiser.
        keys: one per seed; training and held-out draws come from different parts of it.
        watch: scores of held-out latents and codes, for the curve.
        until: stop when every seed's score has reached this.
        patience: stop when no seed has gained 1e-3 over so many points of the curve.
        optimiser: in place of the recipe's.
        breaking: assumptions that a control breaks on purpose.
        folder: where checkpoints go; a killed run resumes there and ends with the same numbers.
            What lies there of another world, encoder, objective, recipe or key, or of other code,
            is left alone; two values of `optimiser` are told apart by the shape of their state.
        progress: called with (steps done, steps in all).
        feed: in place of `world` while training, chunk by chunk: data that no memory holds.
        interruptible: the keyboard stops training after a whole chunk, and what is there is kept.
    """
    refuse_unmet(world, objective, breaking)
    chosen = recipe.optimiser if optimiser is None else optimiser
    k_train, k_eval = _split(keys)
    held_out = draw(world, k_eval, EVALUATED) if watch else None
    arrays = eqx.filter((encoder, objective), eqx.is_inexact_array)
    state = _State((encoder, objective), eqx.filter_vmap(chosen.init)(arrays))
    curve: list[Point] = []
    done, spent, losses = 0, 0.0, []
    letters = _letters(world, encoder, objective, recipe, keys) if folder is not None else ""
    found = restore(folder, state) if folder is not None else None
    if found is not None and found[1].get("of") == letters:
        state, memory = found
        curve = [_remembered(point) for point in memory["curve"]]
        done, spent, losses = memory["done"], memory["spent"], memory["losses"]
    chunk = min(CHUNK, recipe.steps)
    total = -(-recipe.steps // chunk) * chunk
    compiling, saved = 0.0, time.perf_counter()
    sharding = _over_devices(recipe.batch)
    interrupted = False
    try:
        for stop in _stops(curve[-1].step if curve else 0, total, chunk):
            if curve and _enough(curve, until, patience):
                break
            while done < stop:
                began = time.perf_counter()
                traces = eqx.debug.get_num_traces(_advance)
                here = world if feed is None else feed(done)
                state, values = _advance(
                    state, here, k_train, jnp.asarray(done), chosen, recipe.batch, chunk, sharding
                )
                means = np.asarray(values, dtype=float).tolist()
                took = time.perf_counter() - began
                if eqx.debug.get_num_traces(_advance) == traces:
                    spent += took
                else:
                    compiling += took
                losses.append(means)
                done += chunk
                if progress:
                    progress(done, total)
                if folder is not None and time.perf_counter() - saved > SAVE_EVERY:
                    _keep(folder, letters, state, curve, done, spent, losses)
                    saved = time.perf_counter()
            curve.append(_point(state, held_out, watch, done, losses, spent))
            losses = []
    except KeyboardInterrupt:
        if not interruptible or not (curve or losses):
            raise
        interrupted = True
        if losses:
            curve.append(_point(state, held_out, watch, done, losses, spent))
    if folder is not None:
        _keep(folder, letters, state, curve, done, spent, losses)
    lost = _lost(state, curve[-1])
    return Fitted(*state.learner, tuple(curve), lost, compiling, interrupted)


def draw(world: AbstractWorld, keys: PRNGKeyArray, n: int) -> Draw:
    """`n` rows of each seed's world."""
    return _draw(world, keys, n)


def codes(encoder: AbstractEncoder, x: Array) -> Floats:
    """Codes (seeds, n, k) of each seed's observations (seeds, n, ...)."""
    return np.asarray(_codes(encoder, x), dtype=float)


@eqx.filter_jit
def readout(encoder: AbstractEncoder, objective: AbstractObjective) -> AbstractEncoder:
    """Of each seed, the encoder whose codes count."""
    found: AbstractEncoder = eqx.filter_vmap(lambda one, of: of.readout(one))(encoder, objective)
    return found


@eqx.filter_jit
def _draw(world: AbstractWorld, keys: PRNGKeyArray, n: int) -> Draw:
    found: Draw = eqx.filter_vmap(lambda one, key: one.sample(key, n))(world, keys)
    return found


@eqx.filter_jit
def _codes(encoder: AbstractEncoder, x: Array) -> Array:
    found: Array = eqx.filter_vmap(encode)(encoder, x)
    return found


@eqx.filter_jit
@eqx.debug.assert_max_traces(max_traces=None)
def _advance(
    state: _State,
    world: AbstractWorld,
    keys: PRNGKeyArray,
    start: Array,
    optimiser: optax.GradientTransformation,
    batch: int,
    chunk: int,
    sharding: NamedSharding | None,
) -> tuple[_State, Array]:
    """`chunk` steps of every seed; returns the mean objective of each seed."""

    def one_seed(state: _State, world: AbstractWorld, key: PRNGKeyArray) -> tuple[_State, Array]:
        variable, fixed = eqx.partition(state, eqx.is_array)

        def one_step(carry: Any, step: Array) -> tuple[Any, Array]:
            now = eqx.combine(carry, fixed)
            k_draw, k_objective = jax.random.split(jax.random.fold_in(key, step))
            seen = world.sample(k_draw, batch).batch
            if sharding is not None:
                seen = eqx.filter_shard(seen, sharding)
            value, slope = eqx.filter_value_and_grad(_value)(now.learner, seen, k_objective)
            weights = eqx.filter(now.learner, eqx.is_inexact_array)
            change, memory = optimiser.update(slope, now.optimiser, weights)
            after = _State(eqx.apply_updates(now.learner, change), memory)
            return eqx.filter(after, eqx.is_array), value

        steps = start + jnp.arange(chunk)
        variable, values = jax.lax.scan(one_step, variable, steps)
        return eqx.combine(variable, fixed), values.mean()

    moved: tuple[_State, Array] = eqx.filter_vmap(one_seed)(state, world, keys)
    return moved


def _value(learner: tuple[Any, Any], seen: Any, key: PRNGKeyArray) -> Array:
    encoder, objective = learner
    value: Array = objective(encoder, seen, key=key)
    return value


def _split(keys: PRNGKeyArray) -> tuple[PRNGKeyArray, PRNGKeyArray]:
    parts = jax.vmap(lambda key: jax.random.split(key, 2))(keys)
    return parts[:, 0], parts[:, 1]


def _over_devices(batch: int) -> NamedSharding | None:
    """Rows of a batch over all devices, where there are several and they divide it."""
    devices = jax.devices()
    if len(devices) == 1 or batch % len(devices):
        return None
    mesh = Mesh(np.asarray(devices), ("rows",))
    return NamedSharding(mesh, PartitionSpec("rows"))  # type: ignore[no-untyped-call]


def _stops(done: int, total: int, chunk: int) -> Iterator[int]:
    """Ends of chunks, about evenly spaced in their logarithm."""
    ideal = np.geomspace(chunk, total, POINTS)
    stops = sorted({int(np.ceil(step / chunk - 1e-9)) * chunk for step in ideal} | {total})
    return (stop for stop in stops if stop > done)


def _point(
    state: _State,
    held_out: Draw | None,
    watch: Watch | None,
    done: int,
    losses: list[list[float]],
    spent: float,
) -> Point:
    scores: tuple[float, ...] = ()
    if watch is not None and held_out is not None:
        found = codes(readout(*state.learner), held_out.batch.x)
        latents = np.asarray(held_out.latent, dtype=float)
        scores = tuple(watch(latents, found))
    means = tuple(float(value) for value in np.mean(losses, axis=0))
    return Point(done, means, scores, spent)


def _enough(curve: list[Point], until: float | None, patience: int | None) -> bool:
    now = curve[-1]
    if not np.isfinite(now.objective).any():
        return True
    if until is not None and now.score and all(value >= until for value in now.score):
        return True
    if patience is None or len(curve) <= patience or not now.score:
        return False
    before = curve[-1 - patience]
    return not any(new >= old + 1e-3 for new, old in zip(now.score, before.score, strict=True))


def _lost(state: _State, last: Point) -> tuple[bool, ...]:
    """Of each seed: did its objective or its encoder stop being finite?"""
    weights = jax.tree.leaves(eqx.filter(state.learner[0], eqx.is_inexact_array))
    sound = [np.isfinite(x).reshape(len(x), -1).all(axis=1) for x in map(np.asarray, weights)]
    kept = np.all([np.isfinite(last.objective), *sound], axis=0)
    return tuple(not value for value in kept.tolist())


def _letters(
    world: AbstractWorld,
    encoder: AbstractEncoder,
    objective: AbstractObjective,
    recipe: Recipe,
    keys: PRNGKeyArray,
) -> str:
    """Of what is trained; by its arrays alone where a part has no lasting name."""
    rest = (recipe, jax.random.key_data(keys), code_fingerprint())
    parts = (world, encoder, objective)
    try:
        return fingerprint((parts, rest))
    except TypeError:
        return fingerprint((jax.tree.leaves(eqx.filter(parts, eqx.is_array)), rest))


def _remembered(point: list[Any]) -> Point:
    step, objective, score, seconds = point
    return Point(step, tuple(objective), tuple(score), seconds)


def _keep(
    folder: Path,
    letters: str,
    state: _State,
    curve: list[Point],
    done: int,
    spent: float,
    losses: list[list[float]],
) -> None:
    points = [[p.step, list(p.objective), list(p.score), p.seconds] for p in curve]
    memory = {"of": letters, "curve": points, "done": done, "spent": spent, "losses": losses}
    save(folder, state, memory)
