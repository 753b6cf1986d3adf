"""Samples of an Inspect log: one row per sample and epoch, one column per score."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import polars as pl

from audit.errors import DataError
from audit.io import digest
from audit.responses.columns import CANONICAL
from audit.responses.readers.raw import MOST_COLUMNS, MOST_ROWS, refusal
from audit.spec.files import ResolvedFile
from audit.spec.showing import shown

LONGEST_FIELD: Final = 200
"""Characters of a metadata value, and of a column's name."""
LONGEST_ID: Final = 100_000
LONGEST_TEXT: Final = 20_000
"""Characters of an input that is kept."""
MOST_TEXT: Final = 200_000_000
MOST_CELLS: Final = 100_000_000
WORDS: Final = {
    "C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0,
    **{form: 1.0 for word in ("yes", "true") for form in (word, word.title(), word.upper())},
    **{form: 0.0 for word in ("no", "false") for form in (word, word.title(), word.upper())},
}  # fmt: skip
"""What Inspect's `value_to_float` makes of words: correct, partial, incorrect, no answer."""
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_TIME_LIMITS: Final = ("time", "working")
_HALF: Final = re.compile("[\ud800-\udfff]")


class Samples:
    """What the samples of one log say; taken one by one, none is kept."""

    def __init__(self, file: ResolvedFile) -> None:
        self.file = file
        self.places: dict[tuple[str, int], int] = {}
        """{(sample id, epoch): place}; a sample that stands twice has its later places apart."""
        self.count = 0
        self.scores: dict[str, None] = {}
        self.texts: dict[str, str] = {}
        self.texts_left_out = 0
        self.retried = 0
        self.invalidated = 0
        self.values: dict[str, dict[str, list[float | None]]] = {}
        """{score: {sample id: values of its epochs}}, None for one without it."""
        self._columns: dict[str, list[str | None]] = {}
        self._unscored: dict[str, dict[int, str]] = {}
        self._length = 0

    # ----------------------------------------------------------------------------------- one sample

    def take(self, number: int, sample: Any) -> None:
        """Read one sample; `number` counts from 1.

        Raises
        ------
        DataError
            a sample without an id or with an epoch that is no number, values nested too deep
        """
        try:
            self._take(number, sample)
        except RecursionError as error:
            raise self._refusal(number, "the values are nested too deep") from error

    def _take(self, number: int, sample: Any) -> None:
        if not isinstance(sample, dict):
            raise self._refusal(number, "a sample is no object", shown(sample))
        name, epoch = self._identity(number, sample)
        if self.count == MOST_ROWS:
            raise self._refusal(number, f"the log has more than {MOST_ROWS:,} samples")
        place = self.count
        self.count += 1
        self.places.setdefault((name, epoch), place)
        self._put(number, "item", place, name)
        self._put(number, "attempt", place, str(epoch - 1))
        had = self._take_scores(number, place, name, _mapping(sample.get("scores")))
        self._put(number, "status", place, _status(sample, had=had))
        self._take_costs(number, place, sample)
        self._take_input(number, place, sample)
        for key, value in _mapping(sample.get("metadata")).items():
            text = text_of(value)
            if text is not None and len(text) <= LONGEST_FIELD:
                self._put(number, f"metadata.{key}", place, text)
        retries = sample.get("error_retries")
        self.retried += bool(isinstance(retries, list) and retries)
        self.invalidated += bool(sample.get("invalidation"))

    def _identity(self, number: int, sample: Mapping[str, Any]) -> tuple[str, int]:
        name, epoch = sample.get("id"), sample.get("epoch", 1)
        if isinstance(name, bool) or not isinstance(name, str | int) or not str(name).strip():
            raise self._refusal(number, "the sample has no id", shown(name), "text or a number")
        if isinstance(epoch, bool) or not isinstance(epoch, int) or not 1 <= epoch < 2**53:
            raise self._refusal(
                number, "the epoch is no number", shown(epoch), "a whole number from 1 up"
            )
        text = _whole(str(name).strip())
        if len(text) > LONGEST_ID:
            raise self._refusal(number, "the sample's id is too long", f"{len(text):,} characters")
        return text, epoch

    def _take_scores(self, number: int, place: int, name: str, scores: Mapping[str, Any]) -> bool:
        """Put down every score; whether there is any value among them."""
        had = False
        for scorer, score in scores.items():
            value = score.get("value") if isinstance(score, dict) else None
            if isinstance(value, dict):
                parts = {f"{scorer}.{key}": one for key, one in value.items()}
            elif isinstance(value, list):
                parts = {f"{scorer}.{at}": one for at, one in enumerate(value)}
            else:
                parts = {str(scorer): value}
            for part, one in parts.items():
                had = self._take_score(number, place, name, score_column(part), one) or had
        return had

    def _take_score(self, number: int, place: int, name: str, column: str, value: Any) -> bool:
        self.scores.setdefault(column)
        text = text_of(value)
        if text is not None and len(text) > LONGEST_FIELD:
            raise self._refusal(
                number, "a score is no single value", shown(text),
                remedy="give the scorer single values", place=f": {column[:40]}",
            )  # fmt: skip
        number_ = None if text is None else number_of(text)
        self.values.setdefault(column, {}).setdefault(name, []).append(number_)
        if text is None:
            if isinstance(value, float):
                self._unscored.setdefault(column, {})[place] = "error"
            return False
        self._put(number, column, place, text)
        return True

    def _take_costs(self, number: int, place: int, sample: Mapping[str, Any]) -> None:
        usage = [one for one in _mapping(sample.get("model_usage")).values() if _mapping(one)]
        inputs = ("input_tokens", "input_tokens_cache_write", "input_tokens_cache_read")
        for column, keys in (("tokens_in", inputs), ("tokens_out", ("output_tokens",)),
                             ("cost_usd", ("total_cost",))):  # fmt: skip
            amounts = [one[key] for one in usage for key in keys if _is_amount(one.get(key))]
            if amounts:
                total = math.fsum(amounts)
                self._put(number, column, place, repr(total) if column == "cost_usd"
                          else str(int(total)))  # fmt: skip
        if _is_amount(sample.get("total_time")):
            self._put(number, "latency_s", place, repr(float(sample["total_time"])))
        when = text_of(sample.get("completed_at")) or text_of(sample.get("started_at"))
        if when is not None and len(when) <= LONGEST_FIELD:
            self._put(number, "date", place, when)

    def _take_input(self, number: int, place: int, sample: Mapping[str, Any]) -> None:
        asked = sample.get("input")
        if isinstance(asked, list):
            asked = [
                [one.get("role"), one.get("content")] if isinstance(one, dict) else one
                for one in asked
            ]
        elif not isinstance(asked, str):
            return
        content = [asked, sample.get("choices"), sample.get("target")]
        written = json.dumps(content, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
        hashed = hashlib.sha256(written.encode()).hexdigest()[:16]
        self._put(number, "item_hash", place, hashed)
        text = _whole(asked if isinstance(asked, str) else _said(asked))
        if not text:
            return
        key = digest(text.encode())
        if key not in self.texts:
            held = self._length + len(text)
            if len(text) > LONGEST_TEXT or held > MOST_TEXT:
                self.texts_left_out += 1
                return
            self._length = held
            self.texts[key] = text
        self._put(number, "text", place, key)

    # ------------------------------------------------------------------------------------ the frame

    def _put(self, number: int, name: str, place: int, text: str) -> None:
        column = self._columns.get(name)
        if column is None:
            if len(name) > LONGEST_FIELD:
                raise self._refusal(number, "a field's name is too long", shown(name))
            column = self._columns.setdefault(_whole(name), [])
        columns = len(self._columns)
        if columns > MOST_COLUMNS or columns * (place + 1) > MOST_CELLS:
            raise self._refusal(
                number, "too many fields", f"{columns:,} in {place + 1:,} samples",
                f"at most {MOST_COLUMNS:,}, and {MOST_CELLS:,} values",
                "leave out metadata that is not needed",
            )  # fmt: skip
        column.extend([None] * (place + 1 - len(column)))
        column[place] = _whole(text)

    def frame(
        self, absent: Sequence[tuple[str, int]], constants: Mapping[str, str]
    ) -> tuple[pl.DataFrame, dict[str, str]]:
        """Columns as text, absent samples as not run, and {score: column of its own status}."""
        rows = self.count + len(absent)
        named = {
            "item": [name for name, _ in absent],
            "attempt": [str(epoch - 1) for _, epoch in absent],
            "status": ["not_run"] * len(absent),
        }
        series = []
        for name, column in self._columns.items():
            own = named.get(name, [])
            gap = [None] * (rows - len(column) - len(own))
            series.append(pl.Series(name, [*column, *gap, *own], pl.String))
        for name in named.keys() - self._columns.keys():
            series.append(pl.Series(name, named[name], pl.String))
        statuses = {}
        for name, marks in self._unscored.items():
            statuses[name] = f"status:{name}"
            marked = [marks.get(place) for place in range(rows)]
            series.append(pl.Series(statuses[name], marked, pl.String))
        have = {one.name for one in series}
        for name in self.scores:
            if name not in have:
                series.append(pl.Series(name, [None] * rows, pl.String))
        for name, text in constants.items():
            if name not in have:
                series.append(pl.Series(name, [text] * rows, pl.String))
        return pl.DataFrame(series), statuses

    def _refusal(
        self,
        number: int,
        message: str,
        found: str = "",
        allowed: str = "",
        remedy: str = "",
        place: str = "",
    ) -> DataError:
        return refusal(self.file, message, found, allowed, remedy, f"sample {number}{place}")


def score_column(name: str) -> str:
    """The column of a score: its scorer's name, unless that is a column of another meaning."""
    taken = name in CANONICAL or name == "text" or name.startswith("status:")
    return f"scorer.{name}" if taken else name


def number_of(text: str) -> float | None:
    """The number that Inspect makes of a score's text; None where it would warn and take 0."""
    if text in WORDS:
        return WORDS[text]
    value = float(text) if _NUMBER.fullmatch(text) else math.nan
    return value if math.isfinite(value) else None


def text_of(value: Any) -> str | None:
    """A single value as text; nothing, NaN, infinities, lists and structures are none."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) if abs(value) < 10**300 else None
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else None
    return value.strip() or None if isinstance(value, str) else None


def _status(sample: Mapping[str, Any], *, had: bool) -> str:
    """`error` if it failed, what limit stopped it, `refused` by a filter; `not_run` is unscored."""
    if sample.get("error"):
        return "error"
    limit = sample.get("limit")
    if limit:
        kind = _mapping(limit).get("type") if isinstance(limit, dict) else limit
        return "timeout" if kind in _TIME_LIMITS else "limit"
    if had:
        return "ok"
    choices = _mapping(sample.get("output")).get("choices")
    first = _mapping(choices[0]) if isinstance(choices, list) and choices else {}
    return "refused" if first.get("stop_reason") == "content_filter" else "not_run"


def _is_amount(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and 0 <= value < 1e15


def _said(messages: Sequence[Any]) -> str:
    """The texts of a list of messages."""
    lines = []
    for one in messages:
        content = one[1] if isinstance(one, list) and len(one) == 2 else one
        if isinstance(content, str):
            lines.append(content)
        elif isinstance(content, list):
            lines += [
                part["text"] for part in content if isinstance(_mapping(part).get("text"), str)
            ]
    return "\n".join(lines)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _whole(text: str) -> str:
    """Text without halves of characters, which no table can hold."""
    return _HALF.sub("?", text)
