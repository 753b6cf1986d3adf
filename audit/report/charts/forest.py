"""Forest of intervals, one line per row, against bars: differences or scores by task."""

from __future__ import annotations

from collections.abc import Sequence

from audit.report.charts.style import (
    BLUE,
    GREY,
    INK,
    OCHRE,
    PALE,
    Interval,
    house_style,
    label,
    new_figure,
    svg_text,
)


def forest(
    rows: Sequence[Interval],
    *,
    name: str,
    title: str,
    axis: str,
    bars: Sequence[float] = (),
    good: str = "above",
    zero: bool = True,
) -> str:
    """Draw intervals from top to bottom, the wanted side of the bar shaded.

    Parameters
    ----------
    rows : labelled intervals on the printed scale; `note` stands at the right edge
    bars : one bar, or two of which the space between is wanted
    good : `above`, `below` or `between`
    """
    with house_style():
        figure, axes = new_figure(14 + 6.0 * len(rows))
        places = range(len(rows) - 1, -1, -1)
        points = [number for row in rows for number in (row.lower, row.upper)] + list(bars)
        points += [0.0] if zero else []
        low, high = min(points), max(points)
        pad = (high - low) * 0.05 or 1.0
        axes.set_xlim(low - pad, high + pad)
        axes.set_ylim(-0.6, len(rows) - 0.4)
        _shade(axes, bars, good)
        if zero:
            axes.axvline(0, color=GREY, linewidth=0.6)
        for place, row in zip(places, rows, strict=True):
            axes.plot([row.lower, row.upper], [place, place], color=BLUE, linewidth=1.4)
            axes.plot([row.value], [place], "o", color=BLUE, markersize=4)
            axes.annotate(
                label(row.note),
                (1.01, place),
                xycoords=("axes fraction", "data"),
                va="center",
                color=INK,
                annotation_clip=False,
            )
        axes.set_yticks(list(places), [label(row.label) for row in rows])
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(label(axis, 70))
        return svg_text(figure, name, title)


def _shade(axes: object, bars: Sequence[float], good: str) -> None:
    from matplotlib.axes import Axes

    if not isinstance(axes, Axes) or not bars:
        return
    left, right = axes.get_xlim()
    if good == "above":
        left = bars[0]
    elif good == "below":
        right = bars[0]
    else:
        left, right = min(bars), max(bars)
    axes.axvspan(left, right, color=PALE, linewidth=0, zorder=0)
    for bar in bars:
        axes.axvline(bar, color=OCHRE, linewidth=1.0, linestyle=(0, (3, 2)))
