"""One module per log format; each yields rows of text and what was lost on the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from audit.responses.readers.raw import RawTable
from audit.responses.readers.table import read_table
from audit.spec.files import ResolvedFile


def _tables(files: Sequence[ResolvedFile]) -> list[RawTable]:
    return [read_table(file) for file in files]


READERS: Final[dict[str, Callable[[Sequence[ResolvedFile]], list[RawTable]]]] = {"table": _tables}
"""{format: reader of a source's files, which may belong together}; an item table is no log and is
read as a table."""
