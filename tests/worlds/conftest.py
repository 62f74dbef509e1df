"""How draws are compared with a law."""

from __future__ import annotations

import equinox as eqx
import jax
import numpy as np
import pytest
from scipy import stats

FALSE_FAILURE = 1e-6
"""Of one comparison with p-value below it. This folder makes fewer than 500 in all, so at most 5
in 10,000 choices of their seeds would make a correct sampler fail; the seeds are fixed."""


@eqx.filter_jit
def _sampled(part, keys, args):
    return jax.vmap(lambda key: part.sample(key, *args))(keys)


@pytest.fixture
def draws():
    """n draws (n, ...) of one part, each with a key of its own."""

    def draw(part, n, *args, seed=0):
        keys = jax.random.split(jax.random.key(seed), n)
        found = _sampled(part, keys, args)
        return jax.tree.map(lambda x: np.asarray(x, dtype=float), found)

    return draw


@pytest.fixture
def likely():
    """A p-value that a correct sampler goes below once in a million draws."""

    def check(p_value, *about):
        assert p_value > FALSE_FAILURE, about

    return check


@pytest.fixture
def follows(likely):
    """Kolmogorov-Smirnov: do the draws follow a distribution function, or that of other draws?"""

    def check(x, law, *about):
        x = np.asarray(x).ravel()
        found = stats.kstest(x, law) if callable(law) else stats.ks_2samp(x, np.ravel(law))
        likely(found.pvalue, found, *about)

    return check


@pytest.fixture
def uniform_directions(follows, likely):
    """(n, k) unit vectors: t = one coordinate has (t + 1) / 2 ~ Beta((k - 1) / 2, (k - 1) / 2)."""

    def check(x, *about):
        k = x.shape[1]
        if k == 1:
            likely(stats.binomtest(int((x > 0).sum()), len(x)).pvalue, *about)
            return
        law = stats.beta((k - 1) / 2, (k - 1) / 2).cdf
        for t in (x[:, 0], x[:, -1], x.sum(axis=1) / np.sqrt(k)):
            follows(np.clip((t + 1) / 2, 0, 1), law, *about)

    return check


@pytest.fixture
def cdf_of():
    """The distribution function of an unnormalised log density between two ends, by quadrature."""

    def integrate(log_density, low, high, points=400_001):
        grid = np.linspace(low, high, points)
        weight = log_density(grid)
        weight = np.exp(weight - weight.max())
        total = np.concatenate([[0.0], np.cumsum((weight[1:] + weight[:-1]) / 2)])
        return lambda x: np.interp(x, grid, total / total[-1])

    return integrate
