"""Errors for the person who wrote the input, and the closed list of reasons.

AuditError
├── InputError        the input is wrong (exit code 2); carries every issue found
│   ├── SpecError     in a study
│   └── DataError     in a data file that a study names
│       └── FilesAbsent   the files are not there (yet)
└── Contradiction     the program disagrees with itself (exit code 1)
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
    """Why a verdict is not simply `supported`, or why a number cannot be had."""

    SPEC_INCOMPLETE = "spec_incomplete"
    CRITERIA_CHANGED = "criteria_changed"
    CRITERIA_AFTER = "criteria_after"
    EXPLORATORY = "exploratory"
    NO_ITEMS = "no_items"
    TOO_FEW_ITEMS = "too_few_items"
    TOO_FEW_SYSTEMS = "too_few_systems"
    TOO_FEW_CLUSTERS = "too_few_clusters"
    NOT_CONVERGED = "not_converged"
    MISSING_BOUNDS_CROSS = "missing_bounds_cross"
    UNITS_UNKNOWN = "units_unknown"
    KEYS_REPEATED = "keys_repeated"
    AGGREGATE_CONTRADICTS = "aggregate_contradicts"
    CONFIGURATION_MIXED = "configuration_mixed"
    CONFIGURATION_CONTRADICTS = "configuration_contradicts"
    TEST_VERSION_MIXED = "test_version_mixed"
    ITEM_CHANGED = "item_changed"
    SAMPLES_MISSING = "samples_missing"
    RUN_INVALIDATED = "run_invalidated"
    CONFIGURATION_DIFFERS = "configuration_differs"
    DEPLOYMENT_UNDECLARED = "deployment_undeclared"
    DEPLOYMENT_DISCORDANT = "deployment_discordant"
    OUTCOMES_MISSING = "outcomes_missing"
    TASK_UNCOVERED = "task_uncovered"
    SETTING_MIXED = "setting_mixed"
    MARGIN_CROSSED = "margin_crossed"
    UNDERPOWERED = "underpowered"
    NEAR_MARGIN = "near_margin"
    SUBSET_ONLY = "subset_only"
    FORK_FLIPS = "fork_flips"
    CIRCULAR_BANDS = "circular_bands"
    OUTCOMES_NOT_BLIND = "outcomes_not_blind"
    REVIEW_MISSING = "review_missing"
    REPLICATION_CONTRADICTS = "replication_contradicts"
    REVISION_UNRESOLVED = "revision_unresolved"
    REVISION_DIFFERS = "revision_differs"
    AGGREGATES_ONLY = "aggregates_only"
    SEVERE_REGRESSION = "severe_regression"
    THREAT_OPEN = "threat_open"
    THREAT_BOUND_CROSSES = "threat_bound_crosses"
    BAR_FAILED = "bar_failed"
    EXPIRED = "expired"


@dataclass(frozen=True, order=True)
class Issue:
    """One mistake or remark, at one place, with what to do about it.

    `path` is the place inside the file (`claims.C1.criteria[0]`), `found` what stands there,
    `allowed` what may stand there, `remedy` what to do. Lines and columns count from 1; 0 means
    that the file has no such position (a row of a table says its row in `path`).
    """

    file: str
    line: int
    column: int
    path: str
    message: str
    found: str = ""
    allowed: str = ""
    remedy: str = ""
    severity: str = "error"  # error | warning | hint

    def __str__(self) -> str:
        place = self.file
        if self.line:
            place += f":{self.line}:{self.column}"
        parts = [self.message]
        if self.found:
            parts.append(f"found {self.found}")
        if self.allowed:
            parts.append(f"allowed: {self.allowed}")
        if self.remedy:
            parts.append(self.remedy)
        subject = f"{self.path}: " if self.path else ""
        mark = "" if self.severity == "error" else f"{self.severity}: "
        return f"{place}: {mark}{subject}{'; '.join(parts)}"


def _file_order(issue: Issue) -> tuple[object, ...]:
    """By file and place; row 2 before row 10."""
    parts = re.split(r"([0-9]+)", issue.path)
    path = [int(part) if place % 2 else part for place, part in enumerate(parts)]
    return issue.file, issue.line, issue.column, path, issue


class AuditError(Exception):
    """Root of everything this program raises on purpose."""


class InputError(AuditError):
    """The input is wrong; `issues` holds all that was found, in file order."""

    def __init__(self, issues: Iterable[Issue]) -> None:
        self.issues = tuple(sorted(issues, key=_file_order))
        super().__init__("\n".join(str(issue) for issue in self.issues))


class SpecError(InputError):
    """A study says something that cannot be judged."""


class DataError(InputError):
    """A data file holds something that cannot be read as the study declares it."""


class FilesAbsent(DataError):
    """Files that a study names are not there (yet); nothing else is wrong with their names."""


class Contradiction(AuditError):
    """Two parts of the program disagree: a defect here, not in the input."""
