"""Places of systems with the set of places that the data leave possible."""

from __future__ import annotations

from collections.abc import Sequence

from audit.report.charts.style import (
    BLUE,
    GREY,
    INK,
    OCHRE,
    Interval,
    house_style,
    label,
    new_figure,
    svg_text,
)

MOST_SYSTEMS = 40


def rank_sets(
    rows: Sequence[Interval],
    *,
    name: str,
    title: str,
    highlighted: Sequence[str] = (),
    bar: float | None = None,
) -> str:
    """Draw each system's set of places; the first place is at the left.

    Parameters
    ----------
    rows : place (`value`) with its set, in the order to be drawn
    highlighted : labels drawn in colour, the others in grey
    bar : last place that a claim allows
    """
    from matplotlib.ticker import MaxNLocator

    with house_style():
        figure, axes = new_figure(14 + 4.6 * len(rows))
        last = max(row.upper for row in rows)
        axes.set_xlim(0.4, last + 0.6)
        axes.set_ylim(-0.6, len(rows) - 0.4)
        for place, row in zip(range(len(rows) - 1, -1, -1), rows, strict=True):
            told = row.label in highlighted
            color = BLUE if told else GREY
            width = 2.4 if told else 1.4
            axes.plot([row.lower, row.upper], [place, place], color=color, linewidth=width)
            axes.plot([row.value], [place], "o" if told else "s", color=color, markersize=4)
            axes.annotate(
                label(row.note),
                (1.01, place),
                xycoords=("axes fraction", "data"),
                va="center",
                color=INK,
                annotation_clip=False,
            )
        if bar is not None:
            axes.axvline(bar + 0.5, color=OCHRE, linewidth=1.0, linestyle=(0, (3, 2)))
        axes.set_yticks(range(len(rows) - 1, -1, -1), [label(row.label) for row in rows])
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("Place (1 is first)")
        return svg_text(figure, name, title)
