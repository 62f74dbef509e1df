"""The page of a verification: claims as a table of verdicts, each with its cases and runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from coset.report._cases import cases_figure
from coset.report._curves import curve_figure
from coset.report._environment import page
from coset.report._figure import Figure
from coset.report._heat import ramp_css
from coset.report._numbers import count, number, plain, sentence, typographic
from coset.report._pictures import picture_figures

SIGNS = {"supported": "✓", "refuted": "✗", "uninformative": "?"}
OPEN = 2
"""Up to so many claims are unfolded from the start; of more, those that are not supported."""


@dataclass(frozen=True)
class Cell:
    """What one cell left to look at, and the cases that rest on it."""

    title: str
    figures: tuple[Figure, ...]
    facts: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Section:
    """A claim as the page shows it."""

    anchor: str
    name: str
    paper: str
    status: str
    says: str
    reason: str
    assumptions: tuple[tuple[str, str], ...]
    cases: Figure | None
    cells: tuple[Cell, ...]
    differs: tuple[tuple[str, str], ...]
    met: int
    many: int
    unfolded: bool

    @property
    def sign(self) -> str:
        """Of the status, so that it does not rest on colour."""
        return SIGNS[self.status]


def render_verification(verification: Mapping[str, Any]) -> str:
    """The verification as one HTML file that needs nothing but a browser.

    Args:
        verification: what `Verification.to_dict(runs=True)` returns; the runs may be absent.

    Example:
        >>> page = render_verification({"claims": [{"name": "a.b", "status": "supported"}]})
        >>> "1 of 1 claim supported" in page
        True
    """
    claims = [one for one in verification.get("claims") or () if isinstance(one, Mapping)]
    runs = verification.get("runs") or {}
    sections = [_section(place, one, runs, len(claims)) for place, one in enumerate(claims)]
    good = sum(one.status == "supported" for one in sections)
    headline = f"{good} of {len(sections)} claim{'s' * (len(sections) != 1)} supported."
    return page(
        "verification.html.j2",
        verification,
        title=headline.rstrip("."),
        headline=headline,
        rest=_rest(sections),
        tone=_tone(sections),
        facts=_facts(verification, sections, runs),
        sections=sections,
        settings=_settings(verification),
        ramp=ramp_css(),
    )


def _rest(sections: Sequence[Section]) -> str:
    said = [
        f"{status.capitalize()}: {', '.join(found)}."
        for status in ("refuted", "uninformative")
        if (found := [one.name for one in sections if one.status == status])
    ]
    return " ".join(said)


def _tone(sections: Sequence[Section]) -> str:
    found = {one.status for one in sections}
    return next((one for one in ("refuted", "uninformative") if one in found), "supported")


def _facts(
    verification: Mapping[str, Any], sections: Sequence[Section], runs: Mapping[str, Any]
) -> list[tuple[str, str, str]]:
    met, many = sum(one.met for one in sections), sum(one.many for one in sections)
    seeds = verification.get("seeds") or ()
    found = [
        ("Cases as expected", f"{met} of {many}", "controls that fail among them"),
        ("Scale", str(verification.get("scale") or "–"), "smoke, small or the paper's own"),
        ("Seeds", count(len(seeds)), "each a world and a model"),
    ]
    spent = [number(run.get("seconds")) or 0.0 for run in runs.values()]
    if spent:
        found.append(("Training", _time(sum(spent)), f"{count(len(spent))} cells in all"))
    return found


def _time(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 100 else f"{seconds / 60:.1f} min"


def _section(place: int, claim: Mapping[str, Any], runs: Mapping[str, Any], many: int) -> Section:
    cases = [one for one in claim.get("cases") or () if isinstance(one, Mapping)]
    status = str(claim.get("status"))
    status = status if status in SIGNS else "uninformative"
    anchor = f"claim-{place}"
    words = tuple(str(case.get("name")).partition(" ")[0] for case in cases)
    assumptions = [one for one in claim.get("assumptions") or () if isinstance(one, Mapping)]
    return Section(
        anchor=anchor,
        name=str(claim.get("name") or "claim"),
        paper=str(claim.get("paper") or ""),
        status=status,
        says=sentence(claim.get("says")),
        reason=sentence(claim.get("reason"), words),
        assumptions=tuple((str(one.get("says")), str(one.get("name"))) for one in assumptions),
        cases=cases_figure(f"{anchor}-cases", cases),
        cells=tuple(_cells(anchor, cases, runs)),
        differs=tuple(_differs(claim, cases)),
        met=sum(bool(case.get("met")) for case in cases),
        many=len(cases),
        unfolded=many <= OPEN or status != "supported",
    )


def _differs(
    claim: Mapping[str, Any], cases: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[str, str]]:
    if claim.get("differs"):
        yield "", sentence(claim["differs"])
    for case in cases:
        if case.get("differs"):
            yield str(case.get("name")), sentence(case["differs"])


def _cells(
    anchor: str, cases: Sequence[Mapping[str, Any]], runs: Mapping[str, Any]
) -> Iterator[Cell]:
    shared: dict[str, list[str]] = {}
    for case in cases:
        shared.setdefault(str(case.get("cell")), []).append(str(case.get("name") or "case"))
    for place, (cell, names) in enumerate(shared.items()):
        run = runs.get(cell)
        if isinstance(run, Mapping):
            yield _cell(f"{anchor}-{place}", names, run)


def _cell(key: str, names: Sequence[str], run: Mapping[str, Any]) -> Cell:
    curves = (
        curve_figure(f"{key}-c{i}", one)
        for i, one in enumerate(run.get("curves") or ())
        if isinstance(one, Mapping)
    )
    pictures = [one for one in run.get("pictures") or () if isinstance(one, Mapping)]
    figures = (*(one for one in curves if one is not None), *picture_figures(key, pictures))
    seeds = [bool(one) for one in run.get("diverged") or ()]
    diverged = f"{count(sum(seeds))} of {count(len(seeds))} seeds" if any(seeds) else ""
    facts = [
        ("cell", str(run.get("cell") or "")),
        ("training", _seconds(run.get("seconds"))),
        ("compilation", _seconds(run.get("compile_seconds"))),
        ("diverged", diverged),
    ]
    return Cell(
        ", ".join(dict.fromkeys(names)),
        figures,
        tuple((name, value) for name, value in facts if value),
        tuple(typographic(note) for note in run.get("notes") or ()),
    )


def _seconds(value: Any) -> str:
    found = number(value)
    return _time(found) if found else ""


def _settings(verification: Mapping[str, Any]) -> list[tuple[str, str]]:
    seeds = [plain(seed) for seed in verification.get("seeds") or ()]
    found = [
        ("scale", str(verification.get("scale") or "")),
        ("seeds", ", ".join(seeds) if len(seeds) <= 8 else f"{seeds[0]} to {seeds[-1]}"),
    ]
    return [(name, value) for name, value in found if value]
