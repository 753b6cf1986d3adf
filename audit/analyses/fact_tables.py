"""What logs and publishers say, as tables: figures beside what was recomputed, runs, losses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audit.analyses.contract import Table
from audit.responses.accounting import Accounting
from audit.responses.facts import Reproduction, Run

_MOST_SYSTEMS = 8
"""Columns of the table of configurations; a convention."""


def fact_tables(accounting: Accounting, checked: Sequence[Reproduction]) -> Iterator[Table]:
    """Give the tables that have rows."""
    if checked:
        yield _published(accounting, checked)
    if accounting.runs:
        yield _runs(accounting.runs)
        configurations = _configurations(accounting.runs)
        if configurations.rows:
            yield configurations
    if accounting.losses:
        yield Table(
            id="losses",
            title="What the logs do not hold, or was not read",
            columns=("file", "count", "what"),
            rows=tuple((one.file, one.count, one.text) for one in accounting.losses),
        )


def _published(accounting: Accounting, checked: Sequence[Reproduction]) -> Table:
    order = {"impossible": 0, "contradicts": 1, "close": 2, "not_checked": 3, "agrees": 4}
    others = (
        f" {accounting.unmatched_published:,} published rows name systems that the source lacks."
        if accounting.unmatched_published
        else ""
    )
    return Table(
        id="published",
        title="Published figures beside what the items give",
        columns=(
            "system", "task", "variant", "metric", "aggregation",
            "published", "recomputed", "items", "state", "reading",
        ),
        rows=tuple(
            (
                one.system, one.task, one.variant, one.metric, one.aggregation,
                one.published, one.recomputed, one.items, one.state.replace("_", " "), one.note,
            )
            for one in sorted(checked, key=lambda one: order[one.state])
        ),
        note="Agrees: within the rounding of the published figure. Close: off by less than one "
        f"item. Contradicts: by one item or more.{others}",
    )  # fmt: skip


def _runs(runs: Sequence[Run]) -> Table:
    return Table(
        id="runs",
        title="Runs, as their logs state them",
        columns=(
            "system", "task", "version", "harness", "date",
            "state", "items_in_test", "claimed", "held",
        ),
        rows=tuple(
            (
                one.system, one.task, one.task_version, one.harness, one.date,
                one.state, one.items_in_test, one.samples_claimed, one.samples_held,
            )
            for one in runs
        ),
        note="Claimed and held count answers: items times epochs.",
    )  # fmt: skip


def _configurations(runs: Sequence[Run]) -> Table:
    """Keys that are not the same in all runs, by system."""
    systems = list(dict.fromkeys(one.system for one in runs))
    keys = sorted({key for one in runs for key in one.configuration})
    rows = []
    for key in keys:
        said = [
            " | ".join(
                dict.fromkeys(
                    one.configuration.get(key, "not stated") for one in runs if one.system == name
                )
            )
            for name in systems
        ]
        if len(set(said)) > 1 or " | " in said[0]:
            rows.append((key, *said[:_MOST_SYSTEMS]))
    more = len(systems) - _MOST_SYSTEMS
    return Table(
        id="configurations",
        title="What differs in the configurations that the logs state",
        columns=("key", *systems[:_MOST_SYSTEMS]),
        rows=tuple(rows),
        note=f"{more} further systems are not shown." if more > 0 else "",
    )
