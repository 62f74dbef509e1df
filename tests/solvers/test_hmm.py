"""Hidden Markov models: sums over all paths, a peer, and what is recovered."""

from __future__ import annotations

from itertools import pairwise, permutations, product

import numpy as np
import pytest
from hmmlearn.hmm import GaussianHMM
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from coset._core import BadInput
from coset.metrics import mcc
from coset.solvers import HiddenMarkov, diagonalise, fit_hidden_markov
from coset.solvers._hmm import _expected
from coset.worlds import random_regimes


def model(rng, states=2, d=2, *, shared=False):
    transitions = rng.dirichlet(np.ones(states), states)
    covariances = np.stack([one @ one.T for one in rng.normal(size=(states, d, d + 2))])
    return HiddenMarkov(
        rng.dirichlet(np.ones(states)), np.eye(states) if shared else transitions,
        rng.normal(size=(states, d)), covariances, 0.0, shared, 0, converged=True,
    )  # fmt: skip


def over_all_paths(row, given):
    """Log likelihood, states and moves of one sequence, path by path."""
    states, steps = len(given.start), len(row)
    laws = [
        multivariate_normal(mean, cov).logpdf(row)
        for mean, cov in zip(given.means, given.covariances, strict=True)
    ]
    paths = list(product(range(states), repeat=steps))
    with np.errstate(divide="ignore"):
        start, move = np.log(given.start), np.log(given.transitions)
    logs = np.array([
        start[path[0]] + sum(laws[k][t] for t, k in enumerate(path))
        + sum(move[i, j] for i, j in pairwise(path))
        for path in paths
    ])  # fmt: skip
    weights = np.exp(logs - logsumexp(logs))
    occupied, moves = np.zeros((steps, states)), np.zeros((states, states))
    for weight, path in zip(weights, paths, strict=True):
        for t, k in enumerate(path):
            occupied[t, k] += weight
        for i, j in pairwise(path):
            moves[i, j] += weight
    return logsumexp(logs), occupied, moves


@pytest.mark.parametrize("shared", [False, True])
def test_expectations_are_sums_over_paths(rng, shared):
    given, rows = model(rng, 3, shared=shared), rng.normal(size=(2, 4, 2))
    found = _expected(rows, given)
    naive = [over_all_paths(row, given) for row in rows]
    assert found.log_likelihood == pytest.approx(sum(one[0] for one in naive))
    assert np.allclose(found.states, [one[1] for one in naive])
    if not shared:
        assert np.allclose(found.moves, sum(one[2] for one in naive))
    assert given.score(rows) == pytest.approx(found.log_likelihood)
    assert np.allclose(given.states(rows).sum(2), 1)


def test_long_sequences_and_impossible_rows_stay_finite(rng):
    given = model(rng)
    rows = rng.normal(size=(1, 5000, 2))
    rows[0, 100] = 1e4
    found = _expected(rows, given)
    assert np.isfinite(found.log_likelihood)
    assert np.allclose(found.states.sum(2), 1)


def test_same_as_the_peer(rng):
    """Likelihood and posterior of its parameters, and an optimum that is no worse than its own."""
    drawn = random_regimes(rng, 2).sample(rng, 10, 150)
    rows = drawn.observations
    peer = GaussianHMM(3, covariance_type="full", n_iter=200, tol=1e-4, random_state=0)
    flat, lengths = rows.reshape(-1, 2), [150] * 10
    peer.fit(flat, lengths)
    ours = HiddenMarkov(
        peer.startprob_, peer.transmat_, peer.means_, peer.covars_, 0.0, False, 0, converged=True
    )
    assert ours.score(rows) == pytest.approx(peer.score(flat, lengths), rel=1e-9)
    assert np.allclose(ours.states(rows).reshape(-1, 3), peer.predict_proba(flat, lengths))
    found = fit_hidden_markov(rows, 3)
    assert found.log_likelihood > peer.score(flat, lengths) - 1.0
    assert found.converged


@pytest.mark.parametrize("stay", [0.95, 1.0])
def test_parameters_are_recovered(stay):
    regimes = random_regimes(np.random.default_rng(1), 3, stay=stay)
    drawn = regimes.sample(np.random.default_rng(2), 40, 150)
    found = fit_hidden_markov(drawn.observations, 4, shared=stay == 1)
    true = np.einsum("ij,sj,kj->sik", regimes.mixing, regimes.variances, regimes.mixing)
    gaps = [
        max(np.linalg.norm(found.covariances[k] - true[j]) / np.linalg.norm(true[j])
            for j, k in enumerate(order))
        for order in permutations(range(4))
    ]  # fmt: skip
    assert min(gaps) < 0.2
    assert np.allclose(np.diagonal(found.transitions), stay, atol=0.03)
    weights = found.states(drawn.observations).sum((0, 1))
    unmixing = diagonalise(found.covariances, weights).unmixing
    codes = drawn.observations.reshape(-1, 3) @ unmixing.T
    assert float(mcc(drawn.latents.reshape(-1, 3), codes)) > 0.995


def test_likelihood_never_falls(rng):
    from coset.solvers._hmm import _improved

    rows = random_regimes(rng, 2).sample(rng, 5, 60).observations
    now = model(rng, 3)
    values = []
    for _ in range(15):
        found = _expected(rows, now)
        values.append(found.log_likelihood)
        now = _improved(rows.reshape(-1, 2), found, now)
    assert (np.diff(values) > -1e-3).all()


def test_one_state_is_one_normal_law(rng):
    rows = rng.normal(size=(2, 50, 2))
    found = fit_hidden_markov(rows, 1)
    flat = rows.reshape(-1, 2)
    assert np.allclose(found.means[0], flat.mean(0))
    assert np.allclose(found.covariances[0], np.cov(flat.T, bias=True), atol=1e-5)


@pytest.mark.parametrize(
    ("rows", "states", "says"),
    [
        (np.zeros((3, 2)), 2, "sequences, steps, d"),
        (np.full((1, 30, 2), np.nan), 2, "all finite"),
        (np.zeros((1, 30, 2)), 0, "at least 1"),
        (np.zeros((1, 4, 2)), 3, "fewer states"),
    ],
)
def test_refusals(rows, states, says):
    with pytest.raises(BadInput, match=says):
        fit_hidden_markov(rows, states)
