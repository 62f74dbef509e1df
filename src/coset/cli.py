"""The command line: parse, call one function, print."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ._core import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable

    from .audit import Comparison, Matrix

app = typer.Typer(
    help=(
        "Up to what is a learned representation determined?\n\n"
        "[bold]coset demo[/bold] shows the main job on real data. [bold]coset compare old.npy "
        "new.npy --html page.html[/bold] does it on yours."
    ),
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

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
HtmlFile = Annotated[Path | None, typer.Option("--html", help="Write the page here.")]
JsonFile = Annotated[
    str | None, typer.Option("--json", help="Write the result here; - prints it and nothing else.")
]
ROOMY = 100
"""Columns of a terminal that leave room for the form of each map."""
UNCUT = 200


def _show_version(asked: bool) -> None:  # noqa: FBT001 - typer calls it so
    if asked:
        from importlib.metadata import version

        typer.echo(f"coset {version('coset')}")
        raise typer.Exit


@app.callback()
def options(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show it.")
    ] = False,
) -> None:
    """Options of every command."""


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Where the page goes.")] = Path("coset-demo"),
) -> None:
    """The main job on real data in about a minute; ends with a page to open."""
    from .audit._demo import run

    for line in run(out):
        typer.echo(line)


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
    from .audit import compare as compare_two

    _refuse_before_work(group, expect, map_file, html, json_file, sample)
    command = shlex.join(["coset", *sys.argv[1:]])
    if len(sources) != 2 or (not (a_key or b_key or on) and _are_stacks(sources)):
        _refuse_given(context, besides=("sources", "seed", "html", "json_file"))
        _compare_many(sources, seed, command, json_file, html)
        return
    heads, known = _heads(a_head, b_head), _biases(a_bias, b_bias)
    if heads is None and (known or biases):
        raise BadInput("biases belong to heads; give --a-head and --b-head as well")
    with _progress("reading") as advance:
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
    _print(found, err=json_file == "-")
    if map_file is not None:
        _export(found, map_file, group or found.best, err=json_file == "-")
    _write(found, json_file, html)
    if expect is not None and not found.meets(expect):
        typer.echo(f"expected {expect}, found {', '.join(found.verdict) or 'none'}", err=True)
        raise typer.Exit(1)


@app.command()
def apply(
    map_file: Annotated[Path, typer.Argument(metavar="MAP", help="A map from compare --map.")],
    source: Annotated[str, typer.Argument(help="Embeddings to move: any source of compare.")],
    out: Annotated[Path, typer.Option(help="File to write; its ending names the format.")],
    key: Annotated[
        str | None, typer.Option(help="Array of a container, or vector column of a table.")
    ] = None,
    on: Annotated[
        str | None, typer.Option(help="Column of ids: no coordinate; carried to .parquet and .csv.")
    ] = None,
    *,
    inverse: Annotated[bool, typer.Option(help="Go from B to A.")] = False,
    dtype: Annotated[str | None, typer.Option(help="float16, float32 or float64.")] = None,
) -> None:
    """Move embeddings across an exported map, block by block."""
    from .audit import apply as move

    _refuse_unwritable(out)
    with _progress("moving") as advance:
        rows, columns = move(
            map_file, source, out, inverse=inverse, key=key, on=on, dtype=dtype, progress=advance
        )
    typer.echo(f"wrote {rows:,} rows of {columns} columns to {out}")


@app.command()
def score(
    latents: Annotated[str, typer.Argument(help="Known latents (n, d).")],
    codes: Annotated[str, typer.Argument(help="Codes (n, k), the same rows.")],
    seed: Annotated[int, typer.Option(help="Of folds and samples.")] = 0,
    json_file: JsonFile = None,
) -> None:
    """Identifiability and disentanglement metrics against known latents."""
    from .audit.sources import align
    from .metrics import score as score_of

    with align(latents, codes) as pair:
        found = score_of(pair.a.read(0, pair.a.rows), pair.b.read(0, pair.b.rows), seed=seed)
    scores = dict(found)
    if json_file != "-":
        width = max(map(len, scores))
        for name, value in scores.items():
            note = found.notes.get(name, "")
            typer.echo(f"{name:<{width}}  {value:7.3f}  {note}".rstrip())
    if json_file:
        shown = {name: value if value == value else None for name, value in scores.items()}
        _save(
            json.dumps({"schema": 1, "scores": shown, "notes": dict(found.notes)}, indent=1),
            json_file,
        )


def main() -> None:
    """Entry point: bad input is one line on stderr and exit code 2, never a traceback."""
    # typer carries a click of its own and exports BadParameter alone, not what it derives from
    usage_error: Any = typer.BadParameter.__mro__[1]
    try:
        code = app(standalone_mode=False)
    except BadInput as error:
        _refuse(str(error))
    except usage_error as error:
        if not error.format_message():  # no command given: the help stands there already
            sys.exit(2)
        command = error.ctx.command_path if error.ctx else "coset"
        _refuse(f"{error.format_message()} ({command} --help shows what is possible)")
    except OSError as error:
        _refuse(f"{error.filename or 'reading or writing'}: {error.strerror or error}")
    except (KeyboardInterrupt, typer.Abort):
        typer.echo("stopped", err=True)
        sys.exit(130)
    sys.exit(code or 0)


def _refuse(message: str) -> None:
    typer.echo("coset: " + " ".join(message.split()), err=True)
    sys.exit(2)


def _refuse_unwritable(*targets: Path | None) -> None:
    """Before the work, not after it: and before one file is written and the next is not."""
    for target in filter(None, targets):
        folder = next(place for place in target.absolute().parents if place.exists())
        if target.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
            raise BadInput(f"{target} cannot be written; give a file in a folder of yours")


def _refuse_before_work(
    group: str | None,
    expect: str | None,
    map_file: Path | None,
    html: Path | None,
    json_file: str | None,
    sample: int,
) -> None:
    """What would only come out after a long pass."""
    from .groups import RowGroup
    from .groups import group as known

    for name in filter(None, (group, expect)):
        known(name)
    if map_file is not None and map_file.suffix != ".safetensors":
        raise BadInput(
            f"--map {map_file} does not end in .safetensors; a map is saved in that format"
        )
    if map_file is not None and group and not sample and isinstance(known(group), RowGroup):
        raise BadInput(f"{group} maps need sampled rows; leave --sample at its default")
    _refuse_unwritable(html, map_file, None if json_file in (None, "-") else Path(json_file))


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
    from .audit.sources import open_layers

    return all("#" not in path and open_layers(path) for path in sources)


def _compare_many(
    sources: list[str], seed: int, command: str, json_file: str | None, html: Path | None
) -> None:
    from .audit import compare_many

    if len(sources) < 2 and not _are_stacks(sources):
        raise BadInput("one representation given; two or more are needed to compare")
    if len(sources) <= 2 and _are_stacks(sources):
        found = compare_many(*sources, seed=seed, command=command)
    else:
        found = compare_many(list(sources), seed=seed, command=command)
    typer.echo(found.sentence, err=json_file == "-")
    _write(found, json_file, html)


def _array(path: str) -> Any:
    from .audit.sources import open_source

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


def _export(found: Comparison, path: Path, name: str, *, err: bool) -> None:
    from .audit._words import number

    if name not in found.groups:
        raise BadInput(f"too few sampled rows to fit a {name} map; raise --sample")
    rung = found.groups[name]
    rung.map.save(path)
    typer.echo(f"map       {path} ({name}, A → B)", err=err)
    if not rung.holds:
        typer.echo(
            f"warning: {name} does not hold; R² of this map is only {number(rung.r2)}", err=True
        )


def _print(found: Comparison, *, err: bool) -> None:
    from rich.console import Console
    from rich.table import Table

    from .audit._words import number

    console = Console(highlight=False, stderr=err)
    if not console.is_terminal:
        console.width = max(console.width, UNCUT)  # a file or a pipe has no edge
    console.print(found.sentence, style="bold", soft_wrap=True, markup=False)
    for hint in found.hints:
        console.print(f"· {hint}", soft_wrap=True, markup=False)
    table = Table(box=None, pad_edge=False)
    roomy = console.is_terminal and console.width >= ROOMY
    table.add_column("group", no_wrap=True)
    if roomy:
        table.add_column("b =", no_wrap=True)
    for title in ("two-way R²" if roomy else "R²", "interval", "a → b", "b → a", "chance"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for name, rung in found.groups.items():
        mark = "◀ minimal" if name in found.verdict else "holds" if rung.holds else ""
        form = [rung.says.removeprefix("b = ")] if roomy else []
        interval = f"{number(rung.low)} … {number(rung.high)}"
        others = (number(value) for value in (rung.r2_ab, rung.r2_ba, rung.chance))
        style = "bold" if name in found.verdict else None
        table.add_row(name, *form, number(rung.r2), interval, *others, mark, style=style)
    console.print(table)
    shown = "  ".join(f"{name} {number(value)}" for name, value in found.measures.items())
    console.print(shown, soft_wrap=True, markup=False)
    if found.saturated:
        console.print(
            "· cca, svcca and pwcca are saturated: with so many columns for the rows, correlations "
            "of 1 are forced whatever the data",
            soft_wrap=True, markup=False,
        )  # fmt: skip
    if found.heads is not None:
        console.print(found.heads.sentence, soft_wrap=True, markup=False)


def _write(found: Comparison | Matrix, json_file: str | None, html: Path | None) -> None:
    if json_file:
        _save(json.dumps(found.to_dict(), indent=1), json_file)
    if html:
        with _progress("writing the page"):
            found.to_html(html)
        typer.echo(f"page      {html.resolve().as_uri()}", err=json_file == "-")


def _save(text: str, target: str) -> None:
    if target == "-":
        typer.echo(text)
        return
    from ._files import write_whole

    write_whole(target, (text + "\n").encode())


@contextmanager
def _progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr, where someone looks."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(what, total=None)

        def advance(done: int, total: int) -> None:
            ended = done >= total
            bar.update(
                task,
                completed=done,
                total=None if ended else total,  # then it only shows that work goes on
                description="working it out" if ended else what,
            )

        yield advance


if __name__ == "__main__":
    main()
