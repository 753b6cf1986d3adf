"""Scores by task: one panel per task, one line per system, labels beside the lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from audit.report.charts.style import (
    BLUE,
    GREY,
    OCHRE,
    WIDTH_MM,
    Interval,
    house_style,
    label,
    svg_text,
)

MOST_TASKS = 4
MOST_SYSTEMS = 16


def scores_by_task(
    panels: Mapping[str, Sequence[Interval]], *, name: str, title: str, axis: str
) -> str:
    """Draw each task's scores with their intervals.

    Parameters
    ----------
    panels : {task: one interval per system}, the same systems in the same order in each
    """
    from matplotlib.figure import Figure

    with house_style():
        systems = len(next(iter(panels.values())))
        height = 18 + 4.6 * systems
        figure = Figure(figsize=(WIDTH_MM / 25.4, height / 25.4))
        grid = figure.subplots(1, len(panels), sharex=True, sharey=True, squeeze=False)[0]
        colors = (BLUE, OCHRE)
        for axes, (task, rows) in zip(grid, panels.items(), strict=True):
            for index, row in enumerate(rows):
                place = systems - 1 - index
                color = colors[index] if index < len(colors) else GREY
                marker = "os"[index % 2]
                axes.plot([row.lower, row.upper], [place, place], color=color, linewidth=1.2)
                axes.plot([row.value], [place], marker, color=color, markersize=3.6)
            axes.set_title(label(task), fontsize=8, loc="left")
            axes.set_ylim(-0.6, systems - 0.4)
            axes.grid(axis="x", color="#e4e7ea", linewidth=0.5)
            axes.set_axisbelow(True)
            axes.tick_params(axis="y", length=0)
        first = next(iter(panels.values()))
        grid[0].set_yticks(range(systems - 1, -1, -1), [label(row.label) for row in first])
        figure.supxlabel(label(axis, 70), fontsize=8)
        return svg_text(figure, name, title)
