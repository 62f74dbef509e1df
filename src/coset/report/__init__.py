"""Comparisons made readable: one page of HTML, the map of many layers, a notebook's cell."""

from coset.report._matrix import render_matrix
from coset.report._page import render, write_page
from coset.report._snippet import snippet

__all__ = ["render", "render_matrix", "snippet", "write_page"]
