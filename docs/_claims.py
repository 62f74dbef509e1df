"""The claims, from their declarations and from what `make claims` found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from _docstrings import NOTICE, cell, references, safe
from _numbers import bound, interval, number, published, seconds

from coset._claim import Case, Claim
from coset.claims import CLAIMS

RESULTS = Path(__file__).parent.parent / "results" / "small.json"
SCALE = "small"
SHORT = {
    "roeder2021.classification": "two trainings of a classifier end linear maps apart",
    "roeder2021.heads": "the heads alone give that map, without data",
    "roeder2021.diversity": "M + 1 labels determine M dimensions, M labels do not",
    "roeder2021.members": "so do contrastive prediction (linear) and N-pair (rotation)",
    "zimmermann2021.limit": "InfoNCE tends to a cross-entropy, as 1/√M",
    "zimmermann2021.sphere": "latents on a sphere, up to a rotation",
    "zimmermann2021.faint": "the same where positives hardly resemble their latent",
    "zimmermann2021.box": "latents in a box, up to permutation, sign and scale",
    "zimmermann2021.robustness": "nearly linear where a law is another than assumed",
    "vonkuegelgen2021.content": "codes hold what two views share, and nothing else",
    "vonkuegelgen2021.style": "of style, codes say what content says",
    "vonkuegelgen2021.width": "codes wider than content take style in",
    "vonkuegelgen2021.entropy": "the same from alignment and entropy, without negatives",
    "rusak2024.anisotropic": "learned precisions: up to permutation and sign",
    "rusak2024.blocks": "equal precisions leave a rotation among themselves",
    "rusak2024.hard_negatives": "hard negatives keep latents and lose precisions",
    "rusak2024.ensembles": "an ensemble recovers what its best member does",
    "reizinger2024_cross_entropy.supervised": "a classifier's code is linear in the latents",
    "reizinger2024_cross_entropy.diet": "the same with every instance its own class",
    "reizinger2024_cross_entropy.hard": "tight clusters, with codes and rows on spheres",
    "reizinger2024_cross_entropy.short": "tight clusters and many dimensions, codes free",
    "hyvarinen1999.darmois": "independent codes of any data, which are not the latents",
    "hyvarinen1999.automorphisms": "maps that change no likelihood and lose the latents",
    "reizinger2022.gamma": "autoencoders of little noise find latents of a Möbius mixing",
    "reizinger2022.orthogonality": "and fewer of them as columns cease to be orthogonal",
    "reizinger2022.self_consistency": "their encoders invert their decoders",
    "reizinger2022.bound": "their bound falls short by the contrast of the columns",
    "hyvarinen2016.segments": "telling segments apart finds |z|, up to a linear map",
    "hyvarinen2017.pairs": "telling time from shuffled time finds latents that have a past",
    "hyvarinen2019.latents": "telling own labels from others finds latents they shift and scale",
    "hyvarinen2019.statistics": "where labels only scale: |z|, up to a linear map",
    "khemakhem2020.labels": "a prior that depends on labels finds latents they modulate",
    "klindt2021.moves": "a prior of Laplace moves finds latents that make them",
    "locatello2020.pairs": "averaging what looks shared finds latents, one by one",
    "ablin2018.separation": "independent latents of a linear mixing, one by one",
    "ablin2018.speed": "and the search for them, in a few tens of iterations",
    "tipping1999.ppca": "normal latents of a linear map, up to a rotation, in closed form",
    "tipping1999.factor_analysis": "the same with noise of each column, whatever their scales",
    "lucas2019.optimum": "a linear autoencoder's bound has that optimum",
    "lucas2019.axes": "and its diagonal posterior takes the rotation away",
    "lucas2019.collapse": "it tells as many latents as rise above the noise",
    "rajendran2024.table": "interventions on variances identify the controls of linear dynamics",
    "rajendran2024.diversity": "two environments do, where ratios of variances differ",
    "rajendran2024.objective": "the likelihood does, an objective without log |det| does not",
    "rajendran2024.markov": "and with them A, B and C up to a change of basis",
    "rajendran2024.noise": "the same through noise, as far as it lets controls be seen",
    "rajendran2024.motor": "the voltage of a motor from its current and speed",
    "rajendran2024.hidden": "hidden states take the place of environments",
    "rajendran2024.exchangeable": "so do the hidden environments of exchangeable rows",
    "guo2023.pair": "environments tell cause from effect",
    "guo2023.graph": "and the graph of several variables",
    "reizinger2025.either": "a cause that varies is enough, or a mechanism",
    "reizinger2025.duality": "noises that vary between environments come back",
    "reizinger2023.graph": "an encoder's Jacobian shows the causal graph",
}
"""A theorem in a few words; a claim that is not here is shown with its sentence."""

INTRODUCTION = """# Claims

