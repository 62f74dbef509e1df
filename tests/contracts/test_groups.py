"""Every group of the ladder, every law: one row each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import coset
from coset._core import BadInput
from coset.groups import LADDER, FittedMap, fit_both, group, load_map, looser, minimal
from coset.metrics import Factors, Moments

D = 4
Q = np.linalg.qr(np.random.default_rng(9).normal(size=(D, D)))[0]
A = Q @ np.diag([0.5, 1, 1.5, 2]) @ Q[::-1]
ORDER = [2, 0, 3, 1]
SIGNS = np.array([1, -1, -1, 1])


@dataclass(frozen=True)
class Row:
    make: object  # a member of the group, applied to rows
    exact: bool = True  # recovered to rounding from 400 noiseless rows
    invertible: bool = True


TABLE = {
    "identity": Row(lambda a: a),
    "permutation": Row(lambda a: a[:, ORDER]),
    "signed-permutation": Row(lambda a: a[:, ORDER] * SIGNS),
    "scaled-permutation": Row(lambda a: a[:, ORDER] * SIGNS * [1, 2, 3, 4] + 5),
    "componentwise": Row(lambda a: np.sinh(a[:, ORDER]) * SIGNS, exact=False),
    "orthogonal": Row(lambda a: a @ Q.T),
    "similarity": Row(lambda a: 3 * a @ Q.T - 2),
    "linear": Row(lambda a: a @ A.T),
    "affine": Row(lambda a: a @ A.T + 1),
    "nonlinear": Row(lambda a: a @ A.T + np.sin(a), exact=False, invertible=False),
}


def rows(n=400, seed=0):
    return np.random.default_rng(seed).normal(size=(n, D)) * [1, 1.3, 1.6, 2] + [0, 1, -1, 2]


def fit(name, a, b, kind=Moments):
    return fit_both(group(name), kind().update(a, b), a, b)


def test_the_table_is_the_ladder():
    assert list(TABLE) == list(LADDER)


@pytest.mark.parametrize("kind", [Moments, Factors])
@pytest.mark.parametrize("name", TABLE)
def test_fits_its_own_members_both_ways(name, kind):
    a = rows()
    b = TABLE[name].make(a)
    there, back = fit(name, a, b, kind)
    tolerance = 1e-9 if TABLE[name].exact else 0.02
    for fitted, given, wanted in ((there, a, b), (back, b, a)):
        assert fitted.group == name
        error = ((fitted(given) - wanted) ** 2).sum() / ((wanted - wanted.mean(0)) ** 2).sum()
        assert error < tolerance


@pytest.mark.parametrize("name", TABLE)
@pytest.mark.parametrize("inner", TABLE)
def test_containment_is_what_maps_say(name, inner):
    """A member of a group is fitted by exactly the groups that contain it (and by itself)."""
    a = rows()
    b = TABLE[inner].make(a)
    fitted, _ = fit(name, a, b)
    error = ((fitted(a) - b) ** 2).sum() / ((b - b.mean(0)) ** 2).sum()
    if name == inner or name in looser(inner):
        assert error < (0.05 if name == "nonlinear" else 0.02)  # kernels only come near
    elif name not in ("componentwise", "nonlinear"):  # they approximate what they do not contain
        assert error > 1e-3


@pytest.mark.parametrize("name", [n for n in TABLE if TABLE[n].invertible])
def test_inverse_undoes(name):
    a = rows()
    fitted, _ = fit(name, a, TABLE[name].make(a))
    tolerance = 1e-9 if TABLE[name].exact else 0.05
    np.testing.assert_allclose(fitted.inverse(fitted(a)), a, atol=tolerance * 10)


def test_what_has_no_inverse_says_so():
    a = rows()
    with pytest.raises(BadInput, match="align"):
        fit("nonlinear", a, np.sin(a))[0].inverse(a)
    with pytest.raises(BadInput, match="cannot be undone"):
        fit("affine", a, a[:, :2] * [1, 5])[0].inverse(a[:, :2])
    with pytest.raises(BadInput, match="nearly singular"):
        fit("affine", a, np.column_stack([a[:, :3], a[:, 0] + a[:, 1]]))[0].inverse(a)
    with pytest.raises(BadInput, match="cannot be restored"):
        fit("componentwise", a, a[:, :2])[0].inverse(a[:, :2])


@pytest.mark.parametrize("name", TABLE)
def test_saved_and_loaded_is_the_same(name, tmp_path):
    a = rows()
    fitted = FittedMap(fit(name, a, TABLE[name].make(a))[0], {"r2": 0.5, "a": "ünï <b>"})
    path = tmp_path / "map.safetensors"
    fitted.save(path)
    loaded = load_map(path)
    assert loaded.group == name
    assert loaded.about == fitted.about
    np.testing.assert_array_equal(loaded(a), fitted(a))
    assert [p.name for p in tmp_path.iterdir()] == ["map.safetensors"]


@pytest.mark.parametrize("name", TABLE)
def test_unequal_widths(name):
    a = rows()
    there, back = fit(name, a, a[:, :2])
    assert there(a).shape == (400, 2)
    assert back(a[:, :2]).shape == (400, D)


@pytest.mark.parametrize("name", TABLE)
def test_wrong_width_is_refused(name):
    a = rows()
    with pytest.raises(BadInput, match="rows have 3 columns; the map takes 4"):
        fit(name, a, a)[0](a[:, :3])


def test_any_reader_opens_a_map(tmp_path):
    from safetensors.numpy import load_file

    a = rows()
    coset.align(a, a @ Q.T, group="orthogonal").save(tmp_path / "m.safetensors")
    tensors = load_file(tmp_path / "m.safetensors")
    np.testing.assert_allclose(tensors["matrix"], Q, atol=1e-9)


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"", "not a readable"), (b"\x80\x04pickle", "not a readable"), (None, "not a file")],
)
def test_what_is_no_map_is_refused(tmp_path, content, says):
    path = tmp_path / "m.safetensors"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BadInput, match=says) as refused:
        load_map(path)
    assert "\n" not in str(refused.value)


def test_other_safetensors_are_refused(tmp_path):
    from safetensors.numpy import save_file

    save_file({"matrix": np.eye(2)}, tmp_path / "x.safetensors")
    with pytest.raises(BadInput, match="but not a map"):
        load_map(tmp_path / "x.safetensors")
    with pytest.raises(BadInput, match="does not end in"):
        coset.align(rows(), rows(), group="identity").save(tmp_path / "x.npz")


def test_order_is_partial_and_has_one_top():
    assert all("nonlinear" in looser(name) for name in LADDER if name != "nonlinear")
    assert all(name not in looser(name) for name in LADDER)
    assert looser("identity") == set(LADDER) - {"identity"}
    assert minimal(LADDER) == ("identity",)
    assert minimal(["scaled-permutation", "orthogonal", "affine"]) == (
        "scaled-permutation",
        "orthogonal",
    )
    assert minimal([]) == ()
    with pytest.raises(BadInput, match="there are: identity"):
        group("rotation")


def test_linear_needs_no_uncentred_squares():
    """A mean of 1e7 standard deviations leaves the fit through the origin right."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=(500, 3)) + 1e7
    b = a @ A[:3, :3].T
    fitted, _ = fit("linear", a, b)
    assert np.abs(fitted(a) - b).max() < 1e-6


def test_linear_agrees_with_least_squares_through_the_origin():
    rng = np.random.default_rng(1)
    a = rng.normal(size=(200, 3)) + np.array([1, 2, 3])
    b = a @ rng.normal(size=(3, 2)) + rng.normal(size=(200, 2)) + 4
    truth = np.linalg.lstsq(a, b, rcond=None)[0].T
    np.testing.assert_allclose(fit("linear", a, b)[0].matrix, truth, rtol=1e-9)
    constant = np.column_stack([a, np.full(200, 7.0)])
    truth = np.linalg.lstsq(constant, b, rcond=None)[0].T
    np.testing.assert_allclose(fit("linear", constant, b)[0](constant), constant @ truth.T)
