"""Sentences as parts: our words, numbers with their ids, and the author's words."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_MARKS_IN_A_ROW = 2


@dataclass(frozen=True)
class Num:
    """A number as printed, with the id of the result that it comes from."""

    text: str
    id: str


@dataclass(frozen=True)
class Quote:
    """The author's words, printed between quotation marks."""

    text: str


Part = str | Num | Quote
Words = tuple[Part, ...]


def visible(text: str) -> str:
    """Outside text on one line, with everything that could hide or reorder it made visible.

    Control, format (also bidirectional), private, unassigned and surrogate characters become
    their code points (`\\u202e`); white space becomes one space; from the third combining mark in
    a row on, marks are spelled out too.
    """
    out: list[str] = []
    marks = 0
    for char in " ".join(text.split()):
        category = unicodedata.category(char)
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if category in _HIDDEN or marks > _MARKS_IN_A_ROW:
            code = ord(char)
            out.append(f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")
        else:
            out.append(char)
    return "".join(out)


def clip(text: str, limit: int) -> str:
    """Outside text made visible and cut at a word to at most `limit` characters."""
    shown = visible(text[: 4 * limit + 4])
    if len(shown) <= limit and len(text) <= 4 * limit + 4:
        return shown
    head = shown[: limit - 1]
    word_end = head.rfind(" ")
    if word_end > limit // 2:
        head = head[:word_end]
    return head.rstrip() + "…"


def listed(items: Sequence[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"


def listed_clipped(items: Sequence[str], limit: int, last: str = "and") -> str:
    """As `listed`, but at most `limit` items and the number of the others."""
    if len(items) <= limit:
        return listed(items, last)
    return listed([*items[: limit - 1], f"{len(items) - limit + 1} more"], last)


def plain(words: Iterable[Part]) -> str:
    """The sentence as text."""
    out = []
    for part in words:
        if isinstance(part, Num):
            out.append(part.text)
        elif isinstance(part, Quote):
            out.append(f"“{part.text}”")
        else:
            out.append(part)
    return "".join(out)


def sentence_case(text: str) -> str:
    """The first letter large, the rest as it is."""
    return text[:1].upper() + text[1:]


def capital(words: Words) -> Words:
    """A sentence with a large first letter, where it begins with our own words."""
    if words and isinstance(words[0], str):
        return (sentence_case(words[0]), *words[1:])
    return words