Each theorem is run: on worlds that meet its assumptions, beside the published number, beside the
encoder before training and the observation itself, and against controls that break one assumption
on purpose. How the numbers come about: [how numbers](how-numbers.md#claims); the parts they are
made of: [laboratory](laboratory.md).

- **holds**: the theorem applies, and the score should reach the bound.
- **control**: an assumption is broken, and the score should stay on the other side: the bound of
  a control is the one that it should meet by failing.
- **untrained, raw**: the same score of the encoder as initialised and of the observation. A floor
  that reaches the bound makes a claim *uninformative*.
- **s**: seconds of training for all seeds, compilation and scoring apart (of everything where
  nothing is trained). Cases that read different scores off one run share them.
- **supported**: every case as it should be; **refuted**: a holding case misses its bound;
  **uninformative**: a control that does not fail, or a floor that does as well. A score in bold is
  not on the side of its bound.

"""
MISSING = """There are no results in this checkout yet: `make claims` runs every claim and writes
`results/small.json`, from which this page takes its scores. What is asked of each claim stands
below.

"""
ABSENT = "Not among the results: `make claims` runs it.\n\n"
HEAD = (
    "| case | role | metric | score | bound | published | untrained | raw | seeds | s |\n"
    "|---|---|---|---|---|---|---|---|---|---|\n"
)
ASKED = "| case | role | metric | bound | published |\n|---|---|---|---|---|\n"


def claims_page() -> str:
    """The whole page."""
    found = results()
    entries = "".join(_entry(claim, _by_name(found).get(name)) for name, claim in CLAIMS.items())
    return NOTICE + INTRODUCTION + (_summary(found) if found else MISSING) + entries


def claims_table() -> str:
    """The README's: a row for each claim, with the case that says most."""
    rows = [
        "| claim | what holds | case | ours | published | untrained | raw | control | status |\n"
        "|---|---|---|---|---|---|---|---|---|\n"
    ]
    known = _by_name(results())
    for name, claim in CLAIMS.items():
        words = [f"[{name}](docs/claims.md#{_anchor(name)})", cell(SHORT.get(name, claim.says))]
        words += _best(known[name]) if name in known else ["–"] * 6 + ["`make claims`"]
        rows.append(f"| {' | '.join(words)} |\n")
    return "".join(rows)


def results() -> dict[str, Any] | None:
    """What `make claims` found; None where nobody ran it."""
    if not RESULTS.is_file():
        return None
    found: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return found


def _by_name(found: dict[str, Any] | None) -> dict[str, dict[str, Any]]:
    return {claim["name"]: claim for claim in found["claims"]} if found else {}


def _summary(found: dict[str, Any]) -> str:
    known = [("Command", found.get("command") and f"`{found['command']}`"),
             ("date", (found.get("created") or "")[:10]),
             ("version", found.get("version")),
             ("machine", found.get("machine")),
             ("scale", found.get("scale"))]  # fmt: skip
    facts = ", ".join(f"{name} {value}" for name, value in known if value)
    spent = {case["cell"]: case["seconds"] for claim in found["claims"] for case in claim["cases"]}
    lines = [f"{safe(found['sentence'])} {facts[0].upper()}{facts[1:]}; "]
    lines.append(f"{seconds(sum(spent.values()))} seconds of work in all, compilation apart.\n\n")
    lines.append("| claim | status | holding cases | controls |\n|---|---|---|---|\n")
    for claim in found["claims"]:
        counts = [_counted(claim, role) for role in ("holds", "breaks")]
        name = f"[{claim['name']}](#{_anchor(claim['name'])})"
        lines.append(f"| {name} | {claim['status']} | {counts[0]} | {counts[1]} |\n")
    return "".join(lines) + "\n"


def _counted(claim: dict[str, Any], role: str) -> str:
    cases = [case for case in claim["cases"] if case["role"] == role]
    met = sum(case["met"] for case in cases)
    return f"{met} of {len(cases)}" if cases else "–"


def _entry(claim: Claim, found: dict[str, Any] | None) -> str:
    asked = "; ".join(safe(assumption.says) for assumption in claim.assumptions)
    facts = [
        f"## {claim.name}",
        safe(claim.says),
        f"Paper: {references(claim.paper)}.",
        f"This holds where {asked}." if asked else "",
        f"What differs from the published setting: {safe(claim.differs)}" if claim.differs else "",
    ]
    text = "\n\n".join(filter(None, facts)) + "\n\n"
    if found:
        reason = found["reason"][:1].upper() + found["reason"][1:]
        rows = "".join(_row(case) for case in found["cases"])
        return f"{text}**{found['status'].capitalize()}.** {safe(reason)}\n\n{HEAD}{rows}\n"
    absent = ABSENT if RESULTS.is_file() else ""
    rows = "".join(_asked(case) for case in claim.cases(SCALE))
    return f"{text}{absent}{ASKED}{rows}\n"


def _row(case: dict[str, Any]) -> str:
    """A case that was run; what is not as it should be stands out."""
    score = number(case["score"]) + interval(case)
    if lost := case.get("diverged"):
        score += f", {lost} diverged"
    words = (
        _named(case), _role(case), case["metric"],
        score if case["met"] else f"**{score}**", bound(case), cell(published(case)),
        number(case["untrained"]), number(case["raw"]), str(case["seeds"]),
        seconds(case["seconds"]),
    )  # fmt: skip
    return f"| {' | '.join(words)} |\n"


def _asked(case: Case) -> str:
    plain = {name: getattr(case, name) for name in ("name", "role", "breaks", "differs", "bound")}
    plain |= {"published": case.published, "where": case.where}
    words = _named(plain), _role(plain), case.metric, bound(plain), cell(published(plain))
    return f"| {' | '.join(words)} |\n"


def _named(case: dict[str, Any]) -> str:
    name = cell(case["name"])
    return f"{name} ({cell(case['differs'])})" if case["differs"] else name


def _role(case: dict[str, Any]) -> str:
    return "holds" if case["role"] == "holds" else f"control: {cell(case['breaks'])}"


def _best(claim: dict[str, Any]) -> list[str]:
    """The case that decides: one that went wrong, or one with a published number and floors."""
    cases = claim["cases"]
    holding = [case for case in cases if case["role"] == "holds"] or cases
    wrong = [case for case in holding if not case["met"]]
    wrong = wrong or [case for case in cases if not case["met"]]
    wrong = wrong or [case for case in holding if case["trivial"]]
    shown = max(wrong if claim["status"] != "supported" and wrong else holding, key=_tells)
    alike = (c for c in cases if c["role"] == "breaks" and c["metric"] == shown["metric"])
    control = next((number(c["score"]) for c in alike if c is not shown), "–")
    known = "–" if shown["published"] is None else f"{shown['published']:g}"
    name = f"{cell(shown['name'])} (`{shown['metric']}`)"
    floors = number(shown["untrained"]), number(shown["raw"])
    return [name, number(shown["score"]), known, *floors, control, claim["status"]]


def _tells(case: dict[str, Any]) -> int:
    """Of several the first one counts, as `max` takes it."""
    return 2 * (case["published"] is not None) + (case["untrained"] is not None)


def _anchor(name: str) -> str:
    return name.replace(".", "")
