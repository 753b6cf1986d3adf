"""What was read and what was lost, as a result, and what the files say against the study.

What missing responses do to estimates is bounded where the estimates are made; the units of scores
are checked when files are read. Counts by file and by system are the accounting's own. Threats are
those of `audit.analyses.log_threats`.

Tables
------
rates.<metric> : system, variant, answers, scored, completed, failures_as_wrong, lowest, highest
statuses : system, status, rows, without_score
missing_by_task : system, task, items, without_row, without_score; of the primary metric
published : system, task, variant, metric, aggregation, published, recomputed, items, state, reading
runs : system, task, version, harness, date, state, items, of, answers_held
configurations : key, and what each system's logs say of it, where they differ
losses : file, count, what
attempts : system, fewest, most; only where a system has several attempts on an item

Diagnostics
-----------
unequal : systems that have no row on some item of the source
left_out : {reason: rows} over all files
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from audit import __version__
from audit.analyses.contract import Assumption, Provenance, Result, Table
from audit.analyses.fact_tables import fact_tables
from audit.analyses.log_threats import log_threats
from audit.analyses.rates import rate_tables, rule_text
from audit.analyses.reproduced import reproduced
from audit.io import digest_of
from audit.responses.accounting import Accounting
from audit.responses.facts import Reproduction
from audit.responses.table import ResponseTable
from audit.spec.plan import IntakeSlice


def analyse(accounting: Accounting, table: ResponseTable, slice_: IntakeSlice) -> Result:
    """Say what a source holds and lacks.

    Parameters
    ----------
    accounting, table : what intake made of the source
    slice_ : what the study says of it

    Returns
    -------
    No estimates: threats, tables, assumptions and limits, as the module says.
    """
    checked = (
        *accounting.reproductions,
        *reproduced(accounting.published, table, slice_.metrics),
    )
    return Result(
        analysis="intake",
        source=slice_.source,
        provenance=Provenance(program=__version__, inputs={"slice": digest_of(slice_)}),
        threats=tuple(log_threats(accounting, table, checked, slice_)),
        assumptions=tuple(_assumptions(accounting, table)),
        diagnostics={
            "unequal": [one.system for one in accounting.systems if one.missing_items],
            "left_out": _left_out(accounting),
            "published": _states(checked),
            "rule": rule_text(slice_.unscored),
        },
        tables=(
            *rate_tables(table, slice_.metrics, slice_.unscored),
            *_tables(accounting, table, slice_),
            *fact_tables(accounting, checked),
        ),
        limits=(
            "Whether an answer was scored rightly is not checked here.",
            "What the files themselves leave out is not known: only what one system lacks beside "
            "others, or beside what its log says of itself, can be seen.",
        ),
    )


def _states(checked: Sequence[Reproduction]) -> dict[str, int]:
    """{state of a published figure: how many}."""
    states = sorted({one.state for one in checked})
    return {state: sum(one.state == state for one in checked) for state in states}


def _left_out(accounting: Accounting) -> dict[str, int]:
    total: dict[str, int] = {}
    for file in accounting.files:
        for reason, rows in file.rows_left_out.items():
            total[reason] = total.get(reason, 0) + rows
    return dict(sorted(total.items()))


def _assumptions(accounting: Accounting, table: ResponseTable) -> Iterator[Assumption]:
    missing = any(one.missing_items for one in accounting.systems)
    yield Assumption(
        text="Every system has a row on every item of the source.", checked=True, held=not missing
    )
    hashes = table.responses.select("item", "variant", "item_hash").unique()
    compared = len(hashes) > 0 and not hashes["item_hash"].null_count()
    same = not hashes.select(pl.struct("item", "variant").is_duplicated()).to_series().any()
    yield Assumption(
        text="An id stands for the same item in all files.",
        checked=compared,
        held=same if compared else None,
    )


def _tables(accounting: Accounting, table: ResponseTable, slice_: IntakeSlice) -> Iterator[Table]:
    yield Table(
        id="statuses",
        title="Statuses, by system",
        columns=("system", "status", "rows", "without_score"),
        rows=tuple(
            (one.system, status, rows, one.unscored.get(status, 0))
            for one in accounting.systems
            for status, rows in one.statuses.items()
        ),
        note="A row with a score keeps it, whatever its status.",
    )
    missing = tuple(_missing(accounting, table, slice_))
    if missing:
        yield Table(
            id="missing_by_task",
            title="Items without a row or without a score, by system and task",
            columns=("system", "task", "items", "without_row", "without_score"),
            rows=missing,
            note="What is lost is rarely lost at random: look at the shares by task.",
        )
    attempts = tuple(
        (one.system, *one.attempts) for one in accounting.systems if one.attempts[1] > 1
    )
    if attempts:
        yield Table(
            id="attempts",
            title="Attempts on an item, by system",
            columns=("system", "fewest", "most"),
            rows=attempts,
        )


def _missing(
    accounting: Accounting, table: ResponseTable, slice_: IntakeSlice
) -> Iterator[tuple[str, str, int, int, int]]:
    """Items that lack something, where any does; an item lacks a score if one answer to it does."""
    primary = slice_.metrics[0].id
    lost = (
        table.responses.filter((pl.col("metric") == primary) & pl.col("score").is_null())
        .select("system", "item", pl.col("task").fill_null(""))
        .unique()
        .group_by("system", "task")
        .len()
    )
    unscored = {(system, task): count for system, task, count in lost.iter_rows()}
    for one in accounting.systems:
        for task, items in accounting.items_by_task.items():
            absent, blank = one.missing_by_task.get(task, 0), unscored.get((one.system, task), 0)
            if absent or blank:
                yield one.system, task, items, absent, blank
