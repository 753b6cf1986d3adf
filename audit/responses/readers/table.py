"""CSV and Parquet files, plain or gzipped, as columns of text with nothing guessed.

Every value stays the text that stands in the file: whether it is a number, a status or a name is
decided by intake, which knows the study. A file that is damaged, cut off or ragged is refused.
"""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path
from typing import Final

from audit.responses.readers.csv_text import plain, read_csv
from audit.responses.readers.parquet import read_parquet
from audit.responses.readers.raw import RawTable, refusal
from audit.spec.files import ResolvedFile

MOST_BYTES: Final = 4 * 1024**3
"""Of a file once unpacked."""
_ENDINGS: Final = (".csv", ".csv.gz", ".parquet", ".parquet.gz")


def read_table(file: ResolvedFile) -> RawTable:
    """Read one CSV or Parquet file.

    Raises
    ------
    DataError
        damaged, cut off or ragged files, text that is not UTF-8, repeated or empty column names
    """
    name = file.declared.lower()
    if not name.endswith(_ENDINGS):
        raise refusal(file, "this kind of file is not read", allowed=", ".join(_ENDINGS))
    unreadable: dict[str, str] = {}
    try:
        with _Limited(file, name.endswith(".gz")) as content:
            if name.removesuffix(".gz").endswith(".parquet"):
                frame, unreadable = read_parquet(file, io.BufferedReader(content).read())
                frame = plain(frame)
            else:
                frame = read_csv(file, content)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise refusal(
            file, "the gzip file is damaged or cut off", str(error), remedy="copy it again"
        ) from error
    except OSError as error:
        raise refusal(file, "the file cannot be read", str(error.strerror or error)) from error
    return RawTable(file.declared, frame, unreadable)


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
            raise refusal(
                self._file,
                f"the file holds more than {MOST_BYTES:,} bytes",
                remedy="split it, or keep only the columns that are needed",
            )
        buffer[: len(content)] = content
        return len(content)


def _opened(path: Path, packed: bool) -> io.BufferedIOBase:
    return gzip.open(path, "rb") if packed else path.open("rb")
