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
    return font_faces(page) + "\n" + css


def html_page(view: View) -> str:
    """The whole report as one self-contained HTML page that requests nothing."""
    bare = _fill(view, "", only_page_one=False)
    return _fill(view, style_sheet(bare), only_page_one=False)


def print_page(view: View, css: str | None = None, *, only_page_one: bool = False) -> str:
    """The page as it goes to print: what our font lacks is named by its code points.

    Parameters
    ----------
    css : a style sheet made before by `style_sheet`, to spare cutting the fonts again
    """
    bare = replace_undrawable(_fill(view, "", only_page_one=only_page_one))
    sheet = style_sheet(bare) if css is None else css
    return replace_undrawable(_fill(view, sheet, only_page_one=only_page_one))
