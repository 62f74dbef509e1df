"""coset fit and coset transform."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from .._core import BadInput
from ._app import app
from ._shared import console_for, progress, refuse_unwritable

METHOD_HELP = (
    "By what comes with the rows. Pairs of related rows: contrastive, content-blocks, ada-gvae, "
    "slow-vae. The order of time: contrastive --lag 1, pcl, tcl. Labels: supervised, gcl, ivae. "
    "Both: interventions. Nothing: linear-ica, ppca, diet. --list shows what each leaves open."
)


@app.command()
def fit(
    method: Annotated[
        str | None, typer.Argument(metavar="METHOD", help=METHOD_HELP, show_default=False)
    ] = None,
    data: Annotated[
        str | None,
        typer.Argument(
            metavar="DATA",
            help="Observations, one a row: any source of compare.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder that the model is written to.")
    ] = None,
    u: Annotated[
        str | None,
        typer.Option("--u", help="Labels or segments: a column of DATA, or a file of them."),
    ] = None,
    pairs: Annotated[
        str | None, typer.Option(help="Of each row, a related one: a source with as many rows.")
    ] = None,
    lag: Annotated[
        int | None, typer.Option(help="Without --pairs: the related row comes so many rows later.")
    ] = None,
    dim: Annotated[int | None, typer.Option(metavar="K", help="Columns of a code.")] = None,
    steps: Annotated[int | None, typer.Option(help="Updates.")] = None,
    batch: Annotated[int | None, typer.Option(help="Rows of an update.")] = None,
    rate: Annotated[float | None, typer.Option(help="Peak learning rate.")] = None,
    scaling: Annotated[
        str | None, typer.Option(help="standard (columns), whiten (directions) or none.")
    ] = None,
    options: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Any other parameter of the method."),
    ] = None,
    key: Annotated[
        str | None, typer.Option(help="Array of a container, or vector column of a table.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of initial weights and draws.")] = 0,
    *,
    every: Annotated[bool, typer.Option("--list", help="The methods, and their data.")] = False,
) -> None:
    """Train a representation on one's own data and write the model to a folder.

    What the theorem behind the method assumes of the data cannot be seen in them: fit several seeds
    and compare their codes (`coset transform`, then `coset compare`).
    """
    from ..estimators import METHODS, refuse_folder

    if every:
        _list(METHODS)
        return
    if method is None or data is None or out is None:
        raise BadInput("METHOD, DATA and --out are needed; coset fit --list shows the methods")
    if method not in METHODS:
        raise BadInput(f"no method is called {method!r}; there are {', '.join(METHODS)}")
    refuse_folder(out)
    refuse_unwritable(out / "model.json")
    named = {
        "lag": lag, "dim": dim, "steps": steps, "batch": batch, "rate": rate, "scaling": scaling,
    }  # fmt: skip
    given = {name: value for name, value in named.items() if value is not None}
    model = _made(method, METHODS[method], {**_set(options or []), **given, "random_state": seed})
    _train(model, data, u, pairs, key)
    model.save(out)
    held = f"{model.codes_dim_} columns of code from {model.n_features_in_}"
    typer.echo(f"{method}: {held}, up to: {model.up_to}; wrote {out}")
    if getattr(model, "interrupted_", False):
        raise typer.Exit(130)


@app.command()
def transform(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A folder of coset fit --out.")],
    data: Annotated[str, typer.Argument(metavar="DATA", help="Rows: any source of compare.")],
    out: Annotated[Path, typer.Option(help="File to write; its ending names the format.")],
    key: Annotated[
        str | None, typer.Option(help="Array of a container, or vector column of a table.")
    ] = None,
    on: Annotated[
        str | None,
        typer.Option(help="Column that is no coordinate; carried to .parquet and .csv."),
    ] = None,
    *,
    inverse: Annotated[
        bool, typer.Option(help="From codes back to observations, where there is a decoder.")
    ] = False,
    dtype: Annotated[str | None, typer.Option(help="float16, float32 or float64.")] = None,
) -> None:
    """Codes of rows by a model that fit wrote, block by block."""
    from ..estimators import encode_file

    refuse_unwritable(out)
    with progress("encoding") as advance:
        rows, columns = encode_file(
            model, data, out, inverse=inverse, key=key, on=on, dtype=dtype, progress=advance
        )
    typer.echo(f"wrote {rows:,} rows of {columns} columns to {out}")


def _train(model: Any, data: str, u: str | None, pairs: str | None, key: str | None) -> None:
    import warnings

    from ..audit.sources import open_source
    from ..estimators import with_labels

    source, labels = open_source(data, key=key), None
    if u is not None:
        source, labels = with_labels(data, u, key)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", UserWarning)
        model.fit(source, u=labels, pairs=pairs)
    for warning in told:
        typer.echo(f"warning: {warning.message}", err=True)


def _made(method: str, kind: Any, given: dict[str, Any]) -> Any:
    known = kind().get_params()
    if strange := [name for name in given if name not in known and name != "random_state"]:
        raise BadInput(f"{method} has no parameter {', '.join(strange)}; it has {', '.join(known)}")
    return kind(**{name: value for name, value in given.items() if name in known})


def _set(options: list[str]) -> dict[str, Any]:
    found = {}
    for option in options:
        name, equal, text = option.partition("=")
        if not equal:
            raise BadInput(f"--set {option}: NAME=VALUE is needed, such as --set similarity=l1")
        try:
            value = json.loads(text)
        except ValueError:
            value = text
        found[name.strip()] = tuple(value) if isinstance(value, list) else value
    return found


def _list(methods: dict[str, Any]) -> None:
    from rich.table import Table

    table = Table("method", "learns from", "codes are determined up to", box=None)
    for name, kind in methods.items():
        table.add_row(name, kind.learns_from, kind.up_to)
    console_for(err=False).print(table)
