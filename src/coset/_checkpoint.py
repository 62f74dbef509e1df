"""The state of a run on disk: arrays in safetensors, the rest beside them in its metadata."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from ._files import write_whole

State = TypeVar("State")
NAME = "checkpoint.safetensors"


def save(folder: Path, state: Any, memory: dict[str, Any]) -> None:
    """Write both in one file, whole or not at all."""
    from safetensors.numpy import save as packed

    leaves = jax.tree.leaves(eqx.filter(state, eqx.is_array))
    tensors = {f"{i:05d}": np.asarray(leaf) for i, leaf in enumerate(leaves)}
    write_whole(folder / NAME, packed(tensors, {"memory": json.dumps(memory)}))


def restore(folder: Path, like: State) -> tuple[State, dict[str, Any]] | None:
    """What was saved, in the structure of `like`; None where nothing (of that shape) is there."""
    from safetensors import SafetensorError, safe_open

    path = folder / NAME
    if not path.is_file():
        return None
    arrays, fixed = eqx.partition(like, eqx.is_array)
    leaves, structure = jax.tree.flatten(arrays)
    try:
        with safe_open(path, "np") as file:
            memory = json.loads(file.metadata()["memory"])
            found = [file.get_tensor(name) for name in sorted(file.keys())]
    except (SafetensorError, KeyError, TypeError, ValueError):
        return None
    if [(x.shape, x.dtype) for x in found] != [(x.shape, x.dtype) for x in leaves]:
        return None
    restored = jax.tree.unflatten(structure, [jnp.asarray(x) for x in found])
    whole: State = eqx.combine(restored, fixed)
    return whole, memory
