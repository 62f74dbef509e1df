"""Joint diagonalisation: an exact answer, the criterion by hand, its standard errors."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.optimize import minimize

from coset._core import BadInput
from coset.solvers import diagonalise


def problem(rng, d, environments):
    mixing = rng.normal(size=(d, d))
    variances = rng.uniform(0.1, 3.0, (environments, d))
    return mixing, variances, np.einsum("ij,ej,kj->eik", mixing, variances, mixing)


def scaled_permutation(matrix, tolerance):
    """Is every row one entry, another one for each row?"""
    sizes = np.abs(matrix) / np.linalg.norm(matrix, axis=1, keepdims=True)
    assert sorted(sizes.argmax(1)) == list(range(len(matrix)))
    return (sizes.max(1) > 1 - tolerance).all()


def criterion(w, covariances, counts):
    """As its docstring says, one covariance after another."""
    total = 0.0
    for c, n in zip(covariances, counts, strict=True):
        rotated = w @ c @ w.T
        total += n * (np.log(np.diagonal(rotated)).sum() - np.log(np.linalg.det(rotated))) / 2
    return total / sum(counts)


@pytest.mark.parametrize(("d", "environments"), [(2, 2), (3, 4), (5, 6), (10, 11), (4, 40)])
def test_exact_covariances_are_diagonalised(rng, d, environments):
    mixing, variances, covariances = problem(rng, d, environments)
    found = diagonalise(covariances)
    assert found.converged
    assert found.criterion < 1e-10
    assert scaled_permutation(found.unmixing @ mixing, 1e-9)
    order = np.abs(found.unmixing @ mixing).argmax(1)
    scale = variances.mean(0)[order]
    assert np.allclose(found.variances, variances[:, order] / scale, rtol=1e-6)


def test_two_covariances_have_the_generalised_eigenvectors(rng):
    a, b = (one @ one.T for one in rng.normal(size=(2, 4, 9)))
    found = diagonalise([a, b])
    vectors = eigh(a, b)[1]
    assert scaled_permutation(found.unmixing @ np.linalg.inv(vectors.T), 1e-9)
    assert found.criterion < 1e-10


def test_minimum_of_the_criterion(rng):
    """A general minimiser, from the end, finds nothing lower; the value is that of the formula."""
    covariances = np.stack([np.cov(rng.normal(size=(3, 30))) for _ in range(5)])
    counts = np.array([10, 20, 5, 40, 8])
    found = diagonalise(covariances, counts)
    assert found.criterion == pytest.approx(criterion(found.unmixing, covariances, counts))

    def near(x):
        return criterion((np.eye(3) + x.reshape(3, 3)) @ found.unmixing, covariances, counts)

    assert minimize(near, np.zeros(9)).fun > found.criterion - 1e-9


def test_bad_conditions_do_not_matter(rng):
    mixing, _, covariances = problem(rng, 6, 7)
    worse = np.diag(np.geomspace(1, 1e-4, 6))
    found = diagonalise(worse @ covariances @ worse)
    assert scaled_permutation(found.unmixing @ worse @ mixing, 1e-6)


def test_standard_errors_are_those_of_repetitions(rng):
    mixing, variances, _ = problem(rng, 3, 4)
    leaks = []
    for _ in range(200):
        rows = rng.normal(size=(4, 500, 3)) * np.sqrt(variances)[:, None] @ mixing.T
        found = diagonalise(rows.swapaxes(1, 2) @ rows / 500, np.full(4, 500))
        leak = found.unmixing @ mixing * np.sqrt(variances.mean(0))
        order = np.abs(leak).argmax(0)
        leaks.append(leak[order] - np.diag(np.diagonal(leak[order])))
        told = found.errors[np.ix_(order, order)]
    spread = np.sqrt(np.mean(np.square(leaks), axis=0))
    off = ~np.eye(3, dtype=bool)
    assert np.allclose(spread[off] / told[off], 1, atol=0.35)


def test_proportional_variances_are_told(rng):
    mixing, variances, _ = problem(rng, 3, 4)
    variances[:, 1] = 2 * variances[:, 0]
    found = diagonalise(np.einsum("ij,ej,kj->eik", mixing, variances, mixing), np.full(4, 100))
    alike = np.linalg.norm((found.unmixing @ mixing)[:, :2], axis=1) > 1e-6
    assert found.errors[np.ix_(alike, alike)].max() > 1e3
    assert found.errors[np.ix_(~alike, alike)].max() < 1


@pytest.mark.parametrize(
    ("covariances", "counts", "says"),
    [
        (np.eye(2), None, "environments, d, d"),
        ([np.diag([1.0, 0.0])], None, "not positive definite"),
        ([np.eye(2)] * 2, [1.0], "2 positive ones"),
    ],
)
def test_refusals(covariances, counts, says):
    with pytest.raises(BadInput, match=says):
        diagonalise(covariances, counts)
