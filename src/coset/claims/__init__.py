"""Theorems as executable claims, one file per paper."""

from __future__ import annotations

from .._claim import Claim
from . import (
    ablin2018,
    guo2023,
    hyvarinen1999,
    hyvarinen2016,
    hyvarinen2017,
    hyvarinen2019,
    khemakhem2020,
    klindt2021,
    locatello2020,
    lucas2019,
    rajendran2024,
    reizinger2022,
    reizinger2023,
    reizinger2024_cross_entropy,
    reizinger2025,
    roeder2021,
    rusak2024,
    tipping1999,
    vonkuegelgen2021,
    zimmermann2021,
)

CLAIMS: dict[str, Claim] = {
    claim.name: claim
    for paper in (
        roeder2021,
        zimmermann2021,
        vonkuegelgen2021,
        rusak2024,
        reizinger2024_cross_entropy,
        hyvarinen1999,
        reizinger2022,
        guo2023,
        reizinger2025,
        reizinger2023,
        hyvarinen2016,
        hyvarinen2017,
        hyvarinen2019,
        khemakhem2020,
        klindt2021,
        locatello2020,
        ablin2018,
        lucas2019,
        tipping1999,
        rajendran2024,
    )
    for claim in paper.CLAIMS
}
"""By name."""

__all__ = ["CLAIMS"]
