"""Items: one id, one content; their tasks, clusters and texts, from the rows and the item table."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

import polars as pl

from audit.responses.columns import ITEM_TEXTS, names_in
from audit.responses.problems import Problems
from audit.responses.readers.table import RawTable
from audit.responses.table import ITEM_SCHEMA, TEXT_SCHEMA
from audit.responses.values import LONGEST_NAME
from audit.spec.plan import SourceSlice
from audit.spec.showing import choices, closest, shown

_SAME: Final = ("task", "cluster", "label", "item_hash")
"""What all rows of an item must agree on."""


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
    names = names_in(raw, slice_.columns, ITEM_TEXTS)
    if "item" not in names:
        problems.add(
            raw.file, 'there is no column "item"', allowed=choices(raw.frame.columns),
            remedy="name it so in the item table, or map it: columns: {item: …}",
        )  # fmt: skip
        return ItemTable(item_table(None, slice_, problems).frame, len(raw.frame), declared=True)
    frame = raw.frame.select(
        *(
            (pl.col(names[key]).replace(slice_.values.get(key, {})) if key in names
             else pl.lit(None, dtype=pl.String)).alias(key)
            for key in ITEM_TEXTS
        ),
        *(pl.col(key).alias(f"rows.{key}") for key in slice_.rows if key in raw.frame.columns),
        pl.int_range(1, pl.len() + 1, dtype=pl.Int64).alias("row"),
        pl.lit(raw.file).alias("file"),
    )  # fmt: skip
    kept = selected(
        frame, {key: one for key, one in slice_.rows.items() if key in raw.frame.columns}
    )
    kept = kept.select(*ITEM_TEXTS, "file", "row")
    _check_item_table(kept, raw.file, problems)
    return ItemTable(kept, len(raw.frame), declared=True)


def selected(frame: pl.DataFrame, rows: dict[str, object]) -> pl.DataFrame:
    """Rows whose `rows.<column>` is one of the values that the study keeps."""
    for key, wanted in rows.items():
        frame = frame.filter(is_wanted(f"rows.{key}", wanted))
    return frame


def is_wanted(column: str, wanted: object) -> pl.Expr:
    """Whether a text column holds one of the values; numbers are compared as numbers."""
    values = wanted if isinstance(wanted, list) else [wanted]
    texts = [str(one) for one in values if isinstance(one, str)]
    texts += [
        word for one in values if isinstance(one, bool) for word in (str(one), str(one).lower())
    ]
    amounts = [
        float(one) for one in values if isinstance(one, int | float) and not isinstance(one, bool)
    ]
    found = pl.col(column).is_in(texts)
    if amounts:
        found = found | pl.col(column).cast(pl.Float64, strict=False).is_in(amounts)
    return found.fill_null(value=False)


def _check_item_table(frame: pl.DataFrame, file: str, problems: Problems) -> None:
    first: dict[str, int] = {}
    for item, row in frame.select("item", "row").iter_rows():
        if item is None:
            problems.add(file, "the row names no item", row=row, column="item",
                         remedy="give it the item's id")  # fmt: skip
        elif len(item) > LONGEST_NAME:
            problems.add(file, f"the item is longer than {LONGEST_NAME:,} characters", shown(item),
                         row=row, column="item", remedy="use a short id")  # fmt: skip
        elif item in first:
            problems.add(
                file, "the item table names an item twice", shown(item), row=row, column="item",
                remedy=f"row {first[item]} has it too: keep one",
            )  # fmt: skip
        else:
            first[item] = row


def with_tasks(
    rows: pl.DataFrame, items: ItemTable, slice_: SourceSlice, problems: Problems
) -> pl.DataFrame:
    """Give each row its item's task, cluster and label, and note contradictions.

    The same id with another task, cluster, label or hash is refused, within the rows and against
    the item table; so is an item that a declared item table lacks.
    """
    if slice_.task is not None:
        rows = rows.with_columns(pl.lit(slice_.task).alias("task"))
    if items.declared:
        _refuse_unlisted(rows, items, problems)
    table = items.frame.select("item", "task", "cluster", "label", "file", "row")
    for key in _SAME:
        _refuse_changed(rows, table, key, problems)
    known = _known(rows, table, slice_)
    rows = rows.drop("task", "cluster", "label").join(
        known, on="item", how="left", maintain_order="left"
    )
    _check_tasks(rows, table, slice_, problems)
    return rows


def _known(rows: pl.DataFrame, table: pl.DataFrame, slice_: SourceSlice) -> pl.DataFrame:
    """One row per item: what the item table says, else the first row that says something."""
    columns = ["item", "task", "cluster", "label"]
    if slice_.task is not None:
        table = table.with_columns(pl.lit(slice_.task).alias("task"))
    return (
        pl.concat([table.select(columns), rows.select(columns)])
        .group_by("item", maintain_order=True)
        .agg(pl.col(key).drop_nulls().first() for key in columns[1:])
    )


def _refuse_unlisted(rows: pl.DataFrame, items: ItemTable, problems: Problems) -> None:
    listed = items.frame["item"].to_list()
    unknown = rows.filter(~pl.col("item").is_in(listed)).unique("item", maintain_order=True)
    for item, row, file in unknown.select("item", "row", "file").iter_rows():
        near = closest(item, listed[:5000])
        problems.add(
            file, "the item table does not name this item", shown(item), row=row, column="item",
            remedy=f"did you mean {near}?" if near else "add it to the item table",
        )  # fmt: skip


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
            remedy="one id is one item: give the changed item an id of its own",
        )  # fmt: skip


def _check_tasks(
    rows: pl.DataFrame, table: pl.DataFrame, slice_: SourceSlice, problems: Problems
) -> None:
    """Where the study declares work, every item belongs to one of its tasks."""
    if not slice_.tasks:
        return
    columns = ("item", "task", "file", "row")
    every = pl.concat([rows.select(columns), table.select(columns)])
    if slice_.task is not None:
        every = every.with_columns(pl.lit(slice_.task).alias("task"))
    wrong = every.filter(~pl.col("task").is_in(list(slice_.tasks)).fill_null(value=False))
    named = wrong.filter(pl.col("task").is_not_null())
    for task, row, file in (
        named.unique("task", maintain_order=True).select("task", "row", "file").iter_rows()
    ):
        near = closest(task, slice_.tasks)
        problems.add(
            file, "this task is not declared", shown(task), row=row, column="task",
            allowed=choices(slice_.tasks),
            remedy=(f"did you mean {near}? " if near else "")
            + f"map it: values: {{task: {{{shown(task)}: …}}}}, or leave it out by rows: {{…}}",
        )  # fmt: skip
    nameless = wrong.filter(pl.col("task").is_null()).unique("item", maintain_order=True)
    nameless = nameless.filter(
        ~pl.col("item").is_in(rows.filter(pl.col("task").is_not_null())["item"].to_list())
    )
    for item, row, file in nameless.select("item", "row", "file").iter_rows():
        problems.add(
            file, "the item has no task", shown(item), row=row,
            allowed=choices(slice_.tasks),
            remedy="name the column: columns: {task: …}, or the source's one task: task: …",
        )  # fmt: skip


def item_frames(
    rows: pl.DataFrame, items: ItemTable, slice_: SourceSlice
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The item table and the text store of a source, in the columns of `responses.table`."""
    table = items.frame
    columns = ["item", "task", "cluster", "label"]
    known = _known(rows, table, slice_)
    written = table.select("item", "author", "text").unique(
        "item", keep="first", maintain_order=True
    )
    joined = known.select(columns).join(written, on="item", how="left", maintain_order="left")
    texts = [None if one is None else _digest(one) for one in joined["text"].to_list()]
    frame = joined.with_columns(
        pl.lit(slice_.source).alias("source"), pl.Series("text_digest", texts, pl.String)
    ).select(list(ITEM_SCHEMA))
    stored = pl.DataFrame({"digest": texts, "text": joined["text"]}, schema=TEXT_SCHEMA)
    if slice_.private:
        stored = stored.clear()
    return frame, stored.drop_nulls().unique("digest", maintain_order=True).sort("digest")


def _digest(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
