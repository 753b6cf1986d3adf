"""What a reader gives, and how it refuses a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import polars as pl

from audit.errors import DataError, Issue
from audit.responses.facts import Loss, Reproduction, Run
from audit.spec.files import ResolvedFile
from audit.spec.showing import ascii_safe, shown

MOST_COLUMNS: Final = 10_000
MOST_ROWS: Final = 10_000_000
"""Of one file: a few bytes of a packed column can stand for billions of rows."""


@dataclass(frozen=True)
class Log:
    """What the log of a harness says besides its rows, and how its columns are to be read.

    The frame beside it has canonical columns under their canonical names (`system`, `item`,
    `attempt`, `status`, `date`, `item_hash`, `tokens_in`, ...) and everything else under the log's
    own dotted names (`eval.task`, `metadata.topic`, `doc.qid`); only what the frame holds is there.
    One row is one answer: filters, metrics and reducers are columns or facts, never rows.
    """

    scores: tuple[str, ...]
    """Columns that hold scores: a scorer, `scorer.key` of a dict score, or `metric,filter`."""
    statuses: Mapping[str, str] = field(default_factory=dict)
    """{score column: column with the status of that score alone}: an answer may be unparsed under
    one extraction rule and not under another. Null: the row's own status."""
    values: Mapping[str, float] = field(default_factory=dict)
    """{text of a score: number} by the harness' own convention; the study's `values` win."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """{digest in the column `text`: what was asked}."""
    runs: tuple[Run, ...] = ()
    reproductions: tuple[Reproduction, ...] = ()
    losses: tuple[Loss, ...] = ()


@dataclass(frozen=True)
class RawTable:
    """One file's rows as text; data row n (from 1) is at place n - 1."""

    file: str
    """As declared."""
    frame: pl.DataFrame
    """All columns `String`, named as in the file; empty text is null."""
    unreadable: Mapping[str, str] = field(default_factory=dict)
    """{further column: what it holds instead of single values}."""
    log: Log | None = None
    """None: a table that says nothing of how it came to be."""
    beside: tuple[str, ...] = ()
    """Further declared files that were read for this one, such as its results file."""


def refusal(
    file: ResolvedFile,
    message: str,
    found: str = "",
    allowed: str = "",
    remedy: str = "",
    place: str = "",
) -> DataError:
    """Say why a file is not read; `place` is `row 3`, or nothing."""
    return DataError(
        [Issue(ascii_safe(file.declared), 0, 0, place, message, found, allowed, remedy)]
    )


def check_names(file: ResolvedFile, names: list[str]) -> None:
    """Refuse column names that are not there, too many, or repeated."""
    if not names:
        raise refusal(file, "the file is empty", remedy="its first line names the columns")
    if len(names) > MOST_COLUMNS:
        raise refusal(file, "too many columns", f"{len(names):,}", f"at most {MOST_COLUMNS:,}")
    seen: set[str] = set()
    for place, name in enumerate(names, start=1):
        if name in seen:
            raise refusal(
                file, "two columns have one name", shown(name), remedy="give each its own name"
            )
        seen.add(name)
        # the first column of a written data frame is often its nameless index
        if not name and place > 1:
            raise refusal(file, f"column {place} has no name", remedy="name it in the first line")


def check_rows(file: ResolvedFile, rows: int) -> None:
    """Refuse more rows than `MOST_ROWS`."""
    if rows > MOST_ROWS:
        raise refusal(
            file, f"the file has more than {MOST_ROWS:,} rows",
            remedy="split it, or leave out rows that the study does not keep",
        )  # fmt: skip
