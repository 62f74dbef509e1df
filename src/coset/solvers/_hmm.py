"""Hidden Markov models with normal emissions, by expectation-maximisation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.cluster.vq import kmeans2
from scipy.linalg import solve_triangular

from .._core import BadInput, Floats

STEPS = 500
WINDOW = 20
"""Rows whose second moments tell states apart before anything else is known."""
STAY = 0.9
TINY = 1e-300
LEAST = 1e-6
"""Of the variance of all rows: no state is narrower."""


@dataclass(frozen=True, eq=False)
class HiddenMarkov:
    """States that follow one another, and the normal law of rows in each; their order is free."""

    start: Floats
    """(states,)."""
    transitions: Floats
    """(states, states), from row to column."""
    means: Floats
    """(states, d)."""
    covariances: Floats
    """(states, d, d)."""
    log_likelihood: float
    """Of the sequences that it was fitted to."""
    shared: bool
    """Whether a sequence stays in one state for good."""
    steps: int
    converged: bool

    def states(self, sequences: ArrayLike) -> Floats:
        """(sequences, steps, states): how probable each state is, given whole sequences."""
        return _expected(_sequences(sequences), self).states

    def score(self, sequences: ArrayLike) -> float:
        """Log likelihood."""
        return _expected(_sequences(sequences), self).log_likelihood


def fit_hidden_markov(
    sequences: ArrayLike,
    states: int,
    *,
    shared: bool = False,
    restarts: int = 3,
    seed: int = 0,
    tolerance: float = 1e-6,
) -> HiddenMarkov:
    """The likeliest of several fits (Baum and Welch; logarithms throughout).

    A fit starts from a clustering of second moments in windows, so that states which differ in
    variance alone are told apart too.

    Args:
        sequences: (sequences, steps, d).
        states: how many.
        shared: each sequence stays in one state for good, so that its rows are exchangeable: a
            mixture of sequences, of which the state is the latent variable of de Finetti.
        restarts: fits, from clusterings that start elsewhere.
        seed: of the clusterings.
        tolerance: gain of log likelihood for each row at the end.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> hidden = np.repeat([0, 1, 0, 1], 100)
        >>> rows = rng.normal(size=(1, 400, 1)) * np.where(hidden, 5.0, 1.0)[None, :, None]
        >>> found = fit_hidden_markov(rows, 2)
        >>> np.round(np.sort(np.sqrt(found.covariances.ravel())))
        array([1., 5.])

    References:
        baum1970
    """
    rows = _sequences(sequences)
    if isinstance(states, bool) or not isinstance(states, int) or states < 1:
        raise BadInput(f"states={states!r}; a whole number of states is needed, at least 1")
    if rows.shape[0] * rows.shape[1] < 2 * states * rows.shape[2]:
        raise BadInput(
            f"{rows.shape[0] * rows.shape[1]} rows for {states} states of {rows.shape[2]} columns; "
            f"give more rows, or ask for fewer states"
        )
    fits = [
        _climb(rows, guess, tolerance)
        for guess in _guesses(rows, states, shared=shared, restarts=restarts, seed=seed)
    ]
    return max(fits, key=lambda fit: fit.log_likelihood)


@dataclass(frozen=True, eq=False)
class _Expected:
    states: Floats
    """(sequences, steps, states)."""
    moves: Floats
    """(states, states), expected numbers."""
    log_likelihood: float


def _guesses(
    rows: Floats, states: int, *, shared: bool, restarts: int, seed: int
) -> Iterator[HiddenMarkov]:
    """Laws of clusters of windows."""
    _, steps, d = rows.shape
    width = steps if shared else min(WINDOW, steps)
    pieces = rows[:, : steps // width * width].reshape(-1, width, d)
    flat = rows.reshape(-1, d)
    spread = np.linalg.inv(np.linalg.cholesky(_floored(np.cov(flat.T).reshape(1, d, d), flat)[0]))
    white = (pieces - flat.mean(0)) @ spread.T
    upper = np.triu_indices(d)
    second = (white.swapaxes(1, 2) @ white / width)[:, *upper]
    features = np.hstack([np.sign(second) * np.log1p(np.abs(second)), white.mean(1)])
    stay = np.eye(states) if shared or states == 1 else _sticky(states)
    for number in range(restarts if states > 1 else 1):
        drawn = np.random.default_rng([seed, number])
        labels = kmeans2(features, states, minit="++", rng=drawn, missing="warn")[1]
        chosen = [pieces[labels == k].reshape(-1, d) for k in range(states)]
        chosen = [one if len(one) > d else flat for one in chosen]
        yield HiddenMarkov(
            np.full(states, 1 / states), stay, np.stack([one.mean(0) for one in chosen]),
            _floored(np.stack([np.cov(one.T).reshape(d, d) for one in chosen]), flat),
            -np.inf, shared, 0, converged=False,
        )  # fmt: skip


def _sticky(states: int) -> Floats:
    rest = (1 - STAY) / (states - 1)
    return np.full((states, states), rest) + (STAY - rest) * np.eye(states)


def _climb(rows: Floats, model: HiddenMarkov, tolerance: float) -> HiddenMarkov:
    flat, before = rows.reshape(-1, rows.shape[2]), -np.inf
    step, gain = 0, np.inf
    while step < STEPS:
        step += 1
        found = _expected(rows, model)
        gain, before = found.log_likelihood - before, found.log_likelihood
        if gain < tolerance * len(flat):
            break
        model = _improved(flat, found, model)
    return replace(
        model, log_likelihood=before, steps=step, converged=bool(gain < tolerance * len(flat))
    )


def _improved(flat: Floats, found: _Expected, model: HiddenMarkov) -> HiddenMarkov:
    """Maximisation."""
    weights = found.states.reshape(len(flat), -1)
    total = np.maximum(weights.sum(0), 1e-12)
    means = weights.T @ flat / total[:, None]
    covariances = np.stack([
        ((flat - mean) * weight[:, None]).T @ (flat - mean) / whole
        for mean, weight, whole in zip(means, weights.T, total, strict=True)
    ])  # fmt: skip
    return replace(
        model,
        start=found.states[:, 0].mean(0),
        transitions=_normalised(found.moves) if found.moves.size else model.transitions,
        means=means,
        covariances=_floored(covariances, flat),
    )


def _normalised(moves: Floats) -> Floats:
    found: Floats = (moves + TINY) / (moves + TINY).sum(1, keepdims=True)
    return found


def _expected(rows: Floats, model: HiddenMarkov) -> _Expected:
    """Forward and backward, all sequences abreast and in logarithms."""
    emitted = _log_densities(rows, model).swapaxes(0, 1)
    with np.errstate(divide="ignore"):
        start = np.log(model.start)
    if model.shared:
        together = start + emitted.sum(0)
        whole = _summed(together)
        states = np.exp(together - whole[:, None])
        return _Expected(
            np.repeat(states[:, None], len(emitted), axis=1), np.zeros((0, 0)), float(whole.sum())
        )
    forward, backward = np.empty_like(emitted), np.zeros_like(emitted)
    forward[0] = start + emitted[0]
    for t in range(1, len(emitted)):
        forward[t] = _moved(forward[t - 1], model.transitions) + emitted[t]
    for t in range(len(emitted) - 2, -1, -1):
        backward[t] = _moved(emitted[t + 1] + backward[t + 1], model.transitions.T)
    whole = _summed(forward[-1])
    states = np.exp(forward + backward - whole[:, None])
    now, top = _peeled(forward[:-1].reshape(-1, len(start)))
    ahead, peak = _peeled((emitted + backward)[1:].reshape(-1, len(start)))
    share = np.exp(top + peak - np.tile(whole, len(emitted) - 1))
    moves = model.transitions * ((now * share[:, None]).T @ ahead)
    return _Expected(states.swapaxes(0, 1), moves, float(whole.sum()))


def _peeled(logs: Floats) -> tuple[Floats, Floats]:
    """Rows as numbers of which the largest is 1, and the logarithm of that one."""
    most = logs.max(1)
    return np.exp(logs - most[:, None]), most


def _moved(logs: Floats, transitions: Floats) -> Floats:
    numbers, most = _peeled(logs)
    found: Floats = np.log(numbers @ transitions + TINY) + most[:, None]
    return found


def _summed(logs: Floats) -> Floats:
    """Logarithm of Σ exp of each row."""
    numbers, most = _peeled(logs)
    found: Floats = np.log(numbers.sum(1)) + most
    return found


def _log_densities(rows: Floats, model: HiddenMarkov) -> Floats:
    """(sequences, steps, states)."""
    flat = rows.reshape(-1, rows.shape[2])
    found = np.empty((len(flat), len(model.means)))
    for k, (mean, covariance) in enumerate(zip(model.means, model.covariances, strict=True)):
        root = np.linalg.cholesky(covariance)
        white = solve_triangular(root, (flat - mean).T, lower=True)
        constant = np.log(np.diagonal(root)).sum() + rows.shape[2] / 2 * np.log(2 * np.pi)
        found[:, k] = -(white**2).sum(0) / 2 - constant
    return found.reshape(*rows.shape[:2], -1)


def _floored(covariances: Floats, flat: Floats) -> Floats:
    least = LEAST * flat.var(0).mean() + 1e-300
    return covariances + least * np.eye(flat.shape[1])


def _sequences(given: ArrayLike) -> Floats:
    rows = np.asarray(given, dtype=float)
    if rows.ndim != 3 or not rows.size or not np.isfinite(rows).all():
        raise BadInput(f"sequences of shape {rows.shape}; (sequences, steps, d), all finite")
    return rows
