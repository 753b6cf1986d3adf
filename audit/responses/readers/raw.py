"""What a reader gives, and how it refuses a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import polars as pl

from audit.errors import DataError, Issue
from audit.spec.files import ResolvedFile
from audit.spec.showing import ascii_safe, shown

MOST_COLUMNS: Final = 10_000
MOST_ROWS: Final = 10_000_000
"""Of one file: a few bytes of a packed column can stand for billions of rows."""


@dataclass(frozen=True)
class RawTable:
    """One file's rows as text; data row n (from 1) is at place n - 1."""

    file: str
    """As declared."""
    frame: pl.DataFrame
    """All columns `String`, named as in the file; empty text is null."""
    unreadable: Mapping[str, str] = field(default_factory=dict)
    """{further column: what it holds instead of single values}."""


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
