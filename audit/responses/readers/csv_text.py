"""CSV as columns of text: UTF-8, commas, one width, a first line of names."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Final

import polars as pl

from audit.responses.readers.raw import check_names, check_rows, refusal
from audit.spec.files import ResolvedFile
from audit.spec.showing import shown

MOST_CELL: Final = 10_000_000
"""Characters of one value."""
MOST_LINE: Final = 100_000_000
"""Characters of one line."""
_BATCH: Final = 50_000
_OTHER_SEPARATORS: Final = {";": "a semicolon", "\t": "a tab", "|": "a bar"}


class _BadText(Exception):
    """A line that is no text; its row is known to the caller only."""

    def __init__(self, message: str, found: str, remedy: str) -> None:
        super().__init__(message)
        self.message, self.found, self.remedy = message, found, remedy


def read_csv(file: ResolvedFile, content: io.RawIOBase) -> pl.DataFrame:
    """Give all columns as text, as they stand in the file; blank lines are no rows.

    Raises
    ------
    DataError
        text that is not UTF-8, NUL bytes, ragged or cut-off rows, repeated or empty names
    """
    # bytes that are not UTF-8 pass as lone surrogates, so that their row can be told
    stream = io.TextIOWrapper(
        io.BufferedReader(content), encoding="utf-8-sig", errors="surrogateescape", newline=""
    )
    csv.field_size_limit(MOST_CELL)
    reader = csv.reader(_lines(stream), strict=True)
    rows = (row for row in reader if row)
    names: list[str] = []
    batches: list[pl.DataFrame] = []
    done: list[list[str]] = []
    count = 0
    try:
        names = [name.strip() for name in next(rows, ())]
        _check_header(file, names)
        while True:
            done = []
            for row in islice(rows, _BATCH):
                done.append(row)
                if len(row) != len(names):
                    raise _ragged(file, names, row, count + len(done))
            if not done:
                break
            count += len(done)
            check_rows(file, count)
            batches.append(_frame(names, done))
    except (csv.Error, _BadText) as error:
        place = f"row {count + len(done) + 1}" if names else "the first line"
        raise _malformed(file, error, place) from error
    return pl.concat(batches, rechunk=True) if batches else _frame(names, [])


def _frame(names: list[str], rows: list[list[str]]) -> pl.DataFrame:
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    return pl.DataFrame(
        [pl.Series(name, column, pl.String) for name, column in zip(names, columns, strict=True)]
    )


def _lines(stream: io.TextIOWrapper) -> Iterator[str]:
    """Lines with their ends; bytes that are no text are refused here."""
    for line in iter(partial(stream.readline, MOST_LINE + 1), ""):
        if len(line) > MOST_LINE:
            raise _BadText("the line is too long", "", f"at most {MOST_LINE:,} characters")
        if "\0" in line:
            raise _BadText(
                "the file holds NUL bytes", "", "save it as CSV in UTF-8; if it is cut off, "
                "copy it again",
            )  # fmt: skip
        if not line.isascii():
            _check_utf8(line)
        yield line


def _check_utf8(line: str) -> None:
    try:
        line.encode()
    except UnicodeEncodeError as error:
        byte = ord(line[error.start]) & 0xFF
        raise _BadText(
            "the file is not UTF-8", f"byte 0x{byte:02x}", "save it as CSV in UTF-8"
        ) from error


def _malformed(file: ResolvedFile, error: Exception, place: str) -> Exception:
    if isinstance(error, _BadText):
        return refusal(file, error.message, error.found, remedy=error.remedy, place=place)
    return refusal(
        file, "this is no well-formed CSV", str(error),
        remedy='quote text that holds commas or line ends, and double the " inside it',
        place=place,
    )  # fmt: skip


def _check_header(file: ResolvedFile, names: list[str]) -> None:
    check_names(file, names)
    if len(names) > 1:
        return
    for mark, word in _OTHER_SEPARATORS.items():
        if mark in names[0]:
            raise refusal(
                file, "columns are separated by commas", f"{word} in {shown(names[0])}",
                remedy="save it with commas",
            )  # fmt: skip


def _ragged(file: ResolvedFile, names: list[str], row: list[str], number: int) -> Exception:
    return refusal(
        file,
        "the row has another number of values than there are columns",
        f"{len(row)} values, the first {shown(row[0])}",
        f"{len(names)} values",
        "quote text that holds commas; a last row that is short means that the file is cut off",
        place=f"row {number}",
    )
