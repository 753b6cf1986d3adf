"""CSV and Parquet files, plain or gzipped, as columns of text with nothing guessed.

Every value stays the text that stands in the file: whether it is a number, a status or a name is
decided by intake, which knows the study. A file that is damaged, cut off or ragged is refused.
"""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import polars as pl

from audit.errors import DataError, Issue
from audit.spec.files import ResolvedFile
from audit.spec.showing import ascii_safe, shown

MOST_BYTES: Final = 4 * 1024**3
"""Of a file once unpacked."""
MOST_CELL: Final = 10_000_000
"""Characters of one value."""
MOST_COLUMNS: Final = 10_000
_ENDINGS: Final = (".csv", ".csv.gz", ".parquet", ".parquet.gz")
_OTHER_SEPARATORS: Final = {";": "a semicolon", "\t": "a tab", "|": "a bar"}


@dataclass(frozen=True)
class RawTable:
    """One file's rows as text; data row n (from 1) is at place n - 1."""

    file: str
    """As declared."""
    frame: pl.DataFrame
    """All columns `String`, named as in the file; empty text is null."""


def read_table(file: ResolvedFile) -> RawTable:
    """Read one CSV or Parquet file.

    Raises
    ------
    DataError
        damaged, cut off or ragged files, text that is not UTF-8, repeated or empty column names
    """
    name = file.declared.lower()
    if not name.endswith(_ENDINGS):
        raise _refusal(file, "this kind of file is not read", allowed=", ".join(_ENDINGS))
    try:
        content = _Limited(file, name.endswith(".gz"))
        with content:
            frame = _parquet(file, content) if ".parquet" in name[-11:] else _csv(file, content)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise _refusal(
            file, "the gzip file is damaged or cut off", str(error), remedy="copy it again"
        ) from error
    except OSError as error:
        raise _refusal(file, "the file cannot be read", str(error.strerror or error)) from error
    return RawTable(file.declared, _plain(frame))


def _plain(frame: pl.DataFrame) -> pl.DataFrame:
    """Values without blanks around them; empty text is null."""
    stripped = pl.all().str.strip_chars()
    return frame.select(pl.when(stripped != "").then(stripped).name.keep())


def _refusal(
    file: ResolvedFile,
    message: str,
    found: str = "",
    allowed: str = "",
    remedy: str = "",
    row: int | None = None,
) -> DataError:
    path = "" if row is None else f"row {row}"
    return DataError(
        [Issue(ascii_safe(file.declared), 0, 0, path, message, found, allowed, remedy)]
    )


class _Limited(io.RawIOBase):
    """A file's bytes, unpacked, refused beyond `MOST_BYTES`."""

    def __init__(self, file: ResolvedFile, packed: bool) -> None:
        super().__init__()
        self._file = file
        self._held = _opened(file.path, packed)
        self._left = MOST_BYTES

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._held.close()
        super().close()

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        content = self._held.read(len(buffer))
        self._left -= len(content)
        if self._left < 0:
            raise _refusal(
                self._file,
                f"the file holds more than {MOST_BYTES:,} bytes",
                remedy="split it, or keep only the columns that are needed",
            )
        buffer[: len(content)] = content
        return len(content)


def _opened(path: Path, packed: bool) -> io.BufferedIOBase:
    return gzip.open(path, "rb") if packed else path.open("rb")


# -------------------------------------------------------------------------------------------- csv


def _csv(file: ResolvedFile, content: _Limited) -> pl.DataFrame:
    stream = io.TextIOWrapper(io.BufferedReader(content), encoding="utf-8-sig", newline="")
    csv.field_size_limit(MOST_CELL)
    reader = csv.reader(stream, strict=True)
    count = 0
    try:
        names = next((row for row in reader if row), None)
        names = [name.strip() for name in names or ()]
        _check_names(file, names)
        columns: list[list[str]] = [[] for _ in names]
        for row in reader:
            if not row:
                continue
            count += 1
            _check_width(file, names, row, count)
            for column, value in zip(columns, row, strict=True):
                column.append(value)
    except UnicodeDecodeError as error:
        raise _refusal(
            file,
            "the file is not UTF-8",
            f"byte 0x{error.object[error.start]:02x} after {count} rows",
            remedy="save it as CSV in UTF-8",
        ) from error
    except csv.Error as error:
        raise _refusal(
            file,
            "this is no well-formed CSV",
            str(error),
            remedy='quote text that holds commas or line ends, and double the " inside it',
            row=count + 1,
        ) from error
    return pl.DataFrame(
        {
            name: pl.Series(name, column, pl.String)
            for name, column in zip(names, columns, strict=True)
        }
    )


def _check_names(file: ResolvedFile, names: list[str]) -> None:
    if not names:
        raise _refusal(file, "the file is empty", remedy="its first line names the columns")
    if len(names) > MOST_COLUMNS:
        raise _refusal(file, "too many columns", f"{len(names):,}", f"at most {MOST_COLUMNS:,}")
    seen: set[str] = set()
    for place, name in enumerate(names, start=1):
        if name in seen:
            raise _refusal(
                file, "two columns have one name", shown(name), remedy="give each its own name"
            )
        seen.add(name)
        if not name.strip() and len(names) > 1 and place > 1:
            raise _refusal(file, f"column {place} has no name", remedy="name it in the first line")
    if len(names) == 1:
        for mark, word in _OTHER_SEPARATORS.items():
            if mark in names[0]:
                raise _refusal(
                    file,
                    "columns are separated by commas",
                    f"{word} in {shown(names[0])}",
                    remedy="save it with commas",
                )


def _check_width(file: ResolvedFile, names: list[str], row: list[str], number: int) -> None:
    if len(row) != len(names):
        raise _refusal(
            file,
            "the row has another number of values than there are columns",
            f"{len(row)} values, the first {shown(row[0])}",
            f"{len(names)} values",
            "quote text that holds commas; a last row that is short means that the file is cut off",
            row=number,
        )


# ---------------------------------------------------------------------------------------- parquet


def _parquet(file: ResolvedFile, content: _Limited) -> pl.DataFrame:
    try:
        frame = pl.read_parquet(io.BytesIO(io.BufferedReader(content).read()))
    except pl.exceptions.PolarsError as error:
        raise _refusal(
            file, "this is no whole Parquet file", _first_line(error), remedy="copy it again"
        ) from error
    _check_names(file, frame.columns)
    return pl.DataFrame([_as_text(column) for column in _usable(frame)])


def _usable(frame: pl.DataFrame) -> Iterator[pl.Series]:
    """Columns whose values are single; lists and structures cannot be named by a study."""
    for column in frame.iter_columns():
        if not (column.dtype.is_nested() or column.dtype in (pl.Binary, pl.Object)):
            yield column


def _as_text(column: pl.Series) -> pl.Series:
    """Values as a CSV would write them; floats in the shortest form that gives them back."""
    if column.dtype.is_float():
        texts = [None if value is None else repr(value) for value in column.to_list()]
        return pl.Series(column.name, texts, pl.String)
    if column.dtype == pl.Datetime or column.dtype == pl.Date:
        texts = [None if value is None else value.isoformat() for value in column.to_list()]
        return pl.Series(column.name, texts, pl.String)
    return column.cast(pl.String)


def _first_line(error: Exception) -> str:
    return shown(str(error).splitlines()[0] if str(error) else type(error).__name__)
