"""One module per log format; each yields rows of text and what was lost on the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from audit.responses.readers.raw import RawTable
from audit.responses.readers.table import read_table
from audit.spec.files import ResolvedFile

READERS: Final[dict[str, Callable[[ResolvedFile], RawTable]]] = {"table": read_table}
"""{format: reader of one file}."""
