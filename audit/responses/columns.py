"""From a file's own columns to the canonical ones, still as text.

A canonical column is the one that the study names for it, else the one of the same name. What the
study needs beside them (columns that select rows, that name systems, that hold scores) is kept
under a prefix: `rows.`, `match.` and `score.`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import polars as pl

from audit.responses.problems import Problems
from audit.responses.readers.raw import RawTable
from audit.spec.plan import SourceSlice
from audit.spec.showing import choices, closest, shown

TEXTS: Final = (
    "system",
    "item",
    "variant",
    "status",
    "task",
    "cluster",
    "label",
    "item_hash",
    "date",
)
WHOLE: Final = ("attempt", "samples")
AMOUNTS: Final = (
    "confidence",
    "cost_usd",
    "tokens_in",
    "tokens_out",
    "latency_s",
    "human_minutes",
)
CANONICAL: Final = (*TEXTS, *WHOLE, *AMOUNTS)
ITEM_TEXTS: Final = ("item", "text", "task", "cluster", "label", "author")
_ITEM_ONLY: Final = ("text", "author")


def names_in(
    file: RawTable, declared: Mapping[str, str], known: tuple[str, ...], *, item_table: bool = False
) -> dict[str, str]:
    """Give the file's column of each canonical one that it has.

    Parameters
    ----------
    declared : {canonical: column in the file}; it may name columns that this file lacks
    known : canonical columns
    item_table : the study's names are those of the answers: where an item table lacks one, its
        column of the canonical name stands for it
    """
    held = set(file.frame.columns)
    named = {key: column for key, column in declared.items() if key in known and column in held}
    taken = set(named.values())
    open_ = (key for key in known if item_table or key not in declared)
    same = {key: key for key in open_ if key in held and key not in taken}
    return {**same, **named}


def match_columns(slice_: SourceSlice) -> tuple[str, ...]:
    """Columns by which systems are told apart, as the study names them."""
    return tuple(sorted({key for one in slice_.systems for key in one.match}))


def canonical(file: RawTable, slice_: SourceSlice, scores: Mapping[str, str]) -> pl.DataFrame:
    """Lay a file's columns out under their canonical names; `check_columns` came before.

    Parameters
    ----------
    scores : {metric: column}

    Returns
    -------
    All of `CANONICAL` as text (null where the file lacks them), `row` from 1, `file`, `text` (the
    digest of what was asked, of logs only) and the prefixed columns of the module's text; values
    are mapped as `values` says.
    """
    frame = file.frame
    names = names_in(file, slice_.columns, CANONICAL)
    # whole columns by name: an expression would read a name such as ^.*$ as a pattern
    chosen = {key: _column(frame, names.get(key), slice_.values.get(key, {})) for key in CANONICAL}
    # a log lacks what its run had no word for: no value, where a table would be refused
    chosen |= {f"rows.{key}": _column(frame, _if_held(file, key), {}) for key in slice_.rows}
    for key, column in _match_columns_in(file, slice_, names).items():
        chosen[f"match.{key}"] = _column(frame, column, slice_.values.get(key, {}))
    for metric, score in scores.items():
        own = None if file.log is None else file.log.statuses.get(score)
        chosen[f"score.{metric}"] = _column(frame, _if_held(file, score), {})
        chosen[f"status.{metric}"] = _column(frame, own, {})
    chosen["text"] = _column(frame, _if_held(file, "text") if file.log else None, {})
    return pl.DataFrame([series.alias(name) for name, series in chosen.items()]).with_columns(
        pl.int_range(1, pl.len() + 1, dtype=pl.Int64).alias("row"),
        pl.lit(file.file).alias("file"),
    )


def _match_columns_in(
    file: RawTable, slice_: SourceSlice, names: Mapping[str, str]
) -> dict[str, str | None]:
    """The file's column of each one that tells systems apart: canonical, else by its own name."""
    return {
        key: names.get(key) if key in CANONICAL else _if_held(file, key)
        for key in match_columns(slice_)
    }


def _column(frame: pl.DataFrame, name: str | None, values: Mapping[str, str]) -> pl.Series:
    """A column with its values mapped; nulls where there is no such column."""
    if name is None:
        return pl.repeat(None, len(frame), dtype=pl.String, eager=True)
    return mapped(frame[name], values)


