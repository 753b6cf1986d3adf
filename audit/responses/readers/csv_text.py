"""CSV as columns of text: UTF-8, commas, one width, a first line of names.

A file without quotes, blanks at line ends or anything irregular is split by polars, which is fast
and forgiving; whether it is so regular is looked at before, and everything else is read line by
line, with the row of each mistake.
"""

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
_MOST_AT_ONCE: Final = MOST_LINE
"""Bytes of a regular file that are split in one go."""
_OTHER_SEPARATORS: Final = {";": "a semicolon", "\t": "a tab", "|": "a bar"}


class _BadText(Exception):
    """A line that is no text; its row is known to the caller only."""

    def __init__(self, message: str, found: str, remedy: str) -> None:
        super().__init__(message)
        self.message, self.found, self.remedy = message, found, remedy


def read_csv(file: ResolvedFile, content: io.RawIOBase) -> pl.DataFrame:
    """Give all columns as text without blanks around it, null where none is; no blank lines.

    Raises
    ------
    DataError
        text that is not UTF-8, NUL bytes, ragged or cut-off rows, repeated or empty names
    """
    buffered: io.BufferedIOBase = io.BufferedReader(content, 1 << 20)
    start = buffered.read(_MOST_AT_ONCE + 1)
    regular = _regular(file, start) if len(start) <= _MOST_AT_ONCE else None
    if regular is not None:
        return regular
    rest = io.BufferedReader(_Joined(start, buffered))
    # bytes that are not UTF-8 pass as lone surrogates, so that their row can be told
    stream = io.TextIOWrapper(rest, encoding="utf-8-sig", errors="surrogateescape", newline="")
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
    return plain(pl.concat(batches, rechunk=True) if batches else _frame(names, []))


def plain(frame: pl.DataFrame) -> pl.DataFrame:
    """Values without blanks around them; empty text is null."""
    stripped = pl.all().str.strip_chars()
    return frame.select(pl.when(stripped != "").then(stripped).name.keep())


class _Joined(io.RawIOBase):
    """Bytes that were read already, then those that were not."""

    def __init__(self, start: bytes, rest: io.BufferedIOBase) -> None:
        super().__init__()
        self._start = io.BytesIO(start)
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        return self._start.readinto(buffer) or self._rest.readinto(buffer)


_IRREGULAR: Final = (b'"', b"\0", b"\r", b"\n\n", b" ", b"\t", b"\v", b"\f")
"""What only the reader of lines understands, or what must be stripped."""


def _regular(file: ResolvedFile, content: bytes) -> pl.DataFrame | None:
    """Columns of a file that is nothing but lines of one width; None for any other."""
    head, _, body = content.removeprefix(b"\xef\xbb\xbf").partition(b"\n")
    if (
        not (head.isascii() and body.isascii() and body)
        or b'"' in head
        or any(one in body for one in _IRREGULAR)
        or body.startswith(b"\n")
        or max(len(head), len(body)) > MOST_LINE
    ):
        return None
    names = [one.strip() for one in head.decode().split(",")]
    lines = body.count(b"\n") + (not body.endswith(b"\n"))
    if len(names) == 1 or body.count(b",") != lines * (len(names) - 1):
        return None
    _check_header(file, names)
    check_rows(file, lines)
    columns = [str(at) for at in range(len(names))]
    try:
        # a line that is too long is refused here: with that many commas, none is too short
        frame = pl.read_csv(
            io.BytesIO(body), has_header=False, new_columns=columns, infer_schema=False,
            quote_char=None,
        )  # fmt: skip
    except pl.exceptions.PolarsError:
        return None
    if frame.shape != (lines, len(names)):
        return None
    if len(body) > MOST_CELL and any(
        (frame[one].str.len_bytes() > MOST_CELL).any() for one in columns
    ):
        return None
    return frame.rename(dict(zip(columns, names, strict=True)))


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
