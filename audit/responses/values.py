"""Text to numbers, statuses and dates: what is not exactly one of them is refused with its row."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Iterable, Mapping
from typing import Final, get_args

import polars as pl

from audit.responses.columns import AMOUNTS, WHOLE
from audit.responses.problems import Problems
from audit.spec.models import Status
from audit.spec.plan import MetricSlice
from audit.spec.showing import choices, closest, shown

LONGEST_NAME: Final = 1000
"""Characters of an id or a name in a data file."""
_NUMBER: Final = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_YES_NO: Final = {"true": 1.0, "false": 0.0, "True": 1.0, "False": 0.0}
_STATUSES: Final = get_args(Status)
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MOST_WHOLE: Final = 2**53


def numbers(column: pl.Series) -> pl.Series:
    """Finite decimal numbers; null where the text is none."""
    found = column.cast(pl.Float64, strict=False)
    found = found.set(found == 0, 0.0)  # -0 is 0
    return found.set(~(column.str.contains(_NUMBER) & found.is_finite()), None)


def _bad(frame: pl.DataFrame, column: str, wrong: pl.Series) -> list[tuple[int, str]]:
    """(row, text) of the wrong values."""
    if not wrong.any():
        return []
    return list(frame.filter(wrong).select("row", column).iter_rows())


def parse_scores(
    frame: pl.DataFrame, metric: MetricSlice, file: str, problems: Problems
) -> pl.DataFrame:
    """Score and status of one metric, one row per row of the frame.

    Values that the metric maps are compared as text, then as numbers: "-1" also is -1.0. The key ""
    stands for no value.

    Returns
    -------
    Columns `score` (null without one) and `status` (null where the text says none: a status that
    the metric maps a value to, else null).
    """
    name = f"score.{metric.id}"
    column = metric.column or metric.id
    mapped = {key.strip(): value for key, value in metric.values.items()}
    text = frame[name].fill_null("") if "" in mapped else frame[name]
    number = numbers(text)
    meaning = _meaning(text, number, mapped, metric.kind)
    is_number = number.is_not_null() & ~text.is_in(list(meaning))
    score = text.replace_strict(
        {key: value for key, value in meaning.items() if isinstance(value, float)},
        default=number.set(~is_number, None), return_dtype=pl.Float64,
    )  # fmt: skip
    status = text.replace_strict(
        {key: value for key, value in meaning.items() if isinstance(value, str)},
        default=None, return_dtype=pl.String,
    )  # fmt: skip
    unread = text.is_not_null() & score.is_null() & status.is_null()
    for row, value in _bad(frame, name, unread):
        problems.add(
            file, "the score is no number", shown(value), row=row, column=column,
            allowed=_allowed(metric), remedy=_hint(value, metric),
        )  # fmt: skip
    outside = _outside(score, metric)
    for row, value in _bad(frame, name, outside):
        problems.add(
            file, "the score lies outside of the metric's range", shown(value), row=row,
            column=column, allowed=_allowed(metric), remedy=_range_hint(score, metric),
        )  # fmt: skip
    return pl.DataFrame({"score": score, "status": status})


def _meaning(
    text: pl.Series, number: pl.Series, mapped: Mapping[str, float | str], kind: str
) -> dict[str, float | str]:
    """{text that occurs: number or status} where the text is not simply the number that it says."""
    by_number = {said: value for key, value in mapped.items() if (said := _number(key)) is not None}
    special = number.is_null() | text.is_in(list(mapped)) | number.is_in(list(by_number))
    read = pl.DataFrame({"text": text, "number": number}).filter(special & text.is_not_null())
    found: dict[str, float | str] = {}
    for key, said in read.unique().iter_rows():
        meaning = mapped.get(key)
        if meaning is None and said is not None:
            meaning = by_number.get(said)
        if meaning is None and kind == "binary":
            meaning = _YES_NO.get(key)
        if meaning is not None:
            found[key] = float(meaning) if isinstance(meaning, int | float) else meaning
    return found


def _number(text: str) -> float | None:
    found: list[float | None] = numbers(pl.Series([text])).to_list()
    return found[0]


def _outside(score: pl.Series, metric: MetricSlice) -> pl.Series:
    """Whether each score is impossible for the metric."""
    if metric.kind == "binary":
        return ((score != 0) & (score != 1)).fill_null(value=False)
    if metric.lower is None or metric.upper is None:
        return pl.Series([False] * len(score), dtype=pl.Boolean)
    return ((score < metric.lower) | (score > metric.upper)).fill_null(value=False)


def _allowed(metric: MetricSlice) -> str:
    if metric.kind == "binary":
        return "0 or 1"
    if metric.lower is None or metric.upper is None:
        return "a number"
    return f"a number from {metric.lower:g} to {metric.upper:g}"


def _hint(value: str, metric: MetricSlice) -> str:
    if value.endswith("%"):
        return "write the number without %, and declare range: [0, 100]"
    if value.count(",") == 1 and _number(value.replace(",", ".")) is not None:
        return "write a decimal point"
    return f"say what it means: metrics: {{{metric.id}: {{values: {{{shown(value)}: not_run}}}}}}"


def _range_hint(score: pl.Series, metric: MetricSlice) -> str:
    top = score.max()
    if metric.upper == 1 and isinstance(top, float) and 1 < top <= 100:
        if metric.kind == "binary":
            return "declare kind: proportion, or range: [0, 100] if these are percent"
        return "declare range: [0, 100] if these are percent, or map values that are no scores"
    if metric.kind == "binary":
        return "declare kind: proportion for shares, or map values that are no scores"
    return "declare the range of the metric, or map values that are no scores to a status"


def parse_status(frame: pl.DataFrame, column: str, file: str, problems: Problems) -> None:
    """Refuse words that are no status."""
    wrong = frame["status"].is_not_null() & ~frame["status"].is_in(list(_STATUSES))
    for row, value in _bad(frame, "status", wrong):
        near = closest(value, _STATUSES)
        problems.add(
            file, "no such status", shown(value), row=row, column=column,
            allowed=choices(_STATUSES),
            remedy=f"map it: values: {{status: {{{shown(value)}: {near or 'error'}}}}}",
        )  # fmt: skip


def parse_amounts(
    frame: pl.DataFrame, names: Mapping[str, str], file: str, problems: Problems
) -> pl.DataFrame:
    """Whole numbers and amounts as numbers; what is none is noted.

    Parameters
    ----------
    names : {canonical column: column in the file}
    """
    made = []
    for key in (*WHOLE, *AMOUNTS):
        if frame[key].null_count() == len(frame):
            made.append(frame[key].cast(pl.Int64 if key in WHOLE else pl.Float64))
            continue
        number = numbers(frame[key])
        low = 1 if key == "samples" else 0
        high = 1.0 if key == "confidence" else _MOST_WHOLE if key in WHOLE else math.inf
        wrong = number.is_null() | (number < low) | (number > high)
        allowed = f"a number from {low}" + (f" to {high:g}" if key == "confidence" else " up")
        if key in WHOLE:
            wrong = wrong | (number != number.floor())
            allowed = f"a whole number from {low} up"
        wrong = wrong.fill_null(value=True) & frame[key].is_not_null()
        for row, value in _bad(frame, key, wrong):
            column = names.get(key, key)
            problems.add(
                file, f"this is no {key}", shown(value), row=row, column=column, allowed=allowed,
                remedy="correct it, or map another column",
            )  # fmt: skip
        kept = number.set(wrong, None)
        made.append(kept.cast(pl.Int64) if key in WHOLE else kept)
    return frame.with_columns(made)


def parse_dates(frame: pl.DataFrame, column: str, file: str, problems: Problems) -> pl.DataFrame:
    """Dates with dashes, also where a file leaves them out; what is no ISO date is noted."""
    frame = frame.with_columns(
        pl.col("date").str.replace("^([0-9]{4})([0-9]{2})([0-9]{2})$", "${1}-${2}-${3}")
    )
    distinct = frame["date"].drop_nulls().unique(maintain_order=True).to_list()
    wrong = [text for text in distinct if when(text) is None]
    for row, value in _bad(frame, "date", frame["date"].is_in(wrong)):
        problems.add(
            file, "this is no ISO date", shown(value), row=row, column=column,
            allowed="2026-01-31, 2026-01-31T12:00:00Z", remedy="write year-month-day",
        )  # fmt: skip
    return frame


def when(text: str) -> datetime.datetime | None:
    """Read an ISO date or date-time; without a zone it is UTC, a date is its first moment."""
    if not _DAY.match(text):
        return None
    try:
        found = datetime.datetime.fromisoformat(text)
        return found if found.tzinfo is not None else found.replace(tzinfo=datetime.UTC)
    except ValueError:
        return None


def check_names(
    frame: pl.DataFrame, names: Mapping[str, str], file: str, problems: Problems
) -> None:
    """Refuse names too long to be shown, and rows without an item."""
    texts = ("system", "item", "variant", "task", "cluster", "label", "item_hash")
    check_lengths(frame, texts, names, file, problems)
    for row, _ in _bad(frame, "item", frame["item"].is_null()):
        problems.add(
            file, "the row names no item", row=row, column=names.get("item", "item"),
            remedy="give it the item's id, or leave the row out by rows: {…}",
        )  # fmt: skip


def check_lengths(
    frame: pl.DataFrame,
    texts: Iterable[str],
    names: Mapping[str, str],
    file: str,
    problems: Problems,
) -> None:
    """Refuse names too long to be shown."""
    for key in texts:
        wrong = (frame[key].str.len_chars() > LONGEST_NAME).fill_null(value=False)
        for row, value in _bad(frame, key, wrong):
            problems.add(
                file, f"the {key} is longer than {LONGEST_NAME:,} characters",
                f"{len(value):,}: {shown(value)}", row=row, column=names.get(key, key),
                remedy="use a short id; long texts belong into the item table",
            )  # fmt: skip
