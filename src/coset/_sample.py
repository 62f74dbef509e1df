"""Draws of a world by name → arrays in a file."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._core import BadInput
from ._files import replacing

FORMATS = (".npz", ".safetensors")


def sample(world: str, n: int, seed: int = 0) -> dict[str, NDArray]:
    """Draw from a world: `latent`, `x`, and what else it offers.

    Args:
        world: a name of `coset.worlds.WORLDS`.
        n: rows.
        seed: of the world (its mixing) and of the draws.

    Example:
        >>> {name: array.shape for name, array in sample("sphere", 4).items()}
        {'latent': (4, 10), 'x': (4, 10), 'positive': (4, 10)}
    """
    if n < 1 or seed < 0:
        raise BadInput(f"n={n}, seed={seed}; at least one row and a seed from 0 on are needed")
    return _drawn(_known(world)(seed), n, seed)


def write_sample(found: dict[str, NDArray], path: Path) -> None:
    """Write arrays by name, whole or not at all; the ending names the format."""
    refuse_format(path)
    with replacing(path) as temporary:
        if path.suffix == ".npz":
            arrays: dict[str, Any] = {**found}
            np.savez(temporary, **arrays)
        else:
            from safetensors.numpy import save_file

            save_file(found, temporary)


def refuse_format(path: Path) -> None:
    """Before the work."""
    if path.suffix not in FORMATS:
        raise BadInput(f"{path} ends in neither {' nor '.join(FORMATS)}; give a file that does")


def _known(name: str) -> Any:
    from .worlds import WORLDS

    if name not in WORLDS:
        close = get_close_matches(name, WORLDS, n=3, cutoff=0.4) or list(WORLDS)
        raise BadInput(f"no world is called {name!r}; there are {', '.join(close)}")
    return WORLDS[name]


def _drawn(world: Any, n: int, seed: int) -> dict[str, NDArray]:
    import equinox as eqx
    import jax

    draw = eqx.filter_jit(lambda one, key: one.sample(key, n))(world, jax.random.key(seed))
    seen = draw.batch
    found = {
        "latent": draw.latent,
        "x": seen.x,
        "positive": seen.positive,
        "auxiliary": seen.auxiliary,
    }
    return {name: np.ascontiguousarray(array) for name, array in found.items() if array is not None}
