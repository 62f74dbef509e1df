"""The application that the commands join."""

from __future__ import annotations

from typing import Annotated

import typer

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
