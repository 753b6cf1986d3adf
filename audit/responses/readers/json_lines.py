"""JSON and JSON lines, strictly: UTF-8, whole objects, no key twice, within limits."""

from __future__ import annotations

import gzip
import io
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, Final

from audit.responses.readers.raw import MOST_ROWS, refusal
from audit.responses.readers.table import MOST_BYTES
from audit.spec.files import ResolvedFile
from audit.spec.showing import shown

MOST_LINE: Final = 32 * 1024**2
"""Bytes of one line."""
MOST_DOCUMENT: Final = 64 * 1024**2
"""Bytes of a file that is one JSON object, once unpacked: it is held in memory as a whole."""
_BOM: Final = b"\xef\xbb\xbf"
_CUT_OFF: Final = "copy it again; it may be cut off"
_HALF_CHARACTER: Final = re.compile(r"\\u[dD][89a-fA-F]")
"""An escape that may be half a character, which no text can hold."""

Object = dict[str, Any]


class _KeyTwice(Exception):
    """A key that stands twice in one object: which value is meant cannot be told."""


def json_lines(file: ResolvedFile) -> Iterator[tuple[int, Object]]:
    """Give the objects of a JSON lines file, one at a time, with their rows from 1.

    Blank lines are no rows.

    Raises
    ------
    DataError
        text that is not UTF-8, NUL bytes, lines that are too long or no whole JSON object, keys
        that stand twice, a damaged gzip file
    """
    row = 0
    for line in _lines(file):
        if not line.strip():
            continue
        row += 1
        place = f"row {row}"
        if row == 1 and line.lstrip().startswith(b"["):
            raise refusal(
                file, "the file is one JSON list, not one object per line", place=place,
                remedy="write one object per line, as lm_eval 0.4.3 and newer do",
            )  # fmt: skip
        yield row, _object(file, line, place)


def json_document(file: ResolvedFile) -> Object:
    """Give a file that is one JSON object.

    Raises
    ------
    DataError
        as for lines; more than `MOST_DOCUMENT` bytes
    """
    with opened(file) as content:
        raw = content.read(MOST_DOCUMENT + 1)
    if len(raw) > MOST_DOCUMENT:
        raise refusal(
            file, f"the file holds more than {MOST_DOCUMENT:,} bytes",
            remedy="name the results file that lm_eval wrote, without samples in it",
        )  # fmt: skip
    return _object(file, raw.removeprefix(_BOM), "")


def _lines(file: ResolvedFile) -> Iterator[bytes]:
    left = MOST_BYTES
    with opened(file) as content:
        for number in count(1):
            line = content.readline(MOST_LINE + 1)
            left -= len(line)
            if len(line) > MOST_LINE:
                raise refusal(
                    file, f"line {number} is too long", allowed=f"at most {MOST_LINE:,} bytes",
                    remedy="leave out fields that are not needed, such as resps",
                )  # fmt: skip
            if left < 0 or number > MOST_ROWS:
                raise refusal(
                    file, "the file is too large",
                    allowed=f"{MOST_BYTES:,} bytes in {MOST_ROWS:,} lines", remedy="split it",
                )  # fmt: skip
            if not line:
                return
            yield line.removeprefix(_BOM) if number == 1 else line


@contextmanager
def opened(file: ResolvedFile) -> Iterator[io.BufferedIOBase]:
    """A file's bytes, unpacked; damage that shows while it is read is refused."""
    try:
        with (
            gzip.open(file.path, "rb")
            if file.declared.lower().endswith(".gz")
            else file.path.open("rb")
        ) as content:
            yield io.BufferedReader(content)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise refusal(
            file, "the gzip file is damaged or cut off", str(error), remedy="copy it again"
        ) from error
    except OSError as error:
        raise refusal(file, "the file cannot be read", str(error.strerror or error)) from error


def _object(file: ResolvedFile, raw: bytes, place: str) -> Object:
    if b"\0" in raw:
        raise refusal(file, "the file holds NUL bytes", remedy=_CUT_OFF, place=place)
    try:
        value = _parsed(raw.decode())
    except UnicodeDecodeError as error:
        raise refusal(
            file, "the file is not UTF-8", f"byte 0x{raw[error.start]:02x}",
            remedy="save it in UTF-8", place=place,
        ) from error  # fmt: skip
    except _KeyTwice as error:
        raise refusal(
            file, "a key stands twice in one object", shown(str(error)),
            remedy="leave one of them", place=place,
        ) from error  # fmt: skip
    except RecursionError as error:
        raise refusal(file, "the values are nested too deep", place=place) from error
    except json.JSONDecodeError as error:
        raise refusal(
            file, "this is no whole JSON object",
            f"{error.msg} at character {error.pos + 1:,}", remedy=_CUT_OFF, place=place,
        ) from error  # fmt: skip
    except ValueError as error:
        raise refusal(file, "a number has too many digits", place=place) from error
    if not isinstance(value, dict):
        raise refusal(file, "this is no JSON object", shown(value), place=place)
    return value


def _parsed(text: str) -> Any:
    """The value of a JSON text; halves of characters become question marks."""
    value = json.loads(text, object_pairs_hook=_once)
    if _HALF_CHARACTER.search(text):
        written = json.dumps(value, ensure_ascii=False).encode("utf-8", errors="replace")
        value = json.loads(written)
    return value


def _once(pairs: list[tuple[str, Any]]) -> Object:
    found = dict(pairs)
    if len(found) < len(pairs):
        times = Counter(key for key, _ in pairs)
        raise _KeyTwice(times.most_common(1)[0][0])
    return found
