"""HTML: the templates filled with the view, everything escaped, everything inside one file."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from audit.bundled import bundled
from audit.report.fonts import font_faces, replace_undrawable
from audit.report.view import View
from audit.report.words import Quote

_OWN_MARKS = "•◦▪…“”–−·×"
"""List marks of the renderer, and what a denser page one may put in (it cuts with …)."""


@cache
def environment() -> Environment:
    """Templates of this installation: escaping always on, unknown names are errors."""
    made = Environment(
        loader=FileSystemLoader(bundled("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.tests["quote"] = lambda part: isinstance(part, Quote)
    return made


def _fill(view: View, css: str, *, only_page_one: bool) -> str:
    """Fill the page; only our own style sheet and charts go in unescaped."""
    context: dict[str, Any] = {
        "view": view,
        "css": Markup(css),  # ours; holds no outside text
        "charts": {name: Markup(svg) for name, svg in view.figures.svg.items()},
        "only_page_one": only_page_one,
    }
    return environment().get_template("report.html.j2").render(context)


def style_sheet(page: str) -> str:
    """The style sheet with our fonts inside, cut to the characters of a page."""
    css = (bundled("templates") / "report.css").read_text(encoding="utf-8")
    return font_faces(page + css + _OWN_MARKS) + "\n" + css


def bare_page(view: View) -> str:
    """The whole page without its style sheet, to learn which characters it needs."""
    return _fill(view, "", only_page_one=False)


def html_page(view: View, css: str) -> str:
    """The whole report as one self-contained HTML page that requests nothing."""
    screen = (bundled("templates") / "screen.css").read_text(encoding="utf-8")
    return _fill(view, css + screen, only_page_one=False)


def print_page(view: View, css: str, *, only_page_one: bool = False) -> str:
    """The page as it goes to print: what our font lacks is named by its code points."""
    return replace_undrawable(_fill(view, css, only_page_one=only_page_one))
