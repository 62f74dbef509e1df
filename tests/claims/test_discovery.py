"""Cells that find structures: what they score, and that they repeat."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import coset
from coset.claims._discovery import GraphDiscovery, PairDiscovery, _distance
from coset.claims._environments import Pairs, Switches

PLAIN = {"accuracy_60", "orientation_60", "decided_60", "accuracy_pooled_60"}


def test_pairs():
    cell = PairDiscovery(Pairs(spread=5.0), (30, 60), 6)
    done = []
    run = cell.run([0, 1], progress=lambda *now: done.append(now))
    assert done == [(1, 2), (2, 2)]
    assert set(run.scores) == PLAIN | {name.replace("60", "30") for name in PLAIN}
    for score in run.scores.values():
        assert len(score.trained) == 2
        assert all(0 <= value <= 1 for value in score.trained)
    assert run.scores["accuracy_60"].untrained
    assert [curve.name for curve in run.curves] == ["accuracy", "decided", "accuracy_pooled"]
    assert run.curves[0].at == (30.0, 60.0)
    assert run.curves[0].values[1] == run.scores["accuracy_60"].trained
    assert "of 12 structures" in run.notes[1]
    again = dataclasses.replace(cell, environments=(60,)).run([1])
    assert again.scores["accuracy_60"].trained == run.scores["accuracy_60"].trained[1:]


def test_chance_is_a_third_for_pairs():
    cell = PairDiscovery(Pairs(), (5,), 200)
    guess = cell.run([0]).scores["accuracy_5"].untrained[0]
    assert abs(guess - 1 / 3) < 5 * np.sqrt(2 / 9 / 200)


def test_graphs():
    run = GraphDiscovery(Switches(), (300, 600), 5).run([0, 1])
    assert set(run.scores) == {"shd_300", "shd_600", "decided_300", "decided_600"}
    assert run.curves[0].values[0] == run.scores["shd_300"].trained
    one, other = np.array([[0, 1], [0, 0]], dtype=bool), np.array([[0, 0], [1, 0]], dtype=bool)
    assert (_distance(one, one), _distance(one, other)) == (0, 1)
    assert _distance(np.zeros_like(one), one) == 1


@pytest.mark.parametrize("name", ["guo2023.pair", "guo2023.graph"])
def test_claims_at_smoke(name):
    found = coset.verify(name, scale="smoke", seeds=2)
    assert found.status == "supported", found.reason
