"""Parquet as columns of text: the values as a CSV would write them."""

from __future__ import annotations

import io

import polars as pl

from audit.responses.readers.raw import MOST_ROWS, check_names, check_rows, refusal
from audit.spec.files import ResolvedFile
from audit.spec.showing import shown

_DAMAGED = (pl.exceptions.PolarsError, pl.exceptions.PanicException)
"""What polars raises on damaged files; a panic is no `Exception`."""


def read_parquet(file: ResolvedFile, content: bytes) -> tuple[pl.DataFrame, dict[str, str]]:
    """Give the columns of single values as text, and what the other columns hold.

    Raises
    ------
    DataError
        damaged or cut-off files, too many rows or columns
    """
    try:
        frame = pl.read_parquet(io.BytesIO(content), n_rows=MOST_ROWS + 1)
    except _DAMAGED as error:
        raise refusal(
            file, "this is no whole Parquet file", _first_line(error), remedy="copy it again"
        ) from error
    check_names(file, frame.columns)
    check_rows(file, len(frame))
    texts: list[pl.Series] = []
    unreadable: dict[str, str] = {}
    for column in frame.iter_columns():
        held = _held(column.dtype)
        text = None if held else _as_text(column)
        if text is None:
            unreadable[column.name] = held or f"values that have no text ({column.dtype})"
        else:
            texts.append(text)
    return pl.DataFrame(texts), unreadable


def _held(kind: pl.DataType) -> str:
    """What a column holds, where no value of it can be named in a study."""
    if kind.is_nested():
        return "lists or structures"
    return "bytes" if kind == pl.Binary else ""


def _as_text(column: pl.Series) -> pl.Series | None:
    """Text of each value, floats in the shortest form that gives them back; None if there is none.

    A float of 32 bits becomes the decimal number that was meant (0.1), not the nearest of 64 bits.
    """
    try:
        if column.dtype in (pl.Datetime, pl.Date):
            texts = [None if value is None else value.isoformat() for value in column.to_list()]
            return pl.Series(column.name, texts, pl.String)
        return column.cast(pl.String)
    except (*_DAMAGED, ValueError, OverflowError):
        return None


def _first_line(error: BaseException) -> str:
    return shown(str(error).splitlines()[0] if str(error) else type(error).__name__)
