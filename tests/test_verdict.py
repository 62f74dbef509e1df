"""Every way in which a claim can end."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import stats

from coset._claim import Case, Claim, Run, Scores
from coset._verdict import judge

NAN = float("nan")


def case(name="row", role="holds", bound=("at_least", 0.9), **options):
    return Case(name, role, None, "r2", bound, **options)


def run(trained, untrained=(), raw=(), diverged=None):
    return Run(
        cell="letters",
        seeds=tuple(range(len(trained))),
        scores={"r2": Scores(tuple(trained), tuple(untrained), tuple(raw))},
        diverged=(False,) * len(trained) if diverged is None else diverged,
        seconds=1.5,
    )


def verdict(*rows):
    claim = Claim("toy2020.line", "toy2020", "Codes are latents.", (), lambda _: (), "a toy")
    return judge(claim, [row[0] for row in rows], [row[1] for row in rows])


GOOD = (case("good"), run([0.95, 0.96, 0.97], [0.3, 0.4, 0.5], [0.6, 0.6, 0.6]))
CONTROL = (
    case("control", "breaks", ("at_most", 0.8)),
    run([0.5, 0.6, 0.7], [0.3, 0.4, 0.5], [0.6, 0.6, 0.6]),
)
SMALL_GAP = case("gap", bound=("at_most", 0.1))


def test_supported():
    found = verdict(GOOD, CONTROL)
    assert found.status == "supported"
    assert found.reason == "the holding case reaches its bound, and the control fails."
    assert (found.name, found.paper, found.differs) == ("toy2020.line", "toy2020", "a toy")
    assert verdict(GOOD, GOOD, CONTROL, CONTROL).reason == (
        "all 2 holding cases reach their bounds, and 2 controls fail as they should."
    )
    assert verdict(GOOD).reason == "the holding case reaches its bound."


STATUSES = {
    "a bound that is missed": ((case(), run([0.8, 0.9, 0.85])), "refuted"),
    "a bound that is just met": ((case(), run([0.9, 0.9])), "supported"),
    "the mean counts": ((case(), run([0.85, 0.99])), "supported"),
    "one seed": ((case(), run([0.95], [0.5])), "supported"),
    "one seed below": ((case(), run([0.85], [0.5])), "refuted"),
    "no floors": ((SMALL_GAP, run([0.01, 0.02])), "supported"),
    "a gap too large": ((SMALL_GAP, run([0.2, 0.3])), "refuted"),
    "a gap from a larger one": ((SMALL_GAP, run([0.01], [0.5], [0.4])), "supported"),
    "a gap that was small": ((SMALL_GAP, run([0.01], [0.05])), "uninformative"),
    "a gap that is small in what is observed": ((SMALL_GAP, run([0.01], [0.5], [0.1])),
                                                "uninformative"),
    "untrained does as well": ((case(), run([0.95, 0.96], [0.91, 0.92])), "uninformative"),
    "the observation does as well": ((case(), run([0.95], [0.1], [0.9])), "uninformative"),
    "untrained overlaps": ((case(), run([0.91, 0.99], [0.2, 0.92])), "uninformative"),
    "untrained touches": ((case(), run([0.92, 0.99], [0.2, 0.92])), "uninformative"),
    "untrained overlaps in a gap": ((SMALL_GAP, run([0.01, 0.09], [0.08, 0.9])), "uninformative"),
    "a score that is no number": ((case(), run([0.99, NAN])), "refuted"),
    "no number, first": ((case(), run([NAN, 0.99])), "refuted"),
    "no number at most": ((SMALL_GAP, run([NAN])), "refuted"),
    "a seed that diverged": ((case(), run([0.99, 0.99], diverged=(False, True))), "refuted"),
    "a control that holds": ((case(role="breaks", bound=("at_most", 0.8)), run([0.9])),
                             "uninformative"),
    "a control that is no number": ((case(role="breaks", bound=("at_most", 0.8)), run([NAN])),
                                    "uninformative"),
    "a control at least": ((case(role="breaks", bound=("at_least", 0.3)), run([0.5])),
                           "supported"),
    "a control that diverged": (
        (case(role="breaks", bound=("at_most", 0.8)), run([0.1], diverged=(True,))),
        "uninformative",
    ),
    "a control like its floors": (
        (case(role="breaks", bound=("at_most", 0.8)), run([0.5], [0.5], [0.5])), "supported",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", STATUSES)
def test_status(name):
    row, status = STATUSES[name]
    assert verdict(row).status == status
    assert verdict(GOOD, row).status == status


def test_reasons_name_the_case_and_its_number():
    missed = (case("bad"), run([0.5, 0.7], diverged=(False, True)))
    assert verdict(GOOD, missed).reason == (
        "bad should hold and does not: r2 0.600 where at least 0.9 is asked, 1 of 2 seeds diverged."
    )
    loose = (case("control", "breaks", ("at_most", 0.8)), run([0.9]))
    assert verdict(GOOD, loose).reason == (
        "control should fail and does not: r2 0.900 where at most 0.8 is asked."
    )
    easy = (case("easy"), run([0.95], [0.92]))
    assert verdict(easy, CONTROL).reason == (
        "easy holds without training too: r2 0.950, untrained 0.920."
    )
    assert verdict(missed, loose, easy).reason.startswith("bad should hold")
    assert verdict(loose, easy).reason.startswith("control should fail")


def test_numbers_of_a_case():
    row = case(published=0.99, where="Table 1", breaks="nothing", differs="less")
    found = verdict((row, run([0.9, 0.94, 0.98], [0.3, 0.4, 0.5]))).cases[0]
    low, high = stats.t.interval(
        0.95, 2, loc=0.94, scale=np.std([0.9, 0.94, 0.98], ddof=1) / math.sqrt(3)
    )
    assert (found.score, found.low, found.high) == pytest.approx((0.94, low, high))
    assert (found.untrained, found.raw) == (pytest.approx(0.4), None)
    assert (found.seeds, found.seconds, found.cell) == (3, 1.5, "letters")
    assert (found.published, found.where, found.differs) == (0.99, "Table 1", "less")
    assert (found.met, found.trivial, found.diverged) == (True, False, 0)
    alone = verdict((row, run([0.9]))).cases[0]
    assert alone.low == alone.score == alone.high


def test_intervals_cover_the_mean_as_often_as_they_say():
    # 2000 means of 3 normal scores: coverage 0.95 ± 0.005, so a share outside 0.93-0.97 comes
    # in fewer than one of 10,000 seeds
    rng = np.random.default_rng(0)
    found = [verdict((case(), run(rng.normal(0.9, 0.1, 3)))).cases[0] for _ in range(2000)]
    assert 0.93 < np.mean([one.low <= 0.9 <= one.high for one in found]) < 0.97


def test_plain_values_are_strict_json():
    found = verdict((case(), run([NAN, 0.99], [0.5, 0.5])), CONTROL)
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["cases"][0]["score"] is None
    assert plain["cases"][0]["bound"] == ["at_least", 0.9]
    assert plain["status"] == "refuted"
