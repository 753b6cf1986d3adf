"""Verdict marks and interval strips: small SVG of our own, at final size."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

INK = "#1a1a1a"
BLUE = "#1f4e79"
OCHRE = "#a85b00"
GREY = "#8a8a8a"

_RING = f'<circle cx="6" cy="6" r="5" fill="none" stroke="{INK}" stroke-width="1.1"/>'
_MARKS = {
    "supported": f'<circle cx="6" cy="6" r="5.5" fill="{INK}"/>'
    '<path d="M3.2 6.2 5.3 8.4 8.9 3.8" fill="none" stroke="#fff" stroke-width="1.5"/>',
    "narrowed": _RING + f'<path d="M6 1a5 5 0 0 0 0 10z" fill="{INK}"/>',
    "not_supported": _RING
    + f'<path d="M3.4 3.4 8.6 8.6M8.6 3.4 3.4 8.6" stroke="{INK}" stroke-width="1.5"/>',
    "insufficient_evidence": '<circle cx="6" cy="6" r="5" fill="none" '
    f'stroke="{INK}" stroke-width="1.1" stroke-dasharray="2.1 1.4"/>',
}


def verdict_mark(verdict: str, word: str) -> Markup:
    """The sign of a verdict, readable in grey: full, half, crossed or dashed circle."""
    return Markup(
        '<svg class="mark" xmlns="http://www.w3.org/2000/svg" width="3.6mm" height="3.6mm" '
        'viewBox="0 0 12 12" role="img"><title>{}</title>{}</svg>'
    ).format(f"Mark: {word}", Markup(_MARKS[verdict]))


@dataclass(frozen=True)
class Strip:
    """What a strip draws; numbers are on the unit's own scale."""

    value: float
    lower: float
    upper: float
    bars: tuple[float, ...]
    good: str
    """`above`, `below` or `between` (two bars)."""
    identified: tuple[float, float]
    zero: bool
    """Whether zero is worth a mark."""
    bar_texts: tuple[str, ...]
    title: str


_WIDTH, _HEIGHT, _EDGE = 52.0, 8.1, 2.5


def _range(strip: Strip) -> tuple[float, float]:
    points = [strip.lower, strip.upper, *strip.bars, *strip.identified]
    if strip.zero:
        points.append(0.0)
    low, high = min(points), max(points)
    pad = (high - low) * 0.06 or 1.0
    return low - pad, high + pad


def _good_side(strip: Strip, place: list[float]) -> Markup:
    left, right = _EDGE, _WIDTH - _EDGE
    if strip.good == "above":
        left = place[0]
    elif strip.good == "below":
        right = place[0]
    else:
        left, right = place[0], place[1]
    return Markup('<rect x="{:.2f}" y="3.6" width="{:.2f}" height="3.6" fill="#e4e7ea"/>').format(
        left, max(0.0, right - left)
    )


def _bar_label(x: float, text: str) -> Markup:
    share = (x - _EDGE) / (_WIDTH - 2 * _EDGE)
    anchor = "start" if share < 0.2 else "end" if share > 0.8 else "middle"
    shift = {"start": -0.6, "middle": 0.0, "end": 0.6}[anchor]
    return Markup(
        '<text x="{:.2f}" y="2.7" font-size="2.82" font-family="Claimscope Sans" '
        'text-anchor="{}" fill="{}">{}</text>'
    ).format(x + shift, anchor, OCHRE, text)


def strip_svg(strip: Strip) -> Markup:
    """Interval against its bar: the wanted side shaded, the bar dashed and named (8 pt).

    The thick inner line is what the missing answers alone leave open.
    """
    low, high = _range(strip)

    def at(number: float) -> float:
        return _EDGE + (number - low) / (high - low) * (_WIDTH - 2 * _EDGE)

    bars = [at(bar) for bar in strip.bars]
    parts = [_good_side(strip, bars)]
    parts.append(
        Markup(
            '<line x1="{:.2f}" x2="{:.2f}" y1="7.2" y2="7.2" stroke="{}" stroke-width=".18"/>'
        ).format(_EDGE, _WIDTH - _EDGE, GREY)
    )
    if strip.zero:
        zero = at(0.0)
        parts.append(
            Markup(
                '<line x1="{0:.2f}" x2="{0:.2f}" y1="3.6" y2="7.9" stroke="{1}" '
                'stroke-width=".18"/>'
            ).format(zero, GREY)
        )
    for x, text in zip(bars, strip.bar_texts, strict=True):
        parts.append(
            Markup(
                '<line x1="{0:.2f}" x2="{0:.2f}" y1="3.2" y2="7.9" stroke="{1}" '
                'stroke-width=".4" stroke-dasharray=".9 .6"/>'
            ).format(x, OCHRE)
        )
        parts.append(_bar_label(x, text))
    parts.append(
        Markup(
            '<path d="M{0:.2f} 5.4H{1:.2f}M{0:.2f} 4.5V6.3M{1:.2f} 4.5V6.3" fill="none" '
            'stroke="{2}" stroke-width=".45"/>'
        ).format(at(strip.lower), at(strip.upper), BLUE)
    )
    if strip.identified[0] < strip.identified[1]:
        parts.append(
            Markup(
                '<line x1="{:.2f}" x2="{:.2f}" y1="5.4" y2="5.4" stroke="{}" stroke-width="1"/>'
            ).format(at(strip.identified[0]), at(strip.identified[1]), BLUE)
        )
    parts.append(
        Markup('<circle cx="{:.2f}" cy="5.4" r=".95" fill="{}"/>').format(at(strip.value), BLUE)
    )
    return Markup(
        '<svg class="strip" xmlns="http://www.w3.org/2000/svg" width="{0}mm" height="{1}mm" '
        'viewBox="0 0 {0} {1}" role="img"><title>{2}</title>{3}</svg>'
    ).format(f"{_WIDTH:g}", f"{_HEIGHT:g}", strip.title, Markup("").join(parts))
