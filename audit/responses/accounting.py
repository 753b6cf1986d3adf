"""What was read and what was lost: every row accounted for, by file and by system."""

from __future__ import annotations

from typing import Literal

from audit.io import Frozen
from audit.responses.facts import Loss, PublishedFigure, Reproduction, Run


class FileAccount(Frozen):
    """rows_read = rows_kept + sum(rows_left_out)."""

    file: str
    """As declared (`answers.csv`, `NAME:folder/answers.csv`), globs resolved."""
    digest: str
    rows_read: int
    rows_kept: int
    rows_left_out: dict[str, int]
    """{reason: rows}: `not selected`, `later repeat`, …"""


class SystemAccount(Frozen):
    """One system's rows, for the primary metric where a count is of cells."""

    system: str
    names: tuple[str, ...]
    """As the files name it."""
    declared: bool
    """False: nobody declared it, taken as a reference."""
    rows: int
    items: int
    scored: int
    statuses: dict[str, int]
    """{status: rows}; a row with a score keeps it whatever its status."""
    unscored: dict[str, int]
    """{status: rows without a score}."""
    missing_items: int
    """Items of the source on which this system has no row at all."""
    missing_by_task: dict[str, int]
    attempts: tuple[int, int]
    """Fewest and most attempts on an item."""


class Accounting(Frozen):
    """`responses/<source>.accounting.json`."""

    schema_name: Literal["claimscope/accounting/1"] = "claimscope/accounting/1"
    source: str
    source_digest: str
    """Digest over the files' digests, in the order of their names."""
    files: tuple[FileAccount, ...]
    systems: tuple[SystemAccount, ...]
    items: int
    clusters: int
    """Number of clusters; equal to items when no cluster column is given."""
    clustered: bool
    items_by_task: dict[str, int]
    """{task: items}; `` (empty) for items without a task."""
    variants: dict[str, int]
    """{variant: rows}."""
    earliest_date: str | None
    """Of the rows that have one."""
    latest_date: str | None
    undated: int = 0
    """Rows without a date."""
    unit: dict[str, str]
    """{metric: share | percent | points}."""
    runs: tuple[Run, ...] = ()
    """As logs state them, under the study's ids of systems; none for tables."""
    reproductions: tuple[Reproduction, ...] = ()
    """What logs published beside what their own rows give."""
    losses: tuple[Loss, ...] = ()
    published: tuple[PublishedFigure, ...] = ()
    """What the study's table of published aggregates says of systems that the source has."""
    unmatched_published: int = 0
    """Rows of that table on systems that the source lacks."""
