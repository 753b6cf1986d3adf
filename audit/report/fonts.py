"""The report's font: Source Sans Pro from its package, never the machine's."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FAMILY = "Claimscope Sans"
"""Our own family name, so that a font of the machine can never be taken for it."""

_RUN_SHOWN = 6


@dataclass(frozen=True)
class Font:
    """One face of the family."""

    file: str
    weight: int
    style: str

    def path(self) -> Path:
        """Where the font's package keeps the file."""
        import font_source_sans_pro

        return Path(font_source_sans_pro.__file__).parent / "files" / self.file


FONTS = (
    Font("SourceSansPro-Regular.ttf", 400, "normal"),
    Font("SourceSansPro-Semibold.ttf", 600, "normal"),
    Font("SourceSansPro-It.ttf", 400, "italic"),
)


@cache
def drawable() -> frozenset[int]:
    """Code points that every face has."""
    from fontTools.ttLib import TTFont

    faces = []
    for font in FONTS:
        with TTFont(font.path(), lazy=True) as face:
            faces.append(frozenset(face.getBestCmap()))
    return frozenset.intersection(*faces)


@cache
def _undrawable_run() -> re.Pattern[str]:
    """Runs of characters that the font lacks; ASCII controls and spaces are left alone."""
    spans: list[list[int]] = []
    for code in sorted(drawable() | set(range(0x20))):
        if spans and spans[-1][1] == code - 1:
            spans[-1][1] = code
        else:
            spans.append([code, code])
    inside = "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in spans)
    return re.compile(f"[^{inside}]+")


def _code_points(run: re.Match[str]) -> str:
    text = run.group()
    codes = " ".join(f"U+{ord(char):04X}" for char in text[:_RUN_SHOWN])
    more = len(text) - _RUN_SHOWN
    return f"[{codes} and {more} more]" if more > 0 else f"[{codes}]"


def replace_undrawable(text: str) -> str:
    """Name the characters that the font lacks by code point, so that nothing vanishes.

    The first six of a run are named and the others counted. Safe on markup: it is all ASCII.
    """
    return _undrawable_run().sub(_code_points, text)


def _subset(font: Font, codes: Iterable[int]) -> bytes:
    """The face with the glyphs of some code points, as WOFF; same codes, same bytes."""
    from fontTools import subset

    options = subset.Options()
    options.hinting = False
    options.layout_features = ["kern", "tnum", "lnum", "mark", "mkmk", "ccmp"]
    options.name_IDs = [0, 1, 2, 4, 6, 13, 14]
    options.notdef_outline = True
    options.recalc_timestamp = False
    face = subset.load_font(str(font.path()), options, dontLoadGlyphNames=True)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=sorted(codes))
    subsetter.subset(face)
    face.flavor = "woff"
    buffer = io.BytesIO()
    face.save(buffer)
    face.close()
    return buffer.getvalue()


def font_faces(text: str) -> str:
    """CSS `@font-face` rules with the faces inside, cut to the characters of `text`."""
    codes = ({ord(char) for char in text} | set(range(0x20, 0x7F))) & drawable()
    rules = []
    for font in FONTS:
        data = base64.b64encode(_subset(font, codes)).decode("ascii")
        rules.append(
            f'@font-face{{font-family:"{FAMILY}";font-weight:{font.weight};'
            f"font-style:{font.style};src:url(data:font/woff;base64,{data}) format('woff')}}"
        )
    return "\n".join(rules)
