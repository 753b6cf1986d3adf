"""Mistakes in data files: collected by kind, the first few shown, the rest counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from audit.errors import DataError, Issue
from audit.spec.showing import ascii_safe

MOST_SHOWN: Final = 5
"""Rows shown of one mistake in one file."""
MOST_KINDS: Final = 200
"""Mistakes told apart, by file and column; the rest is counted."""
_LONGEST_COLUMN: Final = 80


@dataclass
class Problems:
    """All that is wrong with the files of a source."""

    _found: dict[tuple[str, str], list[Issue]] = field(default_factory=dict)
    _more: dict[tuple[str, str], int] = field(default_factory=dict)
    _other: dict[str, int] = field(default_factory=dict)

    def add(
        self,
        file: str,
        message: str,
        found: str = "",
        *,
        row: int | None = None,
        column: str = "",
        allowed: str = "",
        remedy: str | Callable[[], str] = "",
    ) -> None:
        """Note one mistake; `row` counts data rows from 1, `column` is named as in the file.

        A remedy that takes long to find is given as a function: it is asked where it is shown.
        """
        kind = (file, f"{column}\0{message}")
        if kind not in self._found and len(self._found) == MOST_KINDS:
            self._other[file] = self._other.get(file, 0) + 1
            return
        shown = self._found.setdefault(kind, [])
        if len(shown) == MOST_SHOWN:
            self._more[kind] = self._more.get(kind, 0) + 1
            return
        path = _place("" if row is None else f"row {row}", column)
        what_to_do = remedy if isinstance(remedy, str) else remedy()
        shown.append(Issue(ascii_safe(file), 0, 0, path, message, found, allowed, what_to_do))

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
                last = shown[-1]
                # "rows" is sorted behind "row 1"
                path = _place(
                    "rows" if last.path.startswith("row ") else "", kind[1].split("\0")[0]
                )
                yield Issue(last.file, 0, 0, path, f"{last.message}: {more:,} more like this")
        if self._other:
            first, count = next(iter(self._other)), sum(self._other.values())
            where = f", here and in {len(self._other) - 1:,} files" if len(self._other) > 1 else ""
            yield Issue(ascii_safe(first), 0, 0, "", f"{count:,} further mistakes{where}")


def _place(row: str, column: str) -> str:
    named = f"column {ascii_safe(column[:_LONGEST_COLUMN])}" if column else ""
    return ", ".join(one for one in (row, named) if one)
