"""Bytes to text: UTF-8 without what hides, moves or blinks; ids."""

from __future__ import annotations

import re
import unicodedata

from audit.errors import Issue, SpecError

MOST_BYTES = 1 << 20
"""Of a study, and of its system table."""

_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_ALLOWED_CONTROLS = "\t\n\r"
_UNSEEN = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029\ufeff\ufffe\uffff"
"""Marks that turn the direction of what follows, line ends that nobody sees, non-characters."""
_TAGS = range(0xE0000, 0xE0080)
"""Letters that are never drawn."""


def is_id(text: str) -> bool:
    """Whether a text is an id: letters, digits, `._-`, 1 to 64 of them."""
    return _ID.fullmatch(text) is not None


def is_forbidden(one: str) -> bool:
    """Whether a character may stand nowhere: controls, surrogates, what turns or hides text."""
    if " " <= one <= "~" or one in _ALLOWED_CONTROLS:
        return False
    if one in _UNSEEN or ord(one) in _TAGS:
        return True
    return unicodedata.category(one) in ("Cc", "Cs")


def forbidden_in(text: str) -> int | None:
    """Where the first character stands that may stand nowhere; None if there is none."""
    return next((at for at, one in enumerate(text) if is_forbidden(one)), None)


def named(one: str) -> str:
    """Name a character by its code point: `U+202E`."""
    return f"U+{ord(one):04X}"


def decode(content: bytes, file: str) -> str:
    """Read bytes as UTF-8, with or without a byte order mark.

    Raises
    ------
    SpecError
        for more than `MOST_BYTES`, other encodings and forbidden characters, with line and column
    """
    if len(content) > MOST_BYTES:
        raise too_large(file, len(content))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - content.rfind(b"\n", 0, error.start)
        byte = f"byte 0x{content[error.start]:02x}"
        message = "the file is not UTF-8"
        raise SpecError(
            [Issue(file, line, column, "", message, byte, remedy="save it as UTF-8")]
        ) from None
    at = forbidden_in(text)
    if at is not None:
        line = text.count("\n", 0, at) + 1
        column = at - text.rfind("\n", 0, at)
        message = "a control character"
        raise SpecError(
            [Issue(file, line, column, "", message, named(text[at]), remedy="remove it")]
        )
    return text


def too_large(file: str, size: int) -> SpecError:
    """Say that a file has more than `MOST_BYTES`."""
    message = "the file is too large"
    return SpecError([Issue(file, 0, 0, "", message, f"{size} bytes", f"at most {MOST_BYTES}")])
