"""The system table: many systems in a CSV instead of in YAML."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from audit.errors import DataError, Issue, SpecError
from audit.spec.characters import MOST_BYTES, decode, is_id, too_large
from audit.spec.files import resolve_files
from audit.spec.showing import choices, did_you_mean, shown

MOST_ROWS = 5_000
FIELDS = (
    "version",
    "name",
    "match",
    "role",
    "family",
    "product",
    "rerun_of",
    "setting",
    "deployed",
)


@dataclass(frozen=True)
class SystemTable:
    """Systems of a table as YAML entries would declare them, and the lines they stand on."""

    file: str
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    content: bytes = b""
    broken: bool = False
    """There is a table, but it could not be read: its systems are not known."""


def read_system_table(declared: str, folder: Path, data_roots: Mapping[str, Path]) -> SystemTable:
    """Read a CSV of `system, family` and any other plain field, and `match.<column>`.

    An empty cell is a field that is not there.

    Raises
    ------
    SpecError
        with every mistake and its line
    """
    try:
        files = resolve_files((declared,), folder, data_roots)
    except DataError as error:
        raise SpecError(error.issues) from None
    if len(files) > 1:
        raise SpecError(
            [
                Issue(
                    declared[:120],
                    0,
                    0,
                    "",
                    f"the glob matches {len(files)} files",
                    remedy="name one table",
                )
            ]
        )
    name = files[0].declared
    with files[0].path.open("rb") as stream:
        content = stream.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise too_large(name, files[0].path.stat().st_size)
    return _parse(name, content)


def _parse(name: str, content: bytes) -> SystemTable:
    reader = csv.reader(io.StringIO(decode(content, name), newline=""), strict=True)
    table = SystemTable(name, content=content)
    issues: list[Issue] = []
    try:
        header = next(reader, [])
        issues += _header_issues(name, header)
        if not issues:
            for row in reader:
                issues += _take(table, header, row, reader.line_num)
    except csv.Error as error:
        issues.append(Issue(name, reader.line_num, 1, "", "this is no CSV", shown(str(error))))
    if issues:
        raise SpecError(issues)
    return table


def _header_issues(name: str, header: list[str]) -> list[Issue]:
    issues = []
    allowed = choices(("system", *FIELDS, "match.<column>"))
    for at, column in enumerate(header):
        known = column in ("system", *FIELDS) or (
            column.startswith("match.") and len(column) > len("match.")
        )
        place = Issue(name, 1, 1, f"column {at + 1}", "", shown(column))
        if not known:
            remedy = did_you_mean(column, ("system", *FIELDS))
            issues.append(_with(place, "this column is not known", allowed, remedy))
        elif column in header[:at]:
            issues.append(_with(place, "this column is repeated", "", "keep one"))
    if "system" not in header:
        issues.append(Issue(name, 1, 1, "", "the column system is missing"))
    if "match" in header and any(one.startswith("match.") for one in header):
        issues.append(
            Issue(name, 1, 1, "", "both match and match.<column>", remedy="keep one form")
        )
    return issues


def _with(issue: Issue, message: str, allowed: str, remedy: str) -> Issue:
    return Issue(
        issue.file, issue.line, issue.column, issue.path, message, issue.found, allowed, remedy
    )


def _take(table: SystemTable, header: list[str], row: list[str], line: int) -> list[Issue]:
    """Add a row's system to the table, or say what is wrong with the row."""
    if not any(cell.strip() for cell in row):
        return []
    if len(table.rows) >= MOST_ROWS:
        message = "too many systems"
        raise SpecError([Issue(table.file, line, 1, "", message, allowed=f"at most {MOST_ROWS}")])
    if len(row) != len(header):
        message = "the row has another number of cells than the head"
        found, allowed = f"{len(row)} cells", f"{len(header)}"
        return [Issue(table.file, line, 1, "", message, found, allowed)]
    cells = {column: cell for column, cell in zip(header, row, strict=True) if cell.strip()}
    system = cells.pop("system", "")
    if not is_id(system):
        allowed = "letters, digits, . _ and -, at most 64"
        return [Issue(table.file, line, 1, "system", "this is no id", shown(system), allowed)]
    if system in table.rows:
        remedy = f"it stands on line {table.lines[system]} already; keep one"
        path = f"systems.{system}"
        return [Issue(table.file, line, 1, path, "the system is repeated", remedy=remedy)]
    match = {column[6:]: cell for column, cell in cells.items() if column.startswith("match.")}
    entry: dict[str, Any] = {
        column: cell for column, cell in cells.items() if not column.startswith("match.")
    }
    table.rows[system] = entry | ({"match": match} if match else {})
    table.lines[system] = line
    return []
