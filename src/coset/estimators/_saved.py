"""Models on disk: JSON says what they are, safetensors holds their arrays; nothing runs."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from .._core import BadInput
from .._files import replacing

FORMAT = "coset-model"
SCHEMA = 1
ABOUT = "model.json"
ARRAYS = "arrays.safetensors"

Tree = TypeVar("Tree")


class Savable(Protocol):
    """What an estimator offers to be kept."""

    n_features_in_: int

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002
        """What it was made with."""
        ...

    def _learned(self) -> dict[str, Any]: ...

    def _tensors(self) -> dict[str, NDArray]: ...

    def _restore(self, learned: Mapping[str, Any], tensors: Mapping[str, NDArray]) -> None: ...


def save_model(model: Savable, folder: str | os.PathLike[str]) -> None:
    """Write a fitted estimator to a folder, whole or not at all."""
    from safetensors.numpy import save_file

    names = getattr(model, "feature_names_in_", None)
    about = {
        "format": FORMAT,
        "schema": SCHEMA,
        "coset": version("coset"),
        "method": _method(model),
        "parameters": {name: _plain(name, v) for name, v in model.get_params().items()},
        "columns": model.n_features_in_,
        "names": None if names is None else names.tolist(),
        "learned": model._learned(),
    }
    text = json.dumps(about, indent=1, allow_nan=False)
    refuse_folder(folder)
    with replacing(folder) as temporary:
        temporary.mkdir()
        (temporary / ABOUT).write_text(text + "\n", encoding="utf-8")
        arrays = {name: np.asarray(x, order="C") for name, x in model._tensors().items()}
        save_file(arrays, temporary / ARRAYS)


def load_model(folder: str | os.PathLike[str]) -> Any:
    """The fitted estimator that `save` wrote; nothing in the folder is executed.

    Args:
        folder: what `save` or `coset fit --out` wrote.
    """
    place = Path(folder).expanduser()
    about, tensors = _about(place), _arrays(place)
    from ._methods import METHODS

    method = about.get("method")
    if method not in METHODS:
        raise BadInput(f"{place} holds the method {method!r}; known are {', '.join(METHODS)}")
    try:
        given = {name: _value(value) for name, value in about["parameters"].items()}
        model = METHODS[method](**given)
        model.n_features_in_ = int(about["columns"])
        if about["names"] is not None:
            model.feature_names_in_ = np.asarray(about["names"], dtype=object)
        model._restore(about["learned"], tensors)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        reason = " ".join(str(error).split())
        raise BadInput(
            f"{place} is a damaged model ({reason} is missing or malformed): fit it again"
        ) from error
    return model


def named_arrays(tree: Any) -> dict[str, NDArray]:
    """The arrays of a tree, by their place in it."""
    leaves = jax.tree_util.tree_leaves_with_path(eqx.filter(tree, eqx.is_array))
    return {_name(path): np.asarray(leaf) for path, leaf in leaves}


def with_arrays(tree: Tree, tensors: Mapping[str, NDArray]) -> Tree:
    """A tree of the same structure with these arrays."""

    def exchanged(path: Any, leaf: Any) -> Any:
        name = _name(path)
        if tensors[name].shape != leaf.shape:
            raise ValueError(f"{name} of shape {tensors[name].shape}, not {leaf.shape},")
        return jnp.asarray(tensors[name])

    arrays, rest = eqx.partition(tree, eqx.is_array)
    whole: Tree = eqx.combine(jax.tree_util.tree_map_with_path(exchanged, arrays), rest)
    return whole


def _name(path: Any) -> str:
    return jax.tree_util.keystr(path, simple=True, separator=".")


def _method(model: Any) -> str:
    from ._methods import METHODS

    for name, kind in METHODS.items():
        if type(model) is kind:
            return name
    raise BadInput(
        f"{type(model).__name__} is none of coset's methods ({', '.join(METHODS)}) and would not "
        f"be found again: save one of these"
    )


def _plain(name: str, value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.integer | np.floating):
        return value.item()
    if isinstance(value, tuple | list):
        return [_plain(name, part) for part in value]
    if name == "random_state":
        return None  # a generator that has moved on says nothing about this model
    raise BadInput(f"{name}={value!r} cannot be saved: give numbers, words or tuples of them")


def _value(value: Any) -> Any:
    return tuple(_value(part) for part in value) if isinstance(value, list) else value


def refuse_folder(folder: str | os.PathLike[str]) -> None:
    """What holds other things is not replaced by a model."""
    place = Path(folder).expanduser()
    if place.is_file() or (place.is_dir() and set(os.listdir(place)) - {ABOUT, ARRAYS}):
        raise BadInput(f"{folder} holds other things than a model: choose another folder")


def _about(place: Path) -> dict[str, Any]:
    try:
        found = json.loads((place / ABOUT).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise BadInput(
            f"{place} holds no {ABOUT}; a folder written by coset fit --out or save is needed"
        ) from None
    except ValueError as error:
        raise BadInput(
            f"{place / ABOUT} is no JSON ({error}): fit and save the model again"
        ) from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise BadInput(f"{place / ABOUT} is not of a model: it lacks format {FORMAT!r}")
    if not isinstance(found.get("schema"), int) or found["schema"] > SCHEMA:
        raise BadInput(f"{place} was written by a newer coset; upgrade: pip install -U coset")
    return found


def _arrays(place: Path) -> dict[str, NDArray]:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        return dict(load_file(place / ARRAYS))
    except FileNotFoundError:
        raise BadInput(f"{place} holds no {ARRAYS}: fit and save the model again") from None
    except SafetensorError as error:
        raise BadInput(
            f"{place / ARRAYS} is not readable as safetensors ({error}): fit and save it again"
        ) from error
