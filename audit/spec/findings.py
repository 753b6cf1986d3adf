"""What a check found at a place of a study, and how that place is found in its files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from audit.errors import Issue
from audit.spec.places import DEFAULTED
from audit.spec.showing import Path, place
from audit.spec.strict_yaml import Document

Severity = Literal["error", "warning", "hint"]
MOST_ASKED = 100
"""Remedies that take long to find, of one study."""


@dataclass(frozen=True)
class Finding:
    """One mistake or remark at a path of the study; `at_key`: the key is wrong, not its value."""

    path: Path
    message: str
    found: str = ""
    allowed: str = ""
    remedy: str | Callable[[], str] = ""
    """What to do; one that takes long to find is given as a function, asked if it is told."""
    severity: Severity = "error"
    at_key: bool = False


def warn(path: Path, message: str, remedy: str = "") -> Finding:
    """Make a warning: printed on the page."""
    return Finding(path, message, remedy=remedy, severity="warning", at_key=True)


def hint(path: Path, message: str, remedy: str = "", found: str = "") -> Finding:
    """Make a hint: for the author only."""
    return Finding(path, message, remedy=remedy, found=found, severity="hint", at_key=True)


@dataclass(frozen=True)
class Locator:
    """Turns paths into file, line and column; knows what came from `defaults` and from a table."""

    document: Document
    table_file: str = ""
    table_lines: Mapping[str, int] = field(default_factory=dict)
    """{system of the system table: its line}."""

    def issues(self, findings: Iterable[Finding]) -> list[Issue]:
        """Place findings; the same finding at the same place is told once."""
        placed: dict[Issue, None] = {}
        asked = 0
        for finding in findings:
            remedy = finding.remedy
            if not isinstance(remedy, str):
                asked += 1
                remedy = remedy() if asked <= MOST_ASKED else ""
            placed[self._issue(finding, remedy)] = None
        return list(placed)

    def _issue(self, finding: Finding, remedy: str) -> Issue:
        path = finding.path
        if self._in_table(path):
            laid = self._laid(path)
            if laid is None:
                line = self.table_lines[str(path[1])]
                return _made(finding, remedy, path, self.table_file, line, 1)
            path = laid
        else:
            path = self._laid(path) or path
        find = self.document.entry if finding.at_key else self.document.position
        return _made(finding, remedy, path, self.document.file, *find(path))

    def _in_table(self, path: Path) -> bool:
        """Whether a path is that of a system which stands in the table only."""
        named = len(path) >= 2 and path[0] == "systems" and path[1] in self.table_lines
        return named and not self.document.holds(path[:2])

    def _laid(self, path: Path) -> Path | None:
        """Where a path stands in `defaults`, if the entry itself does not hold it."""
        if self.document.holds(path) or len(path) < 3 or path[0] not in DEFAULTED:
            return None
        laid: Path = ("defaults", path[0], *path[2:])
        return laid if self.document.holds(laid) else None


def _made(finding: Finding, remedy: str, path: Path, file: str, line: int, column: int) -> Issue:
    return Issue(
        file,
        line,
        column,
        place(path),
        finding.message,
        finding.found,
        finding.allowed,
        remedy,
        finding.severity,
    )
