"""Render: from the bundle to HTML, PDF, charts and summary, all bytes at once."""

from __future__ import annotations

from dataclasses import dataclass

from audit.evidence import Evidence
from audit.report.html import bare_page, html_page, print_page, style_sheet
from audit.report.page_one import DENSITIES
from audit.report.pdf import Attachments, page_count, pdf_bytes
from audit.report.summary import summary_text
from audit.report.view import View, make_view

__all__ = ["Attachments", "Pages", "fitting_view", "render"]


@dataclass(frozen=True)
class Pages:
    """What a report is made of; `figures` by name, without suffix."""

    html: bytes
    pdf: bytes
    figures: dict[str, bytes]
    summary: bytes


def fitting_view(evidence: Evidence) -> tuple[View, str]:
    """The view at the roomiest density with which page one is one page, and its style sheet.

    The densities are searched by halves; the densest is taken without trial.
    """
    view = make_view(evidence)
    css = style_sheet(bare_page(view))
    roomy, dense = 0, len(DENSITIES) - 1
    while roomy < dense:
        middle = (roomy + dense) // 2
        trial = make_view(evidence, DENSITIES[middle], view.figures)
        if page_count(print_page(trial, css, only_page_one=True)) == 1:
            dense = middle
        else:
            roomy = middle + 1
    return make_view(evidence, DENSITIES[roomy], view.figures), css


def render(evidence: Evidence, attachments: Attachments) -> Pages:
    """Make every page of the report; same bundle and attachments, same bytes.

    Raises
    ------
    audit.report.pdf.RequestRefused
        if a page asks for anything outside itself
    """
    view, css = fitting_view(evidence)
    return Pages(
        html=html_page(view, css).encode("utf-8"),
        pdf=pdf_bytes(print_page(view, css), attachments),
        figures={name: svg.encode("utf-8") for name, svg in view.figures.svg.items()},
        summary=summary_text(view).encode("utf-8"),
    )
