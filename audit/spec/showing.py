"""How values, places and lists of choices read in a message: short, escaped, on one line."""

from __future__ import annotations

import difflib
import heapq
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from audit.spec.characters import is_id

Path = tuple[str | int, ...]
"""A place in a study: keys and list positions from the top."""

LONGEST = 80
"""Characters of a value in a message."""
_LOOKED_AT, _COMPARED = 1_000, 10
"""Names of which one may have been meant, and the nearest of these that are compared closely."""


def shown(value: Any) -> str:
    """Show a value: text quoted and escaped, everything cut at 80 characters."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        inside = ", ".join(str(key) for key in list(value)[:5])
        return _cut(ascii_safe(f"a mapping with {inside}" if value else "an empty mapping"))
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}" if value else "an empty list"
    if isinstance(value, str):
        return '"' + _cut(ascii_safe(value[: LONGEST + 1])).replace('"', "'") + '"'
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return _cut(repr(value))


def ascii_safe(text: str) -> str:
    """Escape what is not printable (line ends, controls, direction marks), keep letters."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else repr(one)[1:-1] for one in text)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def place(path: Path) -> str:
    """Write a place: `claims.C1.criteria[0]`; keys that are no ids are quoted."""
    parts: list[str] = []
    for step in path:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif is_id(step):
            parts.append(f".{step}" if parts else step)
        else:
            parts.append(f".{shown(step)}" if parts else shown(step))
    return "".join(parts)


def choices(names: Iterable[str], most: int = 20) -> str:
    """List what is allowed, in the given order, at most `most` of them."""
    every = list(names)
    if not every:
        return "nothing is declared"
    listed = ", ".join(_cut(ascii_safe(str(one))) for one in every[:most])
    return listed + (f" and {len(every) - most} more" if len(every) > most else "")


def listed(names: Sequence[str]) -> str:
    """Join names as in a sentence: `a`, `a and b`, `a, b and c`."""
    every = [_cut(ascii_safe(name)) for name in names]
    if len(every) > 10:
        return f"{', '.join(every[:10])} and {len(every) - 10} more"
    return " and ".join([", ".join(every[:-1]), every[-1]] if len(every) > 1 else every)


def closest(name: str, known: Iterable[str], cutoff: float = 0.7) -> str | None:
    """Find the known name that was probably meant, if one is close (`cutoff` in 0..1)."""
    if len(name) > 100:
        return None
    others = (one for one in known if one != name and len(one) <= 200)
    some = islice(others, _LOOKED_AT)
    near = heapq.nlargest(_COMPARED, some, key=lambda one: _alike(name, one))
    found = difflib.get_close_matches(name, near, n=1, cutoff=cutoff)
    return found[0] if found else None


def _alike(one: str, other: str) -> int:
    """Characters that two names share at their beginnings and ends: quick, for one slip."""
    return _shared(one, other) + _shared(one[::-1], other[::-1])


def _shared(one: str, other: str) -> int:
    """Length of the common beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def did_you_mean(name: str, known: Iterable[str], cutoff: float = 0.7) -> str:
    """Give a suggestion as a remedy, or nothing."""
    found = closest(name, known, cutoff)
    return f"did you mean {ascii_safe(found)}?" if found else ""
