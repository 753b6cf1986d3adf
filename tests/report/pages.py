"""Reading what was rendered: text and numbers of HTML, structure of PDF."""

from __future__ import annotations

import io
from html.parser import HTMLParser

import pikepdf


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.skipped = 0

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag in ("style", "script", "title"):
            self.skipped += 1

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag in ("style", "script", "title"):
            self.skipped -= 1

    def handle_data(self, data):
        if not self.skipped:
            self.text.append(data)


def section(html: str, name: str) -> str:
    """The markup of one part of the page."""
    start = html.index(f'<section id="{name}"')
    return html[start : html.index("</section>", start)]


def text_of(html: str) -> str:
    """Text as a reader sees it, white space as one space."""
    reader = _Reader()
    reader.feed(html)
    return " ".join("".join(reader.text).split())


def tags_of(html: str) -> list[tuple[str, dict[str, str | None]]]:
    """Tags with their attributes, in order."""
    reader = _Reader()
    reader.feed(html)
    return reader.tags


def numbers_of(html: str) -> dict[str, set[str]]:
    """{data-id: texts} of the marked numbers."""
    found: dict[str, set[str]] = {}

    class Numbers(HTMLParser):
        name: str | None = None

        def handle_starttag(self, tag, attrs):
            self.name = dict(attrs).get("data-id")

        def handle_data(self, data):
            if self.name:
                found.setdefault(self.name, set()).add(data)
            self.name = None

    Numbers(convert_charrefs=True).feed(html)
    return found


def open_pdf(content: bytes) -> pikepdf.Pdf:
    return pikepdf.open(io.BytesIO(content))


def fonts_of(pdf: pikepdf.Pdf) -> set[str]:
    """Names of all fonts, without their subset tags."""
    names = set()
    for thing in pdf.objects:
        if isinstance(thing, pikepdf.Dictionary) and thing.get("/Type") == "/Font":
            names.add(str(thing.get("/BaseFont", "none")).rpartition("+")[2].lstrip("/"))
    return names


def structure(pdf: pikepdf.Pdf) -> list[pikepdf.Dictionary]:
    """Structure elements of the tag tree."""
    return [
        thing
        for thing in pdf.objects
        if isinstance(thing, pikepdf.Dictionary) and thing.get("/Type") == "/StructElem"
    ]
