"""Which rows the study keeps: by what stands in a column, never by how an answer came out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import polars as pl

from audit.responses.columns import CANONICAL, names_in
from audit.responses.problems import Problems
from audit.responses.readers.raw import RawTable
from audit.spec.plan import SourceSlice
from audit.spec.showing import choices, shown

_MOST_EXACT: Final = 2**53


def select_rows(
    rows: pl.DataFrame, files: Sequence[RawTable], slice_: SourceSlice, problems: Problems
) -> pl.DataFrame:
    """Rows that the study keeps; a wanted value that never occurs is noted."""
    named = ", ".join(one.file for one in files[:3])
    for key, wanted in slice_.rows.items():
        column = f"rows.{key}"
        for one in wanted if isinstance(wanted, list) else [wanted]:
            if not rows.select(is_wanted(column, one).any()).item():
                held = rows[column].drop_nulls().unique(maintain_order=True).to_list()
                problems.add(
                    named, "a value that rows keeps never occurs", shown(one), column=key,
                    allowed=choices(held), remedy=f"correct rows: {{{key}: …}}",
                )  # fmt: skip
        rows = rows.filter(is_wanted(column, wanted))
    if rows.is_empty():
        problems.add(named, "no row is left", remedy="look at rows: {…}, or at the files")
    return rows


def selected(frame: pl.DataFrame, rows: dict[str, object]) -> pl.DataFrame:
    """Rows whose `rows.<column>` is one of the values that the study keeps."""
    for key, wanted in rows.items():
        frame = frame.filter(is_wanted(f"rows.{key}", wanted))
    return frame


def is_wanted(column: str, wanted: object) -> pl.Expr:
    """Whether a text column holds one of the values.

    Text is compared as text, "" being no value; numbers are compared as numbers (1, 1.0 and 1e0
    are one value), beyond 2^53 as text.
    """
    values = wanted if isinstance(wanted, list) else [wanted]
    texts = [one for one in values if isinstance(one, str)]
    texts += [word for one in values if isinstance(one, bool) for word in _words(one)]
    numbers = [one for one in values if isinstance(one, int | float) and not isinstance(one, bool)]
    texts += [str(one) for one in numbers]
    amounts = [float(one) for one in numbers if abs(one) <= _MOST_EXACT]
    found = pl.col(column).fill_null("").is_in(texts)
    if amounts:
        found = found | pl.col(column).cast(pl.Float64, strict=False).is_in(amounts)
    return found.fill_null(value=False)


def _words(truth: bool) -> tuple[str, str]:
    return str(truth), str(truth).lower()


def refuse_outcomes(files: Sequence[RawTable], slice_: SourceSlice, problems: Problems) -> None:
    """Refuse to select by score or status: failures would leave the test without being seen."""
    named = {one.column or one.id for one in slice_.metrics}
    for file in files:
        scores = named | set(() if file.log is None else file.log.scores)
        names = names_in(file, slice_.columns, CANONICAL)
        for key in slice_.rows:
            if key in scores or key == names.get("status"):
                word = "score" if key in scores else "status"
                problems.add(
                    file.file, f"rows are selected by their {word}", column=key,
                    remedy="keep all rows: unscored: {status: …} says how those without a score "
                    "count, metrics: {…: {values: {…}}} what a value means",
                )  # fmt: skip
