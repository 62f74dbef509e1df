"""Estimators that a solver is behind: their likelihoods, their inverses, their refusals."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import PCA

from coset._core import BadInput
from coset.estimators import PPCA, LinearICA
from coset.solvers import quasi_newton

RNG = np.random.default_rng(0)
LATENTS = np.column_stack([RNG.laplace(size=(3000, 2)), RNG.uniform(-1, 1, size=3000)])
MIXING = RNG.normal(size=(3, 3))
X = LATENTS @ MIXING + [5.0, 0.0, -2.0]


def test_codes_are_the_latents_up_to_order_sign_and_scale():
    model = LinearICA(random_state=0).fit(X)
    both = np.abs(np.corrcoef(model.transform(X).T, LATENTS.T)[:3, 3:])
    assert (both.max(axis=0) > 0.99).all()
    assert model.converged_
    np.testing.assert_allclose(model.inverse_transform(model.transform(X)), X, atol=1e-8)


@pytest.mark.parametrize("dim", [None, 2])
def test_the_score_of_the_rows_of_fit_is_the_solvers_likelihood(dim):
    model = LinearICA(dim=dim, random_state=0).fit(X)
    seed = int(np.random.RandomState(0).randint(2**31 - 1))
    assert model.score(X) == pytest.approx(quasi_newton(X, dim, seed=seed).log_likelihood, abs=1e-9)


def test_the_score_is_a_log_density():
    axis = np.linspace(-6, 6, 121)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    rows = LATENTS[:, [0, 2]] @ [[1.0, 0.3], [-0.4, 1.2]]
    model = LinearICA(random_state=0).fit(rows)
    density = np.exp([model.score(row[None]) for row in grid])
    assert density.sum() * (axis[1] - axis[0]) ** 2 == pytest.approx(1, abs=0.01)


def test_ppca_scores_as_scikit_learn_does():
    model, peer = PPCA(dim=2).fit(X), PCA(2).fit(X)
    # scikit-learn divides by n - 1, the maximum of the likelihood by n
    assert model.score(X) == pytest.approx(peer.score(X), abs=1e-5)
    ours, theirs = model.transform(X), peer.transform(X)
    for k in range(2):
        assert abs(np.corrcoef(ours[:, k], theirs[:, k])[0, 1]) > 0.99999
    back = model.inverse_transform(ours)
    assert ((X - back) ** 2).mean() < 0.2 * X.var()


@pytest.mark.parametrize(
    ("model", "given", "says"),
    [
        (LinearICA(), {"u": np.ones(3000)}, "leave u and pairs out"),
        (PPCA(), {"pairs": X}, "leave u and pairs out"),
        (LinearICA(dim=4), {}, "4 latents of 3 columns"),
        (PPCA(dim=3), {}, "1 to 2"),
    ],
)
def test_wrong_input_is_refused_in_words(model, given, says):
    with pytest.raises(BadInput, match=says):
        model.fit(X, **given)


def test_codes_of_another_width_are_refused():
    with pytest.raises(BadInput, match="3 are needed"):
        LinearICA(random_state=0).fit(X).inverse_transform(np.ones((2, 2)))
