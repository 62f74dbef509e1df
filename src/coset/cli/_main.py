"""Entry point: whatever goes wrong is a sentence and an exit code."""

from __future__ import annotations

import sys
from typing import Any

import typer

from .._core import BadInput
from ._app import app


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
