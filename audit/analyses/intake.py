"""What was read and what was lost, as a result: no estimate, and nothing that only intake thinks.

What missing responses do to estimates is bounded where the estimates are made; the units of scores
are checked when files are read. Counts by file and by system are the accounting's own.

Tables
------
statuses : system, status, rows, without_score
missing_by_task : system, task, items, missing; items on which a system has no row at all
attempts : system, fewest, most; only where a system has several attempts on an item

Diagnostics
-----------
unequal : systems that have no row on some item of the source
left_out : {reason: rows} over all files
"""

from __future__ import annotations

from collections.abc import Iterator

from audit import __version__
from audit.analyses.contract import Assumption, Provenance, Result, Table
from audit.io import digest_of
from audit.responses.accounting import Accounting
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
    No estimates and no threats: tables, assumptions and limits, as the module says.
    """
    return Result(
        analysis="intake",
        source=slice_.source,
        provenance=Provenance(program=__version__, inputs={"slice": digest_of(slice_)}),
        assumptions=tuple(_assumptions(accounting, table)),
        diagnostics={
            "unequal": [one.system for one in accounting.systems if one.missing_items],
            "left_out": _left_out(accounting),
        },
        tables=tuple(_tables(accounting)),
        limits=(
            "Whether an answer was scored rightly is not checked here.",
            "What the files themselves leave out is not known: only what one system lacks beside "
            "others can be seen.",
        ),
    )


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
    # an id with two contents is refused at intake; a row without a digest shows nothing
    hashes = table.responses["item_hash"]
    compared = len(hashes) > 0 and not hashes.null_count()
    yield Assumption(
        text="An id stands for the same item in all files.",
        checked=compared,
        held=True if compared else None,
    )


def _tables(accounting: Accounting) -> Iterator[Table]:
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
    missing = tuple(
        (one.system, task, accounting.items_by_task[task], count)
        for one in accounting.systems
        for task, count in one.missing_by_task.items()
    )
    if missing:
        yield Table(
            id="missing_by_task",
            title="Items without any row, by system and task",
            columns=("system", "task", "items", "missing"),
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
