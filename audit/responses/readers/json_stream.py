"""One large JSON object as a stream: its members one by one, long lists element by element."""

from __future__ import annotations

import codecs
import io
import json
from collections.abc import Iterator
from typing import Any, Final

_CHUNK: Final = 1 << 20
MOST_VALUE: Final = 1 << 28
"""Characters of one member, or one element of a list that is given element by element."""
_BLANK: Final = " \t\n\r"


class BadJson(Exception):
    """Why the text is no whole JSON object, and where."""

    def __init__(self, message: str, place: str, found: str = "") -> None:
        super().__init__(message)
        self.message, self.place, self.found = message, place, found


def members(
    content: io.BufferedIOBase, streamed: frozenset[str]
) -> Iterator[tuple[str, int | None, Any]]:
    """Give (key, None, value) of each member, and (key, number from 1, element) of streamed lists.

    NaN and infinities are numbers, as harnesses write them. A streamed member that is no list is
    given as a member.

    Raises
    ------
    BadJson
        text that is not UTF-8, cut off, nested too deep, or no single object; a key that stands
        twice
    """
    text = _Text(content)
    text.expect("{", "the beginning")
    seen: set[str] = set()
    place = "the beginning"
    while (mark := text.peek(place)) != "}":
        if seen:
            text.expect(",", place)
        key = text.value("a key")
        if not isinstance(key, str):
            raise BadJson("a key is no text", place)
        if key in seen:
            raise BadJson("a key stands twice in one object", place, key)
        seen.add(key)
        place = f"after {key[:40]}"
        text.expect(":", place)
        if key in streamed and text.peek(place) == "[":
            for number, element in enumerate(_elements(text, key), start=1):
                yield key, number, element
        else:
            yield key, None, text.value(key[:40])
        mark = text.peek(place)
        if mark not in ",}":
            raise BadJson("this is no whole JSON object", place, mark)
    text.expect("}", place)
    text.end()


def _elements(text: _Text, key: str) -> Iterator[Any]:
    text.expect("[", key)
    number = 0
    while text.peek(f"{key} {number}") != "]":
        if number:
            text.expect(",", f"{key} {number}")
        number += 1
        yield text.value(f"{key} {number}")
    text.expect("]", key)


class _Text:
    """Characters of a file, as many as the next value takes."""

    def __init__(self, content: io.BufferedIOBase) -> None:
        self._content = content
        self._decode = codecs.getincrementaldecoder("utf-8")().decode
        self._held = ""
        self._at = 0
        self._ended = False
        self._scan = json.JSONDecoder().raw_decode

    def _more(self, size: int, place: str) -> bool:
        """Hold more characters; False at the end of the file."""
        if self._ended:
            return False
        raw = self._content.read(size)
        self._ended = not raw
        try:
            new = self._decode(raw, final=self._ended)
        except UnicodeDecodeError as error:
            byte = error.object[error.start]
            raise BadJson("the file is not UTF-8", place, f"byte 0x{byte:02x}") from error
        if "\0" in new:
            raise BadJson("the file holds NUL bytes", place)
        self._held = self._held[self._at :] + new
        self._at = 0
        return True

    def peek(self, place: str) -> str:
        """The next character that is no blank."""
        while True:
            while self._at < len(self._held) and self._held[self._at] in _BLANK + "\ufeff":
                self._at += 1
            if self._at < len(self._held):
                return self._held[self._at]
            if not self._more(_CHUNK, place):
                raise BadJson("the file is cut off", place)

    def expect(self, mark: str, place: str) -> None:
        """Pass one character."""
        found = self.peek(place)
        if found != mark:
            raise BadJson("this is no whole JSON object", place, found)
        self._at += 1

    def value(self, place: str) -> Any:
        """The next value."""
        self.peek(place)
        size = _CHUNK
        while True:
            try:
                found, end = self._scan(self._held, self._at)
                # a number, or a word, may go on in what is not held yet
                if end < len(self._held) or not self._more(size, place):
                    self._at = end
                    return found
            except RecursionError as error:
                raise BadJson("the values are nested too deep", place) from error
            except json.JSONDecodeError as error:
                if not self._more(size, place):
                    raise BadJson("this is no whole JSON object", place, error.msg) from error
            except ValueError as error:
                raise BadJson("a number has too many digits", place) from error
            if len(self._held) > MOST_VALUE:
                raise BadJson("a value is too long", place, f"more than {MOST_VALUE:,} characters")
            size *= 2

    def end(self) -> None:
        """Nothing but blanks may follow."""
        while self._more(_CHUNK, "the end") or self._at < len(self._held):
            if self._held[self._at :].strip():
                raise BadJson("something stands behind the JSON object", "the end")
            self._at = len(self._held)
