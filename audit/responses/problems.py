"""Mistakes in data files: collected by kind, the first few shown, the rest counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from audit.errors import DataError, Issue
from audit.spec.showing import ascii_safe

MOST_SHOWN: Final = 5
"""Rows shown of one mistake in one file."""


@dataclass
class Problems:
    """All that is wrong with the files of a source."""

    _found: dict[tuple[str, str], list[Issue]] = field(default_factory=dict)
    _more: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(
        self,
        file: str,
        message: str,
        found: str = "",
        *,
        row: int | None = None,
        column: str = "",
        allowed: str = "",
        remedy: str = "",
    ) -> None:
        """Note one mistake; `row` counts data rows from 1, `column` is named as in the file."""
        kind = (file, f"{column}\0{message}")
        shown = self._found.setdefault(kind, [])
        if len(shown) == MOST_SHOWN:
            self._more[kind] = self._more.get(kind, 0) + 1
            return
        places = [
            *([] if row is None else [f"row {row}"]),
            *([f"column {column}"] if column else []),
        ]
        path = ascii_safe(", ".join(places))
        shown.append(Issue(ascii_safe(file), 0, 0, path, message, found, allowed, remedy))

    def raise_any(self) -> None:
        """Raise what was found.

        Raises
        ------
        DataError
            if there is anything
        """
        issues = list(self._issues())
        if issues:
            raise DataError(issues)

    def _issues(self) -> Iterator[Issue]:
        for kind, shown in self._found.items():
            yield from shown
            more = self._more.get(kind, 0)
            if more:
                rows = "row" if more == 1 else "rows"
                last = shown[-1]
                message = f"{last.message}: {more:,} more {rows} like this"
                yield Issue(last.file, 0, 0, "", message)
