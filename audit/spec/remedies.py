"""What was probably meant: numbers in other notations, dates, keys that stand too far left."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from typing import Any

from audit.spec.showing import Path

COMMA = "a comma inside { } begins a new key: quote the text that holds it"
NUMBER_COMMA = "a comma inside { } begins a new key: write numbers without commas"
BY_ID = "write each entry under its id, without a dash: `id: {…}`"
BY_KEY = "write `key: value`, without a dash"

_PLAIN = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_PERCENT = re.compile(r"([-+]?\d+([.,]\d+)?)\s*%")
_FRACTION = re.compile(r"(\d{1,9})\s*/\s*(\d{1,9})")
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+")
_GROUPED = re.compile(r"\d{1,3}(?:[ _'.,\u00a0\u202f]\d{3})+")
_YEAR_FIRST = re.compile(r"(\d{4})[-/. ]?(\d{1,2})[-/. ]?(\d{1,2})(?:[T ].*)?")
_YEAR_LAST = re.compile(r"\d{1,2}[-/. ]\d{1,2}[-/. ]\d{2,4}")

_IN_UNIT_OF_A_METRIC = frozenset(
    {
        "smallest_difference", "expected_effect", "bound", "at_least", "at_most", "better_by",
        "worse_by_at_most", "within", "stop_if_worse_by",
    }
)  # fmt: skip
_MAPPINGS = frozenset(
    {
        "decision", "fixed", "workload", "tasks", "defaults", "systems", "match", "tuning",
        "tested", "deployed", "bridges", "sources", "columns", "values", "rows", "scores",
        "task_review", "metrics", "unscored", "variants", "preserved", "failures", "claims",
        "asserted_by",
    }
)  # fmt: skip
"""Keys that hold a mapping."""


def number_meant(text: str, path: Path, *, whole: bool = False) -> str:
    """What to write instead of a text that stands for a number; nothing where that is not clear."""
    text = text.strip()
    if len(text) > 40:
        return ""
    if _PLAIN.fullmatch(text):
        return f"write {text} without quotes"
    found = _PERCENT.fullmatch(text)
    if found is not None:
        percent = float(found.group(1).replace(",", "."))
        key = next((one for one in reversed(path) if isinstance(one, str)), "")
        other = f", or {percent:g} for a metric in percent" if key in _IN_UNIT_OF_A_METRIC else ""
        return f"write {percent / 100:.12g}{other}"
    found = _FRACTION.fullmatch(text)
    if found is not None and int(found.group(2)):
        return f"write {int(found.group(1)) / int(found.group(2)):.6g}"
    grouped = re.sub(r"\D", "", text) if _GROUPED.fullmatch(text) else ""
    if grouped and (whole or "," not in text):
        return f"write {grouped}"
    if _DECIMAL_COMMA.fullmatch(text) and not whole:
        point = text.replace(",", ".")
        return f"write {point}, or {grouped}" if grouped else f"write {point}"
    return ""


def date_meant(value: Any) -> str:
    """A date as it must be written, from one in another order or notation."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    text = str(value).strip()
    found = _YEAR_FIRST.fullmatch(text[:40])
    if found is not None:
        try:
            return f"write {datetime.date(*map(int, found.groups())).isoformat()}"
        except ValueError:
            return ""
    return "write the year first, then month and day" if _YEAR_LAST.fullmatch(text) else ""


def switch_meant(text: str) -> str:
    """True or false, from the words that people use for them."""
    for meant, words in (("true", ("yes", "on", "y")), ("false", ("no", "off", "n"))):
        if text.strip().lower() in (*words, meant):
            return f"write {meant}"
    return ""


def limit_meant(kind: str, found: Any, path: Path) -> str:
    """What to do about a number beyond its limit."""
    if isinstance(found, bool) or not isinstance(found, int | float) or not path:
        return ""
    if kind.startswith("less_than") and 2 <= found <= 100:
        return f"write {found / 100:.12g}: a share, not percent"
    if kind.startswith("greater_than") and found < 0:
        if path[-1] == "better_by":
            return f"write worse_by_at_most: {-found:g}, if a loss of that size would do"
        if path[-1] in ("worse_by_at_most", "within", "stop_if_worse_by"):
            return f"write {-found:g}: the bar says the direction"
    return ""


def belongs_below(value: Any, key: str, known: tuple[str, ...]) -> str:
    """The empty mapping right above a key that is unknown where it stands."""
    above = ""
    for one, held in value.items() if isinstance(value, Mapping) else ():
        if one == key:
            return f"indent it below {above}" if above else ""
        if one in known:
            above = one if held is None and one in _MAPPINGS else ""
    return ""
