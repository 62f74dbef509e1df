"""Verdicts on real data, whose columns are constant, collinear or of scales far apart."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.decomposition import PCA
from sklearn.preprocessing import PowerTransformer, StandardScaler

import coset


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_standardising_is_a_scaled_permutation(load):
    raw = load(return_X_y=True)[0]
    order = np.random.default_rng(0).permutation(raw.shape[1])
    found = coset.compare(raw, StandardScaler().fit_transform(raw)[:, order])
    assert "scaled-permutation" in found.verdict
    assert found.groups["scaled-permutation"].r2 == pytest.approx(1)
    assert not found.groups["similarity"].holds


def test_unit_free_powers_are_componentwise():
    raw = StandardScaler().fit_transform(load_wine(return_X_y=True)[0])
    found = coset.compare(np.exp(raw), PowerTransformer("box-cox").fit_transform(np.exp(raw)))
    assert found.groups["componentwise"].r2 > found.groups["affine"].r2
    assert not found.groups["affine"].holds


def test_principal_components_are_a_rotation():
    raw = load_digits(return_X_y=True)[0]
    found = coset.compare(raw, PCA().fit_transform(raw))
    assert "similarity" in found.verdict  # a rotation and the offset that centring takes away
    assert found.to_dict()["a"]["rank"] == 61  # three pixels are never lit


def test_leading_components_hold_what_the_threshold_asks_for():
    raw = load_digits(return_X_y=True)[0]
    few, many = (coset.compare(raw, PCA(k).fit_transform(raw)) for k in (10, 30))
    assert few.verdict == ()
    assert few.groups["affine"].r2_ab == pytest.approx(1)
    assert few.groups["affine"].r2_ba == pytest.approx(0.738, abs=0.01)  # variance of 10 components
    assert any("lost" in hint for hint in few.hints)
    assert many.groups["affine"].r2_ba == pytest.approx(0.959, abs=0.01)


def test_halves_of_a_digit_are_related_but_by_no_group():
    raw = load_digits(return_X_y=True)[0]
    found = coset.compare(raw[:, :32], raw[:, 32:])
    assert found.verdict == ()
    assert found.measures["cka_debiased"] > 0.1
    assert 0.2 < found.groups["affine"].r2 < 0.7
    assert found.groups["nonlinear"].r2 > found.groups["affine"].r2


def test_labels_say_little_of_pixels():
    raw, labels = load_digits(return_X_y=True)
    found = coset.compare(raw, np.eye(10)[labels])
    assert found.verdict == ()
    assert found.groups["affine"].r2_ab > found.groups["affine"].r2_ba
