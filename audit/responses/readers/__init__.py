"""One module per log format; each yields rows of text and what was lost on the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from audit.responses.readers.raw import RawTable
from audit.responses.readers.table import read_table
from audit.spec.files import ResolvedFile


def _tables(files: Sequence[ResolvedFile]) -> list[RawTable]:
    return [read_table(file) for file in files]


def _inspect(files: Sequence[ResolvedFile]) -> list[RawTable]:
    from audit.responses.readers.inspect_log import read_inspect

    return read_inspect(files)


def _lm_eval(files: Sequence[ResolvedFile]) -> list[RawTable]:
    from audit.responses.readers.lm_eval import read_lm_eval

    return read_lm_eval(files)


READERS: Final[dict[str, Callable[[Sequence[ResolvedFile]], list[RawTable]]]] = {
    "table": _tables,
    "inspect": _inspect,
    "lm_eval": _lm_eval,
}
"""{format: reader of a source's files, which may belong together}; an item table is no log and is
read as a table."""
