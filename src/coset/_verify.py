"""Claims by name → verdicts: the theorems of the literature, run."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import get_args

from ._cells import Planned, Tell, planned, run_cells
from ._claim import SCALES, Claim, Scale
from ._core import BadInput, Engine
from ._files import write_whole
from ._verdict import Verdict, judge
from ._verification import PAGE, RESULTS, Verification
from .sweep import Store
from .sweep import engine as engine_of

Asked = str | Claim


def verify(
    claims: Asked | Sequence[Asked] | None = None,
    *,
    scale: Scale = "small",
    seeds: int = 3,
    engine: str | Engine | None = "serial",
    out: str | os.PathLike[str] | None = None,
    progress: Tell | None = None,
) -> Verdict | Verification:
    """Run claims and judge them: one claim's verdict, or the verification of several.

    Args:
        claims: the name of a claim or of a paper, a claim of your own, several of these, or None
            for all that there are (`coset.claims.CLAIMS`).
        scale: "smoke" (seconds), "small" (minutes) or "paper" (its own size).
        seeds: how many, from 0 on; all seeds of a cell run in one program.
        engine: what the cells are spread over: serial, threads, processes or dask://HOST:PORT.
        out: folder of runs. What it holds already is not run again, so that a second call goes on
            where the first one stopped; results and the page are written there too.
        progress: called with (what is at work, parts done, parts in all).

    Returns:
        A `Verdict` (`.status`, `.cases`) where one claim was named, else a `Verification`.
    """
    alone = isinstance(claims, Claim) or (isinstance(claims, str) and claims in _known())
    found = run_claims(
        chosen(claims), scale=scale, seeds=seeds, engine=engine, out=out, progress=progress
    )
    return found.verdicts[0] if alone else found


def run_claims(
    claims: Sequence[Claim],
    *,
    scale: Scale,
    seeds: int,
    engine: str | Engine | None,
    out: str | os.PathLike[str] | None = None,
    progress: Tell | None = None,
    command: str | None = None,
) -> Verification:
    """The verification of these claims; a cell that several cases share runs once."""
    if scale not in SCALES:
        raise BadInput(f"scale={scale!r}; {', '.join(get_args(Scale))} are possible")
    if isinstance(seeds, bool) or not isinstance(seeds, int) or seeds < 1:
        raise BadInput(f"seeds={seeds!r}; a whole number of seeds is needed, at least 1")
    worker = engine_of(engine) if isinstance(engine, str | None) else engine
    store = Store(out) if out is not None else None
    every = tuple(range(seeds))
    cases = [claim.cases(scale) for claim in claims]
    plans = [
        [planned(f"{claim.name}: {case.name}", case.cell, every) for case in found]
        for claim, found in zip(claims, cases, strict=True)
    ]
    runs = run_cells(_once(plans), every, worker, store, progress)
    verdicts = tuple(
        judge(claim, found, [runs[one.fingerprint] for one in plan])
        for claim, found, plan in zip(claims, cases, plans, strict=True)
    )
    verification = Verification(verdicts, tuple(claims), runs, scale, every, command)
    if out is not None:
        write_results(verification, Path(out))
    return verification


def write_results(verification: Verification, folder: Path) -> None:
    """The results and the page beside the runs."""
    folder = folder.expanduser()
    text = json.dumps(verification.to_dict(), indent=1, allow_nan=False)
    write_whole(folder / RESULTS, text.encode() + b"\n")
    verification.to_html(folder / PAGE)


def chosen(asked: Asked | Sequence[Asked] | None) -> tuple[Claim, ...]:
    """The claims that are meant, each once; a paper's name means all of its claims."""
    if asked is None:
        found = list(_known().values())
    else:
        several = [asked] if isinstance(asked, str | Claim) else asked
        found = [claim for one in several for claim in _meant(one)]
    if not found:
        raise BadInput("no claim given; name some, or leave them out for all that there are")
    return tuple({claim.name: claim for claim in found}.values())


def _meant(asked: Asked) -> Iterator[Claim]:
    if isinstance(asked, Claim):
        yield asked
        return
    known = _known()
    if asked in known:
        yield known[asked]
        return
    of_paper = [claim for claim in known.values() if asked in _papers(claim)]
    if not of_paper:
        papers = {name for claim in known.values() for name in _papers(claim)}
        close = get_close_matches(asked, [*known, *sorted(papers)], n=3, cutoff=0.4)
        hint = f"close are {', '.join(close)}" if close else "`coset claims` lists all"
        raise BadInput(f"no claim or paper is called {asked!r}; {hint}")
    yield from of_paper


def _papers(claim: Claim) -> set[str]:
    return {claim.paper, claim.name.partition(".")[0]}


def _known() -> dict[str, Claim]:
    from .claims import CLAIMS

    return CLAIMS


def _once(plans: list[list[Planned]]) -> dict[str, Planned]:
    """Every cell once, in the order of the cases that ask for it first."""
    found: dict[str, Planned] = {}
    for plan in plans:
        for one in plan:
            found.setdefault(one.fingerprint, one)
    return found
