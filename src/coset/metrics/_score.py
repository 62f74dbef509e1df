"""Every metric against known latents, in one mapping."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from .._core import BadInput, Floats, Score
from ._beta_vae import beta_vae
from ._checks import whole_number
from ._dci import dci
from ._explicitness import explicitness
from ._factor_vae import factor_vae
from ._infomec import infomec
from ._irs import irs
from ._latents import Discrete, latents_and_codes
from ._mig import mig
from ._modularity import modularity
from ._sap import sap


class Scores(Mapping[str, float]):
    """Scores by name, in order; `notes` says why one is nan or was computed on fewer rows."""

    def __init__(self, values: Mapping[str, float], notes: Mapping[str, str]) -> None:
        self._values = dict(values)
        self._notes = dict(notes)

    @property
    def notes(self) -> Mapping[str, str]:
        """Why a score is nan, or on how many rows it was computed."""
        return MappingProxyType(self._notes)

    def __getitem__(self, name: str) -> float:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Scores({', '.join(f'{name}={value:.4g}' for name, value in self.items())})"


def score(
    z: Any, c: Any, *, seed: int = 0, discrete: Discrete = "auto", rows: int = 5000
) -> Scores:
    """Every metric of codes against known latents.

    r2_linear and r2_kernel are the held-out R² of latents predicted from codes. A metric that is
    undefined here is nan, with the reason in `.notes`. Those that fit a model (dci, sap, infomec,
    explicitness) see a seeded sample of at most `rows` rows, fewer where the codes are more than
    100 wide, and r2_kernel a fifth of `rows`; the notes say so.

    Args:
        z: Latents (n, d).
        c: Codes (n, k).
        seed: Draws the sample of rows, the held-out rows, the batches and the trees.
        discrete: Which latents are classes; "auto" takes integers of few distinct values.
        rows: The most rows that a costly metric sees.

    Example:
        >>> import numpy as np
        >>> z = np.random.default_rng(0).normal(size=(300, 2))
        >>> scores = score(z, z[:, ::-1] * [2, -1])
        >>> list(scores)[:4], round(scores["mcc_pearson"], 6)
        (['mcc_pearson', 'mcc_spearman', 'r2_linear', 'r2_kernel'], 1.0)

    References:
        hyvarinen2016, eastwood2018framework, chen2018isolating
    """
    whole_number(seed, "seed")
    whole_number(rows, "rows", 100)
    latents, codes, flags = latents_and_codes(z, c, discrete)
    kinds = [bool(flag) for flag in flags]
    costly = min(rows, max(1000, 100 * rows // codes.shape[1]))
    values: dict[str, float] = {}
    notes: dict[str, str] = {}
    for family in _families(kinds, seed, rows, costly):
        seen = _sample(latents, codes, family.rows, seed)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                found = family.compute(*seen)
        except BadInput as error:
            found = (float("nan"),) * len(family.names)
            notes.update(dict.fromkeys(family.names, str(error)))
        for name, value in zip(family.names, found, strict=True):
            values[name] = float(value)
            if len(seen[0]) < len(latents) and name not in notes:
                notes[name] = f"computed on {len(seen[0])} of {len(latents)} rows"
            if np.isnan(value) and name not in notes:
                notes[name] = "undefined with a single code that varies: nothing to compare it with"
    return Scores(values, notes)


@dataclass(frozen=True)
class _Family:
    """Scores that one call gives, and the most rows it should see."""

    names: tuple[str, ...]
    compute: Callable[[Floats, Floats], tuple[float, ...]]
    rows: int | None = None


def _families(kinds: list[bool], seed: int, rows: int, costly: int) -> list[_Family]:
    from ._mcc import mcc
    from ._regression import r2

    def dci_parts(z: Floats, c: Floats) -> tuple[float, ...]:
        found = dci(z, c, discrete=kinds, seed=seed)
        return found.disentanglement, found.completeness, found.informativeness

    def infomec_parts(z: Floats, c: Floats) -> tuple[float, ...]:
        found = infomec(z, c, discrete=kinds, seed=seed)
        return found.infom, found.infoe, found.infoc

    def one(metric: Callable[..., Score], **options: Any) -> Callable[..., tuple[float, ...]]:
        return lambda z, c: (float(metric(z, c, discrete=kinds, **options)),)

    return [
        _Family(("mcc_pearson",), lambda z, c: (float(mcc(z, c)),)),
        _Family(("mcc_spearman",), lambda z, c: (float(mcc(z, c, correlation="spearman")),)),
        _Family(("r2_linear",), lambda z, c: (r2(c, z, seed=seed).ab,)),
        _Family(("r2_kernel",), lambda z, c: (r2(c, z, seed=seed, kernel=True).ab,), rows // 5),
        _Family(
            ("dci_disentanglement", "dci_completeness", "dci_informativeness"), dci_parts, costly
        ),
        _Family(("mig",), one(mig)),
        _Family(("sap",), one(sap, seed=seed), costly),
        _Family(("modularity",), one(modularity)),
        _Family(("irs",), one(irs)),
        _Family(("infom", "infoe", "infoc"), infomec_parts, costly),
        _Family(("beta_vae",), one(beta_vae, seed=seed)),
        _Family(("factor_vae",), one(factor_vae, seed=seed)),
        _Family(("explicitness",), one(explicitness, seed=seed), costly),
    ]


def _sample(latents: Floats, codes: Floats, most: int | None, seed: int) -> tuple[Floats, Floats]:
    if most is None or len(latents) <= most:
        return latents, codes
    chosen = np.sort(np.random.default_rng(seed).choice(len(latents), most, replace=False))
    return latents[chosen], codes[chosen]
