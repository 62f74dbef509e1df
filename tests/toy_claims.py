"""Claims that run in no time and need no JAX; run as a script, the command line over them."""

from __future__ import annotations

import os
import signal
import sys
import time
import types
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from coset._claim import Case, Claim, Curve, Picture, Run, Scores
from coset._core import Assumption

FOLDER = os.environ.get("TOY_FOLDER", "")
"""Where cells leave a mark when they run; they wait and die as files there say."""


@dataclass(frozen=True)
class Toy:
    """A cell whose score is its level, give or take what the seed says."""

    level: float
    name: str = ""

    def run(self, seeds, *, folder=None, progress=None):
        if FOLDER:
            self._mark(folder)
        for step in range(1, 6):
            if progress:
                progress(step, 5)
        rng = np.random.default_rng(round(1000 * self.level))
        z = rng.normal(size=(200, 3))
        c = z @ np.linalg.qr(rng.normal(size=(3, 3)))[0]
        trained = tuple(self.level + 0.003 * np.sin(1 + seed) for seed in seeds)
        at = (50.0, 100.0, 200.0, 400.0, 800.0, 1600.0)
        climb = tuple(tuple(score * (1 - np.exp(-step / 200)) for score in trained) for step in at)
        fall = tuple(tuple(-2 + 5 / step**0.5 + 0.1 * seed for seed in seeds) for step in at)
        return Run(
            cell="unknown",
            seeds=tuple(seeds),
            scores={
                "r2_linear": Scores(trained, (0.31,) * len(seeds), (0.64,) * len(seeds)),
                "gap": Scores(tuple(0.02 * (1 + seed) for seed in seeds)),
            },
            curves=(
                Curve("r2_linear", "steps", at, climb),
                Curve("objective", "steps", at, fall),
            ),
            pictures=(
                Picture(
                    "correlation of latents with codes",
                    "matrix",
                    {
                        "values": np.corrcoef(z.T, c.T)[:3, 3:].round(3).tolist(),
                        "rows": [f"latent {i}" for i in range(3)],
                        "columns": [f"code {j}" for j in range(3)],
                    },
                ),
                *(
                    Picture(
                        f"latent {i}, code {i}",
                        "scatter",
                        {"x": z[:, i].tolist(), "y": c[:, i].tolist(),
                         "xlabel": f"latent {i}", "ylabel": f"code {i}"},
                    )
                    for i in range(3)
                ),
            ),
            diverged=tuple(False for _ in seeds),
            seconds=0.25,
            notes=("a note",),
        )  # fmt: skip

    def _mark(self, folder):
        if (Path(FOLDER) / f"die {self.name}").exists():
            (Path(FOLDER) / f"die {self.name}").unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        (Path(FOLDER) / f"ran {self.name} {time.time_ns()}").touch()
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "checkpoint").write_text("on the way")
        while (Path(FOLDER) / f"wait {self.name}").exists():
            time.sleep(0.02)


def _line(scale):
    extra = (Case("more", "holds", Toy(0.99, "more"), "r2_linear", ("at_least", 0.95)),)
    return (
        Case("uniform", "holds", Toy(0.998, "uniform"), "r2_linear", ("at_least", 0.95),
             published=0.9998, where="Table 1", differs="a tenth of the steps"),
        Case("the same cell", "holds", Toy(0.998, "uniform"), "gap", ("at_most", 0.2)),
        Case("one axis only", "breaks", Toy(0.42, "axis"), "r2_linear", ("at_most", 0.9),
             published=0.41, where="Table 2, row 3", breaks="positives vary along one axis"),
        *(extra if scale == "small" else ()),
    )  # fmt: skip


def _box(scale):
    return (
        Case("box", "holds", Toy(0.7, "box"), "r2_linear", ("at_least", 0.95)),
        Case("shared", "holds", Toy(0.998, "uniform"), "r2_linear", ("at_least", 0.9)),
    )


def _loose(scale):
    return (
        Case("good", "holds", Toy(0.97, "loose"), "r2_linear", ("at_least", 0.9)),
        Case("control", "breaks", Toy(0.96, "control"), "r2_linear", ("at_most", 0.9)),
    )


ASSUMED = (
    Assumption("sphere", "latents lie on a unit sphere"),
    Assumption("injective-mixing", "different latents look different"),
)
CLAIMS = {
    claim.name: claim
    for claim in (
        Claim("toy2020.line", "toy2020", "Codes are latents up to a linear map.", ASSUMED, _line,
              differs="a toy in place of training"),
        Claim("toy2020.box", "toy2020", "The same in a box.", ASSUMED[1:], _box),
        Claim("other2021.loose", "other2021", "Something weaker.", ASSUMED, _loose),
    )
}  # fmt: skip


def chosen():
    """All of them."""
    return tuple(CLAIMS.values())


def install():
    """Put these claims in place of those of the package, without importing those."""
    from coset import _cells

    _cells.code_fingerprint = lambda: "toy"  # what others write meanwhile changes nothing here
    module = types.ModuleType("coset.claims")
    module.CLAIMS = CLAIMS
    sys.modules["coset.claims"] = module


if __name__ == "__main__":
    # cells are pickled by the name of their module, which workers import
    sys.path.insert(0, str(Path(__file__).parent))
    import toy_claims

    toy_claims.install()
    from coset.cli import main

    main()
