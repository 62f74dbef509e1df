"""The command line: parse, call one function, print."""

# commands join the application when they are imported, in the order of --help
from . import _demo, _compare, _apply, _fit, _cocktail  # noqa: F401, I001 - see above
from . import _claims, _worlds, _report  # noqa: F401 - see above
from ._app import app
from ._main import main

__all__ = ["app", "main"]
