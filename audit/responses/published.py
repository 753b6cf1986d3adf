"""The study's table of published aggregates: figures that its items must reproduce."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import polars as pl

from audit.responses.facts import PublishedFigure
from audit.responses.problems import Problems
from audit.responses.readers.raw import RawTable
from audit.responses.selection import is_wanted
from audit.responses.values import numbers
from audit.spec.plan import PublishedSlice, SourceSlice
from audit.spec.showing import choices, shown

_COLUMNS: Final = ("system", "task", "variant", "metric", "score", "items")
_NUMBER: Final = re.compile(r"[+-]?[0-9]*(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?")


@dataclass(frozen=True)
class PublishedTable:
    """Figures of systems that the source has, and how many rows name others."""

    figures: tuple[PublishedFigure, ...]
    unmatched: int
    read: int
    selected: int


def published_table(
    file: RawTable, slice_: SourceSlice, names: Mapping[str, tuple[str, ...]], problems: Problems
) -> PublishedTable:
    """Read published aggregates; what is no number, and a metric of another name, is noted.

    Parameters
    ----------
    names : {system: how the answers name it}; a published row names one of these, or the id
    """
    asked = slice_.published
    if asked is None:
        raise ValueError("the source names no published aggregates")
    columns = {key: asked.columns.get(key, key) for key in _COLUMNS}
    if not _has_columns(file, asked, columns, problems):
        return PublishedTable((), 0, len(file.frame), 0)
    held = set(file.frame.columns)
    nothing = pl.repeat(None, len(file.frame), dtype=pl.String, eager=True)
    chosen = {
        key: file.frame[name] if name in held else nothing for key, name in columns.items()
    } | {f"rows.{key}": file.frame[key] for key in asked.rows}
    frame = pl.DataFrame([one.alias(key) for key, one in chosen.items()]).with_row_index("row", 1)
    for key, wanted in asked.rows.items():
        frame = frame.filter(is_wanted(f"rows.{key}", wanted))
    by_name = {name: system for system, said in names.items() for name in (*said, system)}
    metrics = {key: one.id for one in slice_.metrics for key in (one.id, one.column or one.id)}
    figures: list[PublishedFigure] = []
    unmatched = 0
    for row in frame.iter_rows(named=True):
        system = by_name.get(row["system"] or "")
        if system is None:
            unmatched += 1
            continue
        metric = metrics.get(row["metric"] or slice_.metrics[0].id)
        figure = _figure(file, slice_, row, columns, system, metric, problems)
        if figure is not None:
            figures.append(figure)
    return PublishedTable(tuple(figures), unmatched, len(file.frame), len(frame))


def _has_columns(
    file: RawTable, asked: PublishedSlice, columns: Mapping[str, str], problems: Problems
) -> bool:
    held = file.frame.columns
    wanted = {columns[key]: f"published: {{columns: {{{key}: …}}}}" for key in ("system", "score")}
    wanted |= {columns[key]: f"correct columns: {{{key}: …}}" for key in asked.columns}
    wanted |= {key: f"correct rows: {{{key}: …}}" for key in asked.rows}
    missing = [one for one in wanted if one not in held]
    for one in missing:
        problems.add(
            file.file, f"there is no column {shown(one)}", allowed=choices(held),
            remedy=wanted[one],
        )  # fmt: skip
    return not missing


def _figure(
    file: RawTable,
    slice_: SourceSlice,
    row: Mapping[str, str | None],
    columns: Mapping[str, str],
    system: str,
    metric: str | None,
    problems: Problems,
) -> PublishedFigure | None:
    at = int(row["row"] or 0)
    text = row["score"]
    value = None if text is None else numbers(pl.Series([text])).to_list()[0]
    if metric is None:
        problems.add(
            file.file, "no such metric is read from the answers", shown(row["metric"]), row=at,
            column=columns["metric"], allowed=choices(one.id for one in slice_.metrics),
            remedy="name it under scores, or leave its rows out: published: {rows: {…}}",
        )  # fmt: skip
        return None
    if text is None:
        return None
    if value is None:
        problems.add(
            file.file, "the published value is no number", shown(text), row=at,
            column=columns["score"], allowed="a number", remedy="correct it, or leave its row out",
        )  # fmt: skip
        return None
    percent = slice_.published is not None and slice_.published.percent
    return PublishedFigure(
        file=file.file,
        row=at,
        system=system,
        task=row["task"] or "",
        variant=row["variant"] or "",
        metric=metric,
        value=value / 100 if percent else value,
        decimals=decimals(text) + (2 if percent else 0),
        items=_items(file, row["items"], at, columns["items"], problems),
    )


def _items(
    file: RawTable, text: str | None, at: int, column: str, problems: Problems
) -> int | None:
    """The number of items that a figure is over; None where nothing is written."""
    value = None if text is None else numbers(pl.Series([text])).to_list()[0]
    if text is not None and (value is None or value < 1 or value != int(value)):
        problems.add(
            file.file, "this is no number of items", shown(text), row=at, column=column,
            allowed="a whole number from 1 up", remedy="correct it, or map another column",
        )  # fmt: skip
        return None
    return None if value is None else int(value)


def decimals(text: str) -> int:
    """Decimals that a number is written with; negative where its last digits are not written."""
    found = _NUMBER.fullmatch(text.strip())
    if found is None:
        return 0
    return len(found.group(1) or "") - int(found.group(2) or 0)