def mapped(column: pl.Series, values: Mapping[str, str]) -> pl.Series:
    """Other words for some values; the key "" stands for no value, and so does a word ""."""
    if not values:
        return column
    words = {key.strip(): word.strip() or None for key, word in values.items()}
    new = pl.Series(list(words.values()), dtype=pl.String)
    replaced = column.replace(pl.Series(list(words), dtype=pl.String), new)
    return replaced.fill_null(words[""]) if words.get("") else replaced


def check_columns(
    files: Sequence[RawTable],
    of_items: RawTable | None,
    slice_: SourceSlice,
    scores: Mapping[str, str],
    problems: Problems,
) -> None:
    """Note every column that must be there and is not: in each table, in one log at least.

    Parameters
    ----------
    of_items : the item table; what it says of items need not stand in the answers
    scores : {metric: column}
    """
    logs = [one for one in files if one.log is not None]
    for file in [one for one in files if one.log is None]:
        _check_file(file, of_items, slice_, scores, problems)
    if logs:
        held = dict.fromkeys(name for one in logs for name in one.frame.columns)
        together = pl.DataFrame(schema=dict.fromkeys(held, pl.String))
        every = RawTable(logs[0].file, together, log=logs[0].log)
        _check_file(every, of_items, slice_, scores, problems)


def _check_file(
    file: RawTable,
    of_items: RawTable | None,
    slice_: SourceSlice,
    scores: Mapping[str, str],
    problems: Problems,
) -> None:
    names = names_in(file, slice_.columns, CANONICAL)
    wanted = {
        column: f"columns: {{{key}: {column}}}"
        for key, column in slice_.columns.items()
        if key not in _ITEM_ONLY and not (key in ITEM_TEXTS[1:] and _holds(of_items, column))
    }
    wanted |= {column: f"rows: {{{column}: …}}" for column in slice_.rows}
    if file.log is None:  # logs name their scores themselves
        wanted |= {one: f"scores: {{{metric}: {one}}}" for metric, one in scores.items()}
    for column in [one for one in wanted if not _holds(file, one)]:
        _note(file, column, f"the study says {wanted[column]}", problems)
    if "item" not in names and "item" not in slice_.columns:
        _note(file, "item", "name the column of items: columns: {item: …}", problems)
    held = file.frame.columns
    if not any(_match_columns_in(file, slice_, names).values()):
        problems.add(
            file.file, f"there is no column that names systems ({choices(match_columns(slice_))})",
            allowed=choices(held), remedy="name it: columns: {system: …}",
        )  # fmt: skip


def _if_held(file: RawTable, column: str) -> str | None:
    return column if _holds(file, column) else None


def _holds(file: RawTable | None, column: str) -> bool:
    return file is not None and column in file.frame.columns


def _note(file: RawTable, column: str, remedy: str, problems: Problems) -> None:
    """Say that a column is not there, or holds what cannot be read."""
    held = file.frame.columns
    if column in file.unreadable:
        problems.add(
            file.file, f"the column {shown(column)} holds no single values",
            file.unreadable[column], allowed="text, numbers, booleans, dates",
            remedy=f"write it as one of these; {remedy}",
        )  # fmt: skip
        return
    near = closest(column, held)
    problems.add(
        file.file, f"there is no column {shown(column)}", allowed=choices(held),
        remedy=f"{remedy}; did you mean {near}?" if near else remedy,
    )  # fmt: skip


def demand_item_columns(
    file: RawTable, slice_: SourceSlice, names: Mapping[str, str], problems: Problems
) -> bool:
    """Note what an item table must have: items, and what the study names in no other file."""
    missing = {
        slice_.columns[key]: f"the study says columns: {{{key}: {slice_.columns[key]}}}"
        for key in _ITEM_ONLY
        if key in slice_.columns and not _holds(file, slice_.columns[key])
    }
    if "item" not in names:
        missing["item"] = "name it so in the item table, or map it: columns: {item: …}"
    for column, remedy in missing.items():
        _note(file, column, remedy, problems)
    return not missing
