"""`python -m coset.cli`."""

from . import main

main()
