"""Results made readable: pages of HTML, the map of many layers, a notebook's cell."""

from coset.report._contents import render_index, write_index
from coset.report._matrix import render_matrix
from coset.report._page import render, write_page
from coset.report._snippet import snippet
from coset.report._verification import render_verification

__all__ = [
    "render",
    "render_index",
    "render_matrix",
    "render_verification",
    "snippet",
    "write_index",
    "write_page",
]
