"""Which charts a bundle gets: picks rows from results' tables; draws nothing itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from audit.analyses.contract import Result, Table
from audit.argument.assessment import ClaimVerdict
from audit.report.charts.forest import forest
from audit.report.charts.ranks import MOST_SYSTEMS as MOST_RANKED
from audit.report.charts.ranks import rank_sets
from audit.report.charts.scores import MOST_SYSTEMS, MOST_TASKS, scores_by_task
from audit.report.charts.style import Interval
from audit.report.lookup import Lookup, result_id
from audit.report.rounding import Scale, interval_texts, scale_of
from audit.report.wording import criterion_text, level_text, subject
from audit.report.words import clip

Row = dict[str, str | float | int | bool | None]


@dataclass(frozen=True)
class Figures:
    """SVG text by chart name, and the charts of each result."""

    svg: dict[str, str]
    captions: dict[str, str]
    of_result: dict[str, tuple[str, ...]]


def rows_of(result: Result, needed: tuple[str, ...]) -> Iterator[tuple[Table, list[Row]]]:
    """Tables of a result that have the needed columns, as rows by column."""
    for table in result.tables:
        if set(needed) <= set(table.columns) and table.rows:
            yield table, [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def _interval(row: Row, name: str, scale: Scale, *, signed: bool) -> Interval | None:
    value, lower, upper = row.get("value"), row.get("lower"), row.get("upper")
    if not all(isinstance(one, int | float) for one in (value, lower, upper)):
        return None
    numbers = (float(value or 0), float(lower or 0), float(upper or 0))
    texts = interval_texts(*numbers, scale=scale, signed=signed)
    factor = scale.factor
    items = row.get("items")
    note = f"{texts[0]} ({texts[1]} to {texts[2]})"
    return Interval(
        f"{name}, n = {items}" if isinstance(items, int) else name,
        numbers[0] * factor,
        numbers[1] * factor,
        numbers[2] * factor,
        note,
    )


def _claim_forest(lookup: Lookup, claim: ClaimVerdict) -> tuple[str, str] | None:
    """Task-by-task intervals of a claim: table of its analysis, else its task criteria."""
    first = next((one for one in claim.criteria if one.measure != "rank"), None)
    if first is None:
        return None
    scale = scale_of(lookup.unit(first))
    signed = claim.kind == "comparison"
    rows = _task_rows(lookup, claim, scale, signed=signed)
    for outcome in claim.criteria:
        same = (outcome.measure, outcome.metric) == (first.measure, first.metric)
        if not same or outcome.value is None or outcome.task is not None:
            continue
        row: Row = {
            "value": outcome.value,
            "lower": outcome.lower,
            "upper": outcome.upper,
            "items": outcome.items,
        }
        whole = _interval(row, "whole scope", scale, signed=signed)
        rows = [whole, *rows] if whole else rows
        break
    if len(rows) < 2:
        return None
    text = criterion_text(lookup, claim, first)
    axis = f"{subject(lookup, claim)}:{scale.after(signed).replace('%', ' percent')}"
    caption = (
        f"{claim.id}: {subject(lookup, claim)}, whole scope and task by task. "
        f"{level_text(first)} intervals; n counts items. Dashed: the bar of {first.id} "
        f"({text.bar})."
    )
    svg = forest(
        rows,
        name=f"forest-{claim.id}",
        title=caption,
        axis=clip(axis, 60),
        bars=[bar * scale.factor for bar in text.bars],
        good=text.good,
        zero=signed,
    )
    return svg, caption


def _task_rows(
    lookup: Lookup, claim: ClaimVerdict, scale: Scale, *, signed: bool
) -> list[Interval]:
    analysis = "comparison" if signed else "workload"
    result = lookup.result(analysis, lookup.plans[claim.id].source)
    found: list[Interval] = []
    if result is not None:
        for _, rows in rows_of(result, ("claim", "task", "value", "lower", "upper")):
            for row in rows:
                if row["claim"] == claim.id:
                    one = _interval(row, str(row["task"]), scale, signed=signed)
                    found += [one] if one else []
    if found:
        return found[:24]
    for outcome in claim.criteria:
        if outcome.task is not None and outcome.value is not None:
            given: Row = {
                "value": outcome.value,
                "lower": outcome.lower,
                "upper": outcome.upper,
                "items": outcome.items,
            }
            one = _interval(given, outcome.task, scale, signed=signed)
            found += [one] if one else []
    return found


def _rank_chart(lookup: Lookup, claim: ClaimVerdict) -> tuple[str, str] | None:
    """Places of all systems of a ranking claim."""
    result = lookup.result("comparison", lookup.plans[claim.id].source)
    outcome = claim.criteria[0]
    rows: list[Interval] = []
    if result is not None:
        for _, table in rows_of(result, ("system", "rank", "lower", "upper")):
            for row in table:
                if row.get("request", outcome.id) not in (outcome.id, claim.id):
                    continue
                if not all(isinstance(row[one], int | float) for one in ("rank", "lower", "upper")):
                    continue
                place, low, high = (float(row[one] or 0) for one in ("rank", "lower", "upper"))
                note = f"{place:.0f} ({low:.0f} to {high:.0f})"
                rows.append(Interval(lookup.name(str(row["system"])), place, low, high, note))
    if len(rows) < 2:
        return None
    rows = sorted(rows, key=lambda row: (row.value, row.lower, row.upper, row.label))
    caption = (
        f"{claim.id}: places of the systems that it ranks, {level_text(outcome)} sets of places. "
        "Dashed: the last place that the claim allows."
    )
    svg = rank_sets(
        rows[:MOST_RANKED],
        name=f"ranks-{claim.id}",
        title=caption,
        highlighted=[lookup.name(str(lookup.claim(claim.id)["of"]))],
        bar=outcome.bar_value,
    )
    return svg, caption


def _score_chart(lookup: Lookup, result: Result) -> tuple[str, str] | None:
    """Scores by task and system, from the workload result's table."""
    for table, rows in rows_of(result, ("system", "task", "value", "lower", "upper")):
        tasks = list(dict.fromkeys(str(row["task"]) for row in rows))[:MOST_TASKS]
        systems = list(dict.fromkeys(str(row["system"]) for row in rows))[:MOST_SYSTEMS]
        held = {(str(row["task"]), str(row["system"])): row for row in rows}
        unit = str(rows[0].get("unit") or "share")
        scale = scale_of(unit)
        panels: dict[str, list[Interval]] = {}
        for task in tasks:
            found = [
                _interval({**held[task, one], "items": None}, lookup.name(one), scale, signed=False)
                for one in systems
                if (task, one) in held
            ]
            drawn = [one for one in found if one is not None]
            if len(drawn) == len(systems):
                panels[task] = drawn
        if not panels or not systems:
            continue
        caption = (
            f"{clip(table.title, 100)}: one panel per task, one line per system, 95% intervals."
        )
        axis = {"share": "percent", "percent": "percent"}.get(unit, clip(unit, 40))
        name = f"scores-{result.source}"
        return scores_by_task(panels, name=name, title=caption, axis=f"Score, {axis}"), caption
    return None


def make_figures(lookup: Lookup) -> Figures:
    """All charts of the annex, by name; a chart without enough rows is not drawn."""
    svg: dict[str, str] = {}
    captions: dict[str, str] = {}
    of_result: dict[str, list[str]] = {}

    def keep(name: str, result: str, drawn: tuple[str, str] | None) -> None:
        if drawn is not None:
            svg[name], captions[name] = drawn
            of_result.setdefault(result, []).append(name)

    for result in lookup.evidence.results:
        if result.analysis == "workload":
            keep(f"scores-{result.source}", result_id(result), _score_chart(lookup, result))
    for claim in lookup.claim_order:
        verdict = lookup.verdicts[claim]
        source = lookup.plans[claim].source
        if verdict.kind == "ranking":
            keep(f"ranks-{claim}", f"comparison.{source}", _rank_chart(lookup, verdict))
        else:
            room = "workload" if verdict.kind == "performance" else "comparison"
            keep(f"forest-{claim}", f"{room}.{source}", _claim_forest(lookup, verdict))
    return Figures(svg, captions, {name: tuple(charts) for name, charts in of_result.items()})
