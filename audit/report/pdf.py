"""PDF: the print page, archival, tagged, with attachments; same input, same bytes."""

from __future__ import annotations

import datetime
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from audit.errors import Contradiction

EPOCH = 946684800
"""2000-01-01 UTC: stands for "no clock" in every date that a PDF must carry."""

VARIANT = "pdf/a-3a"


@dataclass(frozen=True)
class Attachments:
    """Files that travel inside the PDF."""

    study_yaml: bytes
    evidence_json: bytes
    record_json: bytes


class RequestRefused(BaseException):
    """A page asked for something outside itself; not an Exception, so nothing can swallow it."""


@contextmanager
def _fixed_clock() -> Iterator[None]:
    """SOURCE_DATE_EPOCH set for as long as a PDF is written."""
    before = os.environ.get("SOURCE_DATE_EPOCH")
    os.environ["SOURCE_DATE_EPOCH"] = str(EPOCH)
    try:
        yield
    finally:
        if before is None:
            del os.environ["SOURCE_DATE_EPOCH"]
        else:
            os.environ["SOURCE_DATE_EPOCH"] = before


@cache
def _weasyprint() -> Any:
    """WeasyPrint, without its word about HarfBuzz-Subset: our fonts are cut beforehand."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="HarfBuzz-Subset", category=DeprecationWarning)
        import weasyprint
    return weasyprint


@cache
def _fetcher_class() -> type[Any]:
    _weasyprint()
    from weasyprint.urls import FatalURLFetchingError, URLFetcher

    class ClosedFetcher(URLFetcher):  # type: ignore[misc]
        """Reads `data:` only; anything else stops the rendering."""

        def __init__(self) -> None:
            super().__init__(allowed_protocols=["data"], fail_on_errors=True, allow_redirects=False)

        def fetch(self, url: str, headers: dict[str, str] | None = None) -> Any:
            if not url.lower().startswith("data:"):
                raise FatalURLFetchingError(f"a page asked for {url[:80]!r}")
            return super().fetch(url, headers)

    return ClosedFetcher


def _document(page: str) -> Any:
    weasyprint = _weasyprint()
    from weasyprint.urls import FatalURLFetchingError

    try:
        return weasyprint.HTML(
            string=page, base_url=None, url_fetcher=_fetcher_class()(), media_type="print"
        ).render(pdf_variant=VARIANT)
    except FatalURLFetchingError as error:
        raise RequestRefused(str(error)) from error


def page_count(page: str) -> int:
    """Number of printed pages."""
    return len(_document(page).pages)


def pdf_bytes(page: str, attachments: Attachments) -> bytes:
    """The print page as PDF/A-3, tagged, with the three files attached.

    Raises
    ------
    RequestRefused
        if the page asks for anything but what it carries itself
    Contradiction
        if no PDF came out
    """
    attachment = _weasyprint().Attachment
    moment = datetime.datetime.fromtimestamp(EPOCH, tz=datetime.UTC)
    fetcher = _fetcher_class()()
    with _fixed_clock():
        document = _document(page)
        if document.metadata.attachments:
            raise RequestRefused("a page asked for an attachment of its own")
        document.metadata.attachments = [
            attachment(
                string=content,
                url_fetcher=fetcher,
                name=name,
                description=description,
                created=moment,
                modified=moment,
                relationship=relationship,
            )
            for name, content, description, relationship in (
                ("study.yaml", attachments.study_yaml, "The study as declared", "Source"),
                ("evidence.json", attachments.evidence_json, "All that the pages show", "Data"),
                ("record.json", attachments.record_json, "Digests, seeds and verdicts", "Data"),
            )
        ]
        with warnings.catch_warnings():
            # WeasyPrint leaves its colour profile to the garbage collector to close
            warnings.filterwarnings("ignore", message="unclosed file", category=ResourceWarning)
            content = document.write_pdf(pdf_variant=VARIANT, pdf_tags=True, full_fonts=True)
    if not isinstance(content, bytes):
        raise Contradiction("the renderer returned no bytes")
    return content
