"""Items: one id, one content; their tasks, clusters and texts, from the rows and the item table."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

import polars as pl

from audit.responses.columns import ITEM_TEXTS, demand_item_columns, mapped, names_in
from audit.responses.problems import Problems
from audit.responses.readers.raw import RawTable
from audit.responses.selection import selected
from audit.responses.table import ITEM_SCHEMA, TEXT_SCHEMA
from audit.responses.values import check_lengths
from audit.spec.plan import SourceSlice
from audit.spec.showing import choices, closest, shown

_SAME: Final = ("task", "cluster", "label")
"""What all rows of an item must agree on."""
_MOST_COMPARED: Final = 5000
"""Listed items among which a near name is looked for."""


@dataclass(frozen=True)
class ItemTable:
    """The declared item table, or none: `frame` is then empty."""

    frame: pl.DataFrame
    """`ITEM_TEXTS` as text, `row`, `file`; the rows that the study keeps."""
    read: int
    declared: bool


def item_table(raw: RawTable | None, slice_: SourceSlice, problems: Problems) -> ItemTable:
    """Read the declared item table; an id that stands in it twice is noted."""
    if raw is None:
        columns = dict.fromkeys((*ITEM_TEXTS, "file"), pl.String) | {"row": pl.Int64}
        return ItemTable(pl.DataFrame(schema=columns), 0, declared=False)
    names = names_in(raw, slice_.columns, ITEM_TEXTS, item_table=True)
    if not demand_item_columns(raw, slice_, names, problems):
        return ItemTable(item_table(None, slice_, problems).frame, len(raw.frame), declared=True)
    rows = {key: one for key, one in slice_.rows.items() if key in raw.frame.columns}
    nothing = pl.repeat(None, len(raw.frame), dtype=pl.String, eager=True)
    chosen = {
        key: mapped(raw.frame[names[key]], slice_.values.get(key, {})) if key in names else nothing
        for key in ITEM_TEXTS
    } | {f"rows.{key}": raw.frame[key] for key in rows}
    frame = pl.DataFrame([series.alias(name) for name, series in chosen.items()]).with_columns(
        pl.int_range(1, pl.len() + 1, dtype=pl.Int64).alias("row"),
        pl.lit(raw.file).alias("file"),
    )
    kept = selected(frame, rows).select(*ITEM_TEXTS, "file", "row")
    _check_item_table(kept, names, raw.file, problems)
    return ItemTable(kept, len(raw.frame), declared=True)


def _check_item_table(
    frame: pl.DataFrame, names: dict[str, str], file: str, problems: Problems
) -> None:
    column = names["item"]
    first: dict[str, int] = {}
    for item, row in frame.select("item", "row").iter_rows():
        if item is None:
            problems.add(file, "the row names no item", row=row, column=column,
                         remedy="give it the item's id")  # fmt: skip
        elif item in first:
            problems.add(
                file, "the item table names an item twice", shown(item), row=row, column=column,
                remedy=f"row {first[item]} has it too: keep one",
            )  # fmt: skip
        else:
            first[item] = row
    check_lengths(frame, [one for one in ITEM_TEXTS if one != "text"], names, file, problems)


def with_tasks(
    rows: pl.DataFrame, items: ItemTable, slice_: SourceSlice, problems: Problems
) -> pl.DataFrame:
    """Give each row its item's task, cluster and label, and note contradictions.

    The same id with another task, cluster or label is refused, within the rows and against the
    item table; so is an item that a declared item table lacks. Where the source has one task,
    a column of another declared task contradicts it; other words in that column are not the
    study's, and are left aside.
    """
    table = items.frame.select("item", "task", "cluster", "label", "file", "row")
    if slice_.task is not None:
        _refuse_other_tasks(rows, table, slice_, problems)
        rows = rows.with_columns(pl.lit(slice_.task).alias("task"))
        table = table.with_columns(pl.lit(slice_.task).alias("task"))
    listed = rows
    if items.declared:
        listed = rows.filter(pl.col("item").is_in(table["item"].implode()))
        _refuse_unlisted(rows, items, slice_, problems)
    for key in _SAME:
        _refuse_changed(rows, table, key, problems)
    if slice_.tasks:
        _check_tasks(listed, table, slice_, problems)
    return rows.drop("task", "cluster", "label").join(
        _known(rows, table), on="item", how="left", maintain_order="left"
    )


def _refuse_other_tasks(
    rows: pl.DataFrame, table: pl.DataFrame, slice_: SourceSlice, problems: Problems
) -> None:
    columns = ("task", "file", "row")
    others = [one for one in slice_.tasks if one != slice_.task]
    said = pl.concat([rows.select(columns), table.select(columns)])
    for task, file, row in said.filter(pl.col("task").is_in(others)).iter_rows():
        problems.add(
            file, "the row is of another task than its source", shown(task), row=row,
            column=slice_.columns.get("task", "task"), allowed=f"{slice_.task}, as task: says",
            remedy="leave out task: and let the column speak, or leave the row out by rows: {…}",
        )  # fmt: skip


def _known(rows: pl.DataFrame, table: pl.DataFrame) -> pl.DataFrame:
    """One row per item: what the item table says, else the first row that says something."""
    columns = ["item", "task", "cluster", "label"]
    return (
        pl.concat([table.select(columns), rows.select(columns)])
        .group_by("item", maintain_order=True)
        .agg(pl.col(key).drop_nulls().first() for key in columns[1:])
    )


def _refuse_unlisted(
    rows: pl.DataFrame, items: ItemTable, slice_: SourceSlice, problems: Problems
) -> None:
    listed = items.frame["item"].head(_MOST_COMPARED).to_list()
    unknown = _firsts(rows.filter(~pl.col("item").is_in(items.frame["item"].implode())), "item")
    column = slice_.columns.get("item", "item")
    for item, row, file in unknown.select("item", "row", "file").iter_rows():
        problems.add(
            file, "the item table does not name this item", shown(item), row=row, column=column,
            remedy=partial(_add_or_correct, item, listed),
        )  # fmt: skip


def _add_or_correct(item: str, listed: list[str]) -> str:
    near = closest(item, listed)
    return f"did you mean {near}?" if near else "add it to the item table"


def _refuse_changed(rows: pl.DataFrame, table: pl.DataFrame, key: str, problems: Problems) -> None:
    """Note items whose rows say two things of one column."""
    parts = [rows.select("item", key, "file", "row")]
    if key in table.columns:
        parts.insert(0, table.select("item", key, "file", "row"))
    said = pl.concat(parts).filter(pl.col(key).is_not_null())
    distinct = said.unique(["item", key], keep="first", maintain_order=True)
    changed = distinct.filter(pl.len().over("item") > 1)
    first: dict[str, tuple[str, str, int]] = {}
    for item, value, file, row in changed.iter_rows():
        if item not in first:
            first[item] = (value, file, row)
            continue
        before, where, line = first[item]
        problems.add(
            file, f"the same item has another {key}", f"{shown(value)} for item {shown(item)}",
            row=row, column=key, allowed=f"{shown(before)}, as in {where}, row {line}",
            remedy="one id is one item: give the changed item an id of its own; if the column is "
            f'not about items, leave it aside: values: {{{key}: {{{shown(value)}: ""}}}}',
        )  # fmt: skip


def _check_tasks(
    rows: pl.DataFrame, table: pl.DataFrame, slice_: SourceSlice, problems: Problems
) -> None:
    """Note items that belong to none of the declared tasks."""
    columns = ("item", "task", "file", "row")
    said = pl.concat([table.select(columns), rows.select(columns)])
    named = said.filter(~pl.col("task").is_in(list(slice_.tasks)))
    for _, task, file, row in _firsts(named, "task").iter_rows():
        problems.add(
            file, "this task is not declared", shown(task), row=row,
            column=slice_.columns.get("task", "task"), allowed=choices(slice_.tasks),
            remedy=partial(_map_or_correct, task, slice_.tasks),
        )  # fmt: skip
    nameless = said.filter(pl.col("task").is_null().all().over("item"))
    for item, _, file, row in _firsts(nameless, "item").iter_rows():
        problems.add(
            file, "the item has no task", shown(item), row=row,
            allowed=choices(slice_.tasks),
            remedy="name the column: columns: {task: …}, or the source's one task: task: …",
        )  # fmt: skip


def _firsts(frame: pl.DataFrame, key: str) -> pl.DataFrame:
    """The first row of each value."""
    return frame.unique(key, keep="first", maintain_order=True)


def _map_or_correct(task: str, tasks: tuple[str, ...]) -> str:
    near = closest(task, tasks)
    otherwise = f"map it: values: {{task: {{{shown(task)}: …}}}}, or leave it out by rows: {{…}}"
    return f"did you mean {near}? {otherwise}" if near else otherwise


def item_frames(
    rows: pl.DataFrame, items: ItemTable, asked: Mapping[str, str], slice_: SourceSlice
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The item table and the text store of a source, in the columns of `responses.table`.

    Parameters
    ----------
    asked : {digest in the column `text` of the rows: what was asked}, as logs say; the item table's
        own text comes first, then that of the reference wording
    """
    table = items.frame
    columns = ["item", "task", "cluster", "label"]
    if slice_.task is not None:
        table = table.with_columns(pl.lit(slice_.task).alias("task"))
    known = _known(rows, table)
    written = table.select("item", "author", "text").unique(
        "item", keep="first", maintain_order=True
    )
    joined = known.select(columns).join(written, on="item", how="left", maintain_order="left")
    by_rows = _asked_by_rows(rows, asked)
    held = [
        by_rows.get(item) if text is None else text
        for item, text in joined.select("item", "text").iter_rows()
    ]
    texts = [None if one is None else _digest(one) for one in held]
    frame = joined.with_columns(
        pl.lit(slice_.source).alias("source"), pl.Series("text_digest", texts, pl.String)
    ).select(list(ITEM_SCHEMA))
    stored = pl.DataFrame({"digest": texts, "text": held}, schema=TEXT_SCHEMA)
    if slice_.private:
        stored = stored.clear()
    return frame, stored.drop_nulls().unique("digest", maintain_order=True).sort("digest")


def _asked_by_rows(rows: pl.DataFrame, asked: Mapping[str, str]) -> dict[str, str]:
    """{item: text that the logs say was asked}, of the reference wording where there is one."""
    if not asked:
        return {}
    said = rows.filter(pl.col("text").is_not_null()).sort(
        pl.col("variant") != "base", maintain_order=True
    )
    first = said.unique("item", keep="first", maintain_order=True).select("item", "text")
    return {item: asked[digest] for item, digest in first.iter_rows() if digest in asked}


def _digest(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
