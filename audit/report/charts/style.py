"""House style of the charts: our font by path, two colours and grey, SVG with text as text."""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from audit.report.fonts import FAMILY, FONTS, replace_undrawable
from audit.report.words import clip

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, OCHRE, GREY, PALE, INK = "#1f4e79", "#a85b00", "#8a8a8a", "#e4e7ea", "#1a1a1a"
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")
LABEL_LIMIT = 28
WIDTH_MM = 178.0

_RC: dict[str, Any] = {
    "font.family": [FAMILY],
    "font.size": 8,
    "text.parse_math": False,
    "axes.unicode_minus": True,
    "axes.formatter.use_mathtext": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.5,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.width": 0.5,
    "ytick.major.width": 0.5,
    "svg.fonttype": "none",
    "svg.hashsalt": "claimscope",
    "figure.constrained_layout.use": True,
    "savefig.facecolor": "none",
}


@dataclass(frozen=True)
class Interval:
    """A labelled value with its bounds, on the printed scale."""

    label: str
    value: float
    lower: float
    upper: float
    note: str = ""


@cache
def _register_fonts() -> None:
    """Make the package's font known to matplotlib under our own family name."""
    from matplotlib import font_manager

    for font in FONTS:
        font_manager.fontManager.ttflist.append(
            font_manager.FontEntry(
                fname=str(font.path()),
                name=FAMILY,
                style=font.style,
                variant="normal",
                weight=font.weight,
                stretch="normal",
                size="scalable",
            )
        )


@contextmanager
def house_style() -> Iterator[None]:
    """Within it, figures are drawn in the house style, whatever the machine's settings."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        _register_fonts()
        settings: Any = matplotlib.rcParams
        settings.update(_RC)
        yield


def label(text: str, limit: int = LABEL_LIMIT) -> str:
    """Outside text as a chart's label: visible, short, in characters that the font can set."""
    joined = unicodedata.normalize("NFC", clip(text, limit))
    spelled = "".join(
        f"[U+{ord(one):04X}]" if unicodedata.combining(one) else one for one in joined
    )
    return clip(replace_undrawable(spelled), 2 * limit)


def new_figure(height_mm: float, width_mm: float = WIDTH_MM) -> tuple[Figure, Axes]:
    """A figure of final size with one pair of axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width_mm / 25.4, height_mm / 25.4))
    return figure, figure.add_subplot()


def _as_attributes(found: re.Match[str]) -> str:
    """Declarations of a style attribute as attributes: they act on this element alone."""
    pairs = (one.partition(":") for one in found.group(1).split(";") if one.strip())
    return "".join(f' {name.strip()}="{value.strip()}"' for name, _, value in pairs)


def svg_text(figure: Figure, name: str, title: str) -> str:
    """The figure as SVG: no prolog, no date, ids of its own, a title for those who cannot see it.

    Parameters
    ----------
    name : prefix of every id, so that several charts can stand in one page
    title : what the chart shows, as text (escaped here)
    """
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    FigureCanvasSVG(figure)
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None, "Type": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    # a style sheet inside would act on the whole page that the chart stands in
    text = re.sub(r"<style[^>]*>.*?</style>", "", text, flags=re.DOTALL)
    text = re.sub(r' style="([^"]*)"', _as_attributes, text)
    prefix = re.sub(r"[^A-Za-z0-9-]", "-", name)
    text = re.sub(r'\bid="', f'id="{prefix}-', text)
    text = text.replace("url(#", f"url(#{prefix}-").replace('href="#', f'href="#{prefix}-')
    head_end = text.index(">") + 1
    head = text[: head_end - 1] + ' role="img" stroke-linejoin="round">'
    return f"{head}<title>{escape(title)}</title>{text[head_end:].rstrip()}\n"
