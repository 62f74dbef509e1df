"""coset compare."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from .._core import BadInput
from ._app import app
from ._comparison import export, print_comparison, write
from ._shared import HtmlFile, JsonFile, progress, refuse_unwritable

Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="A B [C ...]",
        help=(
            "Two representations of the same things: .npy, .npz, .safetensors, .parquet, .zarr, "
            ".csv, a glob or a folder of shards; PATH#NAME picks one array or column. More than "
            "two, or containers of layers, give a table of every pair."
        ),
        show_default=False,
    ),
]


@app.command()
def compare(
    context: typer.Context,
    sources: Sources,
    a_key: Annotated[
        str | None,
        typer.Option(help="Array of A's container, key column of A's table, or file of row ids."),
    ] = None,
    b_key: Annotated[str | None, typer.Option(help="The same for B.")] = None,
    on: Annotated[str | None, typer.Option(help="Key column that joins two tables.")] = None,
    threshold: Annotated[float, typer.Option(help="R² that a group must reach.")] = 0.95,
    folds: Annotated[int, typer.Option(help="Cross-validation folds.")] = 5,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Of folds, samples and shuffles.")] = 0,
    rows: Annotated[int | None, typer.Option(help="Look at a sample of so many rows only.")] = None,
    sample: Annotated[
        int, typer.Option(help="Rows kept for rank, kernel and neighbour measures; 0: none.")
    ] = 4096,
    route: Annotated[
        str, typer.Option(help="auto, gram (one pass) or exact (for ill-conditioned data).")
    ] = "auto",
    a_head: Annotated[
        str | None, typer.Option(help="g of model A in p(y|x) ∝ exp f(x)·g(y): (labels, columns).")
    ] = None,
    b_head: Annotated[
        str | None, typer.Option(help="g of model B, labels in the same order.")
    ] = None,
    a_bias: Annotated[str | None, typer.Option(help="Output biases of model A: (labels,).")] = None,
    b_bias: Annotated[str | None, typer.Option(help="Output biases of model B.")] = None,
    *,
    biases: Annotated[
        bool, typer.Option("--biases", help="The models have output biases, not at hand.")
    ] = False,
    engine: Annotated[
        str, typer.Option(help="threads, processes or dask://HOST:PORT; the numbers are the same.")
    ] = "threads",
    json_file: JsonFile = None,
    html: HtmlFile = None,
    map_file: Annotated[
        Path | None, typer.Option("--map", help="Export the map A → B (.safetensors).")
    ] = None,
    group: Annotated[
        str | None, typer.Option(help="Group of the exported map; by default the verdict's.")
    ] = None,
    expect: Annotated[
        str | None, typer.Option(help="Exit with 1 unless this group, or a stricter one, holds.")
    ] = None,
) -> None:
    """Up to what do two representations of the same things agree?

    Scores are held out and two-way; a group holds where the lower end of its interval reaches the
    threshold. The verdict is the strictest groups that hold.
    """
    from ..audit import compare as compare_two

    _refuse_before_work(group, expect, map_file, html, json_file, sample)
    command = shlex.join(["coset", *sys.argv[1:]])
    if len(sources) != 2 or (not (a_key or b_key or on) and _are_stacks(sources)):
        _refuse_given(context, besides=("sources", "seed", "html", "json_file"))
        _compare_many(sources, seed, command, json_file, html)
        return
    heads, known = _heads(a_head, b_head), _biases(a_bias, b_bias)
    if heads is None and (known or biases):
        raise BadInput("biases belong to heads; give --a-head and --b-head as well")
    with progress("reading") as advance:
        found = compare_two(
            sources[0],
            sources[1],
            threshold=threshold,
            folds=folds,
            level=level,
            seed=seed,
            on=on,
            a_key=a_key,
            b_key=b_key,
            rows=rows,
            sample=sample,
            route=route,
            heads=heads,
            biases=known or biases,
            engine=engine,
            progress=advance,
            command=command,
        )
    print_comparison(found, err=json_file == "-")
    if map_file is not None:
        export(found, map_file, group or found.best, err=json_file == "-")
    write(found, json_file, html)
    if expect is not None and not found.meets(expect):
        typer.echo(f"expected {expect}, found {', '.join(found.verdict) or 'none'}", err=True)
        raise typer.Exit(1)


def _refuse_before_work(
    group: str | None,
    expect: str | None,
    map_file: Path | None,
    html: Path | None,
    json_file: str | None,
    sample: int,
) -> None:
    """What would only come out after a long pass."""
    from ..groups import RowGroup
    from ..groups import group as known

    for name in filter(None, (group, expect)):
        known(name)
    if map_file is not None and map_file.suffix != ".safetensors":
        raise BadInput(
            f"--map {map_file} does not end in .safetensors; a map is saved in that format"
        )
    if map_file is not None and group and not sample and isinstance(known(group), RowGroup):
        raise BadInput(f"{group} maps need sampled rows; leave --sample at its default")
    refuse_unwritable(html, map_file, None if json_file in (None, "-") else Path(json_file))


def _refuse_given(context: typer.Context, besides: tuple[str, ...]) -> None:
    """Options that were given and mean nothing for a table of pairs."""
    given = [
        parameter.opts[0]
        for parameter in context.command.params
        if parameter.name not in besides
        and (source := context.get_parameter_source(str(parameter.name))) is not None
        and source.name == "COMMANDLINE"
    ]
    if given:
        raise BadInput(
            f"{', '.join(given)} given with more than two representations or stacks of layers; a "
            f"table of pairs takes none of it: choose one array of each with PATH#NAME"
        )


def _are_stacks(sources: list[str]) -> bool:
    from ..audit.sources import open_layers

    return all("#" not in path and open_layers(path) for path in sources)


def _compare_many(
    sources: list[str], seed: int, command: str, json_file: str | None, html: Path | None
) -> None:
    from ..audit import compare_many

    if len(sources) < 2 and not _are_stacks(sources):
        raise BadInput("one representation given; two or more are needed to compare")
    if len(sources) <= 2 and _are_stacks(sources):
        found = compare_many(*sources, seed=seed, command=command)
    else:
        found = compare_many(list(sources), seed=seed, command=command)
    typer.echo(found.sentence, err=json_file == "-")
    write(found, json_file, html)


def _array(path: str) -> Any:
    from ..audit.sources import open_source

    with open_source(path) as source:
        return source.read(0, source.rows)


def _heads(a: str | None, b: str | None) -> tuple[Any, Any] | None:
    if (a is None) != (b is None):
        raise BadInput("one head given; both --a-head and --b-head are needed")
    return (_array(a), _array(b)) if a and b else None


def _biases(a: str | None, b: str | None) -> tuple[Any, Any] | None:
    if (a is None) != (b is None):
        raise BadInput("the biases of one side given; both --a-bias and --b-bias are needed")
    if not a or not b:
        return None
    found = _array(a), _array(b)
    for path, array in zip((a, b), found, strict=True):
        if array.shape[1] != 1:
            raise BadInput(f"{path} has shape {array.shape}; one bias per label is needed: (K,)")
    return found[0][:, 0], found[1][:, 0]
